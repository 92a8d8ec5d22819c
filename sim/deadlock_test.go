package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// crossed lets n tasks take a mutex each, and then wait for that of the next.
func crossed(t *testing.T, k *rtos.Kernel, n int) {
	names := "ABCDEFG"
	ms := make([]*rtos.Mutex, n)
	for i := range ms {
		ms[i] = rtos.NewMutex("m" + names[i:i+1])
	}
	for i := range ms {
		spawn(t, k, names[i:i+1], 1, func(me *rtos.Task) {
			_ = ms[i].Lock(me)
			defer ms[i].Unlock(me)
			_ = me.Delay(k.Ticks(5))
			_ = ms[(i+1)%n].Lock(me)
			_ = ms[(i+1)%n].Unlock(me)
		})
	}
}

func TestDeadlockNamesTheCycle(t *testing.T) {
	for name, drive := range map[string]func(k *rtos.Kernel, s *sim.Sim) error{
		"Run":     func(k *rtos.Kernel, _ *sim.Sim) error { return k.Run(t.Context()) },
		"Settle":  func(_ *rtos.Kernel, s *sim.Sim) error { return s.Settle() },
		"RunTo":   func(_ *rtos.Kernel, s *sim.Sim) error { return s.RunTo(func() bool { return false }, 100) },
		"Step":    func(_ *rtos.Kernel, s *sim.Sim) error { return steps(s) },
		"Outside": func(k *rtos.Kernel, _ *sim.Sim) error { return k.Run(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			k, s := newSim(t, sim.Options{Outside: name == "Outside"})
			crossed(t, k, 3)
			sem := rtos.NewBinary("s")
			spawn(t, k, "bystander", 1, func(me *rtos.Task) { _ = sem.Take(me) })
			var d *sim.DeadlockError
			require.ErrorAs(t, drive(k, s), &d)
			assert.EqualValues(t, 5, d.Time)
			assert.Equal(t, []string{"A", "B", "C"}, d.Cycle)
			assert.Equal(t, sim.DeadlockWait{Task: "B", Object: `mutex "mC"`, Holder: "C", Why: `waits for mutex "mA"`}, d.Waits[1])
			assert.Equal(t, `sim: deadlock at tick 5:`+
				` "A" waits for mutex "mB", held by "B", which waits for mutex "mC";`+
				` "B" waits for mutex "mC", held by "C", which waits for mutex "mA";`+
				` "C" waits for mutex "mA", held by "A", which waits for mutex "mB";`+
				` they wait for each other: A → B → C → A`, d.Error())
		})
	}
}

func steps(s *sim.Sim) error {
	for {
		if more, err := s.Step(); !more || err != nil {
			return err
		}
	}
}

// A holder that waits for what somebody outside may do is a deadlock only where nobody
// will; a holder that has ended is one anyhow.
func TestDeadlockOfAHolderThatWillNotRun(t *testing.T) {
	for name, c := range map[string]struct {
		holds func(me *rtos.Task, sem *rtos.Semaphore)
		why   string
		lost  bool // whatever happens outside
	}{
		"suspended": {func(me *rtos.Task, _ *rtos.Semaphore) { _ = me.SuspendSelf() }, "is suspended", false},
		"waits":     {func(me *rtos.Task, sem *rtos.Semaphore) { _ = sem.Take(me) }, `waits for binary "s"`, false},
		"notified":  {func(me *rtos.Task, _ *rtos.Semaphore) { _, _ = me.NotifyTake(true, rtos.Forever) }, "waits for notification in slot 0", false},
		"ended":     {func(*rtos.Task, *rtos.Semaphore) {}, "has ended", true},
	} {
		t.Run(name, func(t *testing.T) {
			setUp := func(t *testing.T) (*rtos.Kernel, *sim.Sim) {
				k, s := newSim(t, sim.Options{})
				m, sem := rtos.NewMutex("m"), rtos.NewBinary("s")
				spawn(t, k, "holder", 2, func(me *rtos.Task) {
					_ = m.Lock(me)
					c.holds(me, sem)
				})
				spawn(t, k, "waiter", 1, func(me *rtos.Task) { _ = m.Lock(me) })
				return k, s
			}
			want := []sim.DeadlockWait{{Task: "waiter", Object: `mutex "m"`, Holder: "holder", Why: c.why}}

			k, _ := setUp(t)
			var d *sim.DeadlockError
			require.ErrorAs(t, k.Run(t.Context()), &d)
			assert.Equal(t, want, d.Waits)
			assert.Empty(t, d.Cycle)
			assert.NotContains(t, d.Error(), "each other")

			_, s := setUp(t)
			err := s.Settle()
			if !c.lost {
				require.NoError(t, err)
				return
			}
			require.ErrorAs(t, err, &d)
			assert.Equal(t, want, d.Waits)
		})
	}
}

// Whoever merely waits for an event is no deadlock; the kernel logs it.
func TestWaitingForEventsIsNoDeadlock(t *testing.T) {
	var book logBook
	k, _ := newSimWith(t, sim.Options{}, rtos.Config{Logger: book.logger()})
	sem := rtos.NewBinary("s")
	spawn(t, k, "a", 1, func(me *rtos.Task) { _ = sem.Take(me) })
	spawn(t, k, "b", 1, func(me *rtos.Task) { _, _ = me.NotifyTake(true, rtos.Forever) })
	spawn(t, k, "c", 1, func(me *rtos.Task) { _ = me.SuspendSelf() })
	require.NoError(t, k.Run(t.Context()))
	assert.Contains(t, book.String(), `binary \"s\"`)
}

// As long as something can happen nobody speaks of a deadlock.
func TestNoDeadlockWhileTimeGoesOn(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	crossed(t, k, 2)
	s.At(1000, func(*rtos.ISR) {})
	require.NoError(t, s.RunUntil(999))
	require.NoError(t, s.RunUntil(2000), "time passes to the end that was asked for")
	var d *sim.DeadlockError
	require.ErrorAs(t, s.Settle(), &d)
	assert.EqualValues(t, 2000, d.Time)

	// It can be broken from outside.
	k.Task("A").Delete()
	require.NoError(t, s.Settle())
}
