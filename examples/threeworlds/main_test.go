package main

import (
	_ "embed"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

//go:embed output.txt
var want string

func TestMain(m *testing.M) {
	// On js the runtime has a goroutine of its own that handles events.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("runtime.handleEvent"))
}

func TestOutput(t *testing.T) {
	var got strings.Builder
	if err := run(&got); err != nil {
		t.Fatal(err)
	}
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
}
