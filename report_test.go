package rtos_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// everyWait makes a task for each kind of wait, all of which L, the holder, sees.
func everyWait(t *testing.T, k *rtos.Kernel, look func(l *rtos.Task)) {
	m, none, r := rtos.NewMutex("m"), new(rtos.Mutex), rtos.NewRecursiveMutex("r")
	dead := rtos.NewMutex("dead")
	spawn(t, k, "L", 1, func(l *rtos.Task) {
		for _, held := range []lockable{m, none, r} {
			assert.NoError(t, held.Lock(l))
		}
		ghost := spawn(t, k, "ghost", 2, func(g *rtos.Task) { assert.NoError(t, dead.Lock(g)) })
		let(t, l, "ghost ends", func() bool { return ghost.State() == rtos.StateDeleted })
		for i, wait := range []func(w *rtos.Task) error{
			m.Lock,
			func(w *rtos.Task) error { return r.LockFor(w, time.Hour) },
			none.Lock,
			dead.Lock,
			rtos.NewBinary("b").Take,
			rtos.NewCounting("", 2, 0).Take,
			func(w *rtos.Task) error { _, err := w.NotifyTake(true, rtos.Forever); return err },
			func(w *rtos.Task) error { _, err := w.NotifyWait(rtos.NotifyWait{Slot: 2}, time.Hour); return err },
			func(w *rtos.Task) error { return w.Delay(time.Hour) },
			func(w *rtos.Task) error { return w.SuspendSelf() },
		} {
			name := "W" + string(rune('0'+i))
			w := spawn(t, k, name, 2+i%2, func(w *rtos.Task) { _ = wait(w) })
			let(t, l, name+" waits", func() bool { return isWaiting(w) && (i != 2 || len(none.Info().Waiters) == 1) })
		}
		look(l)
	})
}

const wholeReport = `task             state     prio base  waits for
L                Running      3    1  
W0               Blocked      2    2  mutex "m", held by "L"
W1               Blocked      3    3  mutex "r", held by "L"
W2               Blocked      2    2  a mutex, held by "L"
W3               Blocked      3    3  mutex "dead"
W4               Blocked      2    2  binary "b"
W5               Blocked      3    3  a counting
W6               Blocked      2    2  notification in slot 0
W7               Blocked      3    3  notification in slot 2
W8               Blocked      2    2  time
W9               Suspended    3    3  
orphaned mutex "dead", owner "ghost" ended at`

// failingWriter takes n bytes.
type failingWriter struct{ n int }

var errFull = errors.New("full")

func (w failingWriter) Write(p []byte) (int, error) { return min(w.n, len(p)), errFull }

// The report tells of every task what it waits for, and who holds that.
func TestReportIsComplete(t *testing.T) {
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		everyWait(t, k, func(l *rtos.Task) {
			eventually(t, "the loan", func() bool { return l.Priority() == 3 })
			text := k.String()
			head, orphans, _ := strings.Cut(text, " ended at")
			assert.Equal(t, wholeReport, head+" ended at")
			assert.Regexp(t, `^ \S+\n$`, orphans)

			var b bytes.Buffer
			n, err := k.WriteTo(&b)
			assert.NoError(t, err)
			assert.Equal(t, int64(len(text)), n)
			assert.Equal(t, text, b.String())
			n, err = k.WriteTo(failingWriter{3})
			assert.Equal(t, errFull, err)
			assert.Equal(t, int64(3), n)
			k.Stop()
		})
		finish(t, k)
		assert.True(t, strings.HasPrefix(k.String(), "task  "), "also of an ended kernel")
	})
}

// A kernel that is stopped with tasks blocked logs, once, what they wait for and who
// holds it; one whose tasks are not blocked logs nothing.
func TestStopLogsWhatIsBlocked(t *testing.T) {
	for name, port := range worlds {
		t.Run(name, func(t *testing.T) {
			var book logBook
			k := newKernel(t, rtos.Config{Port: port(), Logger: book.logger()})
			everyWait(t, k, func(*rtos.Task) {
				k.Stop()
				k.Stop()
			})
			finish(t, k)
			log := book.String()
			assert.Equal(t, 1, strings.Count(log, "kernel stopped with blocked tasks"), log)
			for _, line := range []string{
				`mutex \"m\", held by \"L\"`, `mutex \"r\", held by \"L\"`, `a mutex, held by \"L\"`, `binary \"b\"`,
				"notification in slot 2", "W9               Suspended", `orphaned mutex \"dead\"`,
			} {
				assert.Contains(t, log, line)
			}

			book = logBook{}
			k = newKernel(t, rtos.Config{Port: port(), Logger: book.logger()})
			spawn(t, k, "a", 1, func(*rtos.Task) { k.Stop() })
			finish(t, k)
			k.Stop()
			assert.Empty(t, book.String())
		})
	}
}

// A run that was cancelled logs the same.
func TestCancelledRunLogsWhatIsBlocked(t *testing.T) {
	var book logBook
	k, s := newSim(t, sim.Options{}, rtos.Config{Logger: book.logger()})
	everyWait(t, k, func(l *rtos.Task) { _ = l.SuspendSelf() })
	require.NoError(t, s.RunUntil(1000))
	var deadlock *sim.DeadlockError
	assert.ErrorAs(t, k.Run(t.Context()), &deadlock, "L is suspended and holds what others wait for")
	assert.Contains(t, book.String(), `mutex \"m\", held by \"L\"`)
	assert.Contains(t, book.String(), "L                Suspended")
}

func TestDefaultLoggerIsSlogs(t *testing.T) {
	var book logBook
	old := slog.Default()
	defer slog.SetDefault(old)
	slog.SetDefault(book.logger())
	k, err := rtos.New(rtos.Config{})
	require.NoError(t, err)
	me := adopted(t, k, "me", 1)
	require.NoError(t, rtos.NewMutex("left").Lock(me))
	require.NoError(t, me.Release())
	assert.Contains(t, book.String(), "left")
}

// With Config.RunTime the report says how long each task has run, exactly in virtual time.
func TestReportTellsRunTime(t *testing.T) {
	k, _ := newSim(t, sim.Options{}, rtos.Config{RunTime: true, Tick: time.Second})
	idle := spawn(t, k, "idle", 1, func(me *rtos.Task) { _, _ = me.NotifyTake(true, rtos.Forever) })
	spawn(t, k, "busy", 2, func(me *rtos.Task) {
		assert.NoError(t, me.Delay(2*time.Second))
		me.Work(3 * time.Second)
		assert.Equal(t, `task             state     prio base  waits for
idle             Blocked      1    1  notification in slot 0  ran 0s
busy             Running      2    2    ran 3s
`, k.String())
		assert.NoError(t, idle.NotifyGive())
	})
	finish(t, k)
}

func TestStatesHaveNames(t *testing.T) {
	var names []string
	for s := rtos.StateReady; s <= rtos.StateDeleted; s++ {
		names = append(names, s.String())
	}
	assert.Equal(t, []string{"Ready", "Running", "Blocked", "Suspended", "Deleted"}, names)
}
