package main

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/porttest"
)

func TestLockstepKeepsTheContractOfAPort(t *testing.T) {
	porttest.Run(t, func() rtos.Port { return NewLockstep() })
}

func TestLockstepTellsOfADeadlock(t *testing.T) {
	k, err := rtos.New(rtos.Config{Port: NewLockstep(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Spawn("a", 1, func(t *rtos.Task) { t.NotifyTake(true, rtos.Forever) }); err != nil {
		t.Fatal(err)
	}
	if err := k.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "deadlock") {
		t.Fatalf("Run: %v, want a deadlock", err)
	}
}
