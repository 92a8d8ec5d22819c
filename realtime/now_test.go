package realtime_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/realtime"
)

// What a reading of the kernel's clock costs beside one of Go's.
func BenchmarkNow(b *testing.B) {
	p, err := realtime.New(realtime.Options{BestEffort: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Skip(err)
	}
	k, err := rtos.New(rtos.Config{Port: p})
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	b.Run("Kernel", func(b *testing.B) {
		for b.Loop() {
			k.Now()
		}
	})
	b.Run("time.Since", func(b *testing.B) {
		for b.Loop() {
			time.Since(began)
		}
	})
}
