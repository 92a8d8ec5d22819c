package sim_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

func TestMaxTicks(t *testing.T) {
	k, s := newSim(t, sim.Options{MaxTicks: 100})
	laps := 0
	periodic(t, k, "a", 1, &laps)
	require.NoError(t, s.RunUntil(99))
	for _, drive := range []func() error{s.Settle, func() error { return s.RunUntil(200) }, func() error { return k.Run(t.Context()) }} {
		err := drive()
		assert.ErrorIs(t, err, rtos.ErrTimeout)
		assert.ErrorContains(t, err, "MaxTicks, 100")
		assert.EqualValues(t, 100, s.Time())
	}
}

// Whoever drives gets the panic of a task; the others have been unwound by then.
func TestEveryDriveReturnsThePanicOfATask(t *testing.T) {
	for name, drive := range map[string]func(k *rtos.Kernel, s *sim.Sim) error{
		"Run":      func(k *rtos.Kernel, _ *sim.Sim) error { return k.Run(context.Background()) },
		"RunUntil": func(_ *rtos.Kernel, s *sim.Sim) error { return s.RunUntil(100) },
		"RunFor":   func(_ *rtos.Kernel, s *sim.Sim) error { return s.RunFor(100) },
		"RunTo":    func(_ *rtos.Kernel, s *sim.Sim) error { return s.RunTo(func() bool { return false }, 100) },
		"Settle":   func(_ *rtos.Kernel, s *sim.Sim) error { return s.Settle() },
		"Step": func(_ *rtos.Kernel, s *sim.Sim) error {
			for {
				if more, err := s.Step(); !more || err != nil {
					return err
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			k, s := newSim(t, sim.Options{})
			boom := errors.New("boom")
			unwound := false
			spawn(t, k, "waits", 1, func(me *rtos.Task) {
				defer func() { unwound = true }()
				_ = me.Delay(rtos.Forever)
			})
			spawn(t, k, "bad", 2, func(me *rtos.Task) {
				assert.NoError(t, me.Delay(k.Ticks(5)))
				panic(boom)
			})
			var p *rtos.PanicError
			require.ErrorAs(t, drive(k, s), &p)
			assert.Equal(t, "bad", p.Task)
			assert.ErrorIs(t, p, boom)
			assert.True(t, unwound)
			assert.Zero(t, k.NumTasks())
			assert.Same(t, error(p), k.Err())
			assert.Same(t, error(p), s.Close())
			if name != "Run" {
				misuses(t, "Sim.Settle", "the kernel has ended", func() { _ = s.Settle() })
			}
		})
	}
}

func TestDrivesOfAStoppedKernel(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	spawn(t, k, "stops", 1, func(me *rtos.Task) {
		assert.NoError(t, me.Delay(k.Ticks(5)))
		k.Stop()
	})
	require.NoError(t, s.RunUntil(10), "which is where it is stopped")
	assert.EqualValues(t, 5, s.Time())
	assert.ErrorIs(t, s.RunUntil(10), rtos.ErrStopped)
	assert.ErrorIs(t, s.Settle(), rtos.ErrStopped)
	require.NoError(t, k.Run(t.Context()))
	misuses(t, "Sim.RunUntil", "has ended", func() { _ = s.RunUntil(10) })
}

// A simulation is driven from outside, by one goroutine.
func TestDrivingFromInsideIsMisuse(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	asked := 0
	drives := func() {
		asked++
		for op, f := range map[string]func(){
			"Sim.RunUntil": func() { _ = s.RunUntil(100) },
			"Sim.RunFor":   func() { _ = s.RunFor(100) },
			"Sim.RunTo":    func() { _ = s.RunTo(func() bool { return false }, 100) },
			"Sim.Settle":   func() { _ = s.Settle() },
			"Sim.Step":     func() { _, _ = s.Step() },
			"Sim.Close":    func() { _ = s.Close() },
		} {
			misuses(t, op, "from inside", f)
		}
	}
	spawn(t, k, "a", 1, func(*rtos.Task) { drives() })
	s.At(3, func(*rtos.ISR) { drives() })
	assert.ErrorIs(t, s.RunTo(func() bool { drives(); return false }, 5), rtos.ErrTimeout)
	assert.Greater(t, asked, 3)
	require.NoError(t, s.RunUntil(10), "nothing was broken")
}

// Kernel.Run called by a task is misuse; the run that calls the task is not harmed.
func TestRunFromInsideIsMisuse(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	unwound := false
	spawn(t, k, "a", 1, func(me *rtos.Task) {
		defer func() { unwound = true }()
		misuses(t, "Kernel.Run", "from inside", func() { _ = k.Run(context.Background()) })
		_ = me.Delay(rtos.Forever)
	})
	require.NoError(t, s.RunUntil(10))
	assert.False(t, unwound)
	assert.False(t, k.Stopping())
	assert.EqualValues(t, 10, s.Time())
	require.NoError(t, s.Close())
	assert.True(t, unwound)
}

func TestCloseUnwindsWhatIsLeft(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	m := rtos.NewMutex("m")
	var log []string
	for _, name := range []string{"a", "b"} {
		spawn(t, k, name, 1, func(me *rtos.Task) {
			defer func() { log = append(log, name) }()
			if m.Lock(me) == nil {
				defer func() { _ = m.Unlock(me) }()
			}
			_ = me.Delay(rtos.Forever)
		})
	}
	require.NoError(t, s.RunUntil(10))
	require.NoError(t, s.Close())
	assert.Len(t, log, 2)
	assert.Zero(t, k.NumTasks())
	assert.Nil(t, m.Holder())
	require.NoError(t, s.Close(), "again")
	assert.ErrorIs(t, s.Inject(func(*rtos.ISR) {}), rtos.ErrStopped)
	assert.ErrorIs(t, k.Run(t.Context()), rtos.ErrStopped)
}
