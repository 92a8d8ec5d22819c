package rtos

import (
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A task that gives a mutex and takes it again at once overtakes a parked waiter every
// time; the waiter must get it all the same, sooner if it is the more urgent one.
func TestOvertakingIsBounded(t *testing.T) {
	for _, c := range []struct {
		name   string
		waiter int
		most   int
	}{
		{"equal waiter", 3, maxOvertaken},
		{"less urgent waiter", 2, maxOvertaken},
		{"more urgent waiter", 4, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, err := New(Config{Logger: slog.New(slog.DiscardHandler)})
			require.NoError(t, err)
			holder, err := k.Adopt("holder", 3)
			require.NoError(t, err)
			var m Mutex
			require.NoError(t, m.Lock(holder))
			waiter, err := k.Spawn("waiter", c.waiter, func(t *Task) {
				_ = m.Lock(t)
				_ = m.Unlock(t)
			})
			require.NoError(t, err)
			done := make(chan error)
			go func() { done <- k.Run(t.Context()) }()
			for overtaken := 0; ; overtaken++ {
				require.LessOrEqual(t, overtaken, c.most)
				until(t, func() bool {
					return waiter.ended.Load() ||
						waiter.State() == StateBlocked && waitersIn(m.o.word.Load()) > 0
				})
				require.NoError(t, m.Unlock(holder))
				if waiter.ended.Load() || !m.TryLock(holder) {
					break
				}
			}
			require.NoError(t, <-done)
			require.NoError(t, holder.Release())
			restsEmpty(t, &m.o)
		})
	}
}

// A waiter that has waited for a millisecond is handed the mutex, however often it was
// overtaken before.
func TestOvertakingEndsAfterAMillisecond(t *testing.T) {
	k, err := New(Config{})
	require.NoError(t, err)
	a, err := k.Adopt("a", 3)
	require.NoError(t, err)
	defer a.Release()
	var m Mutex
	f := overtaking{times: 1, since: k.Now() - maxOvertakenFor}
	f.again(&m, a)
	require.True(t, f.overdue)
}

// until waits for a condition that another goroutine brings about.
func until(t *testing.T, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !cond(); runtime.Gosched() {
		require.True(t, time.Now().Before(deadline), "the condition did not come true")
	}
}
