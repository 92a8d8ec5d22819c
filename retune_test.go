package rtos_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
)

// retuner is the goroutine port as one to whom priorities mean something.
type retuner struct {
	rtos.Port
	mu    sync.Mutex
	calls []string
}

func (p *retuner) Bind(k *rtos.Kernel) (rtos.Traits, error) {
	traits, err := p.Port.Bind(k)
	traits.Retunes = true
	return traits, err
}

func (p *retuner) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, fmt.Sprintf(format, args...))
}

func (p *retuner) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}

// until waits until these calls have come last.
func (p *retuner) until(t *rtos.Task, calls ...string) {
	for {
		if all := p.all(); len(all) >= len(calls) && slices.Equal(all[len(all)-len(calls):], calls) {
			return
		}
		_ = t.Delay(time.Millisecond)
	}
}

func (p *retuner) Retune(t *rtos.Task) { p.note("%v has %d", t, t.Priority()) }

func (p *retuner) Ready(t *rtos.Task, from rtos.Origin) bool {
	if t.Name() == "high" && from == rtos.FromTask {
		p.note("%v is ready", t)
	}
	return p.Port.Ready(t, from)
}

// Where tasks run in parallel a port may ask to be told of priorities. At the give of a
// mutex it hears of the giver's fall only after the heir has been woken: a thread that
// falls back could be kept from waking it by tasks in between.
func TestRetuneWhereTasksRunInParallel(t *testing.T) {
	p := &retuner{Port: rtos.NewGoroutinePort()}
	k, err := rtos.New(rtos.Config{Port: p})
	require.NoError(t, err)
	var m rtos.Mutex
	var high *rtos.Task
	var taken atomic.Bool
	_, err = k.Spawn("low", 1, func(task *rtos.Task) {
		_ = m.Lock(task)
		taken.Store(true)
		p.until(task, "low has 5") // high is in the waiter set
		_ = m.Unlock(task)
		p.until(task, "high is ready", "low has 1")
		high.SetPriority(7)
		high.SetPriority(7)
		_ = high.NotifyGive()
	})
	require.NoError(t, err)
	high, err = k.Spawn("high", 5, func(t *rtos.Task) {
		for !taken.Load() {
			_ = t.Delay(time.Millisecond)
		}
		_ = m.Lock(t)
		_ = m.Unlock(t)
		_, _ = t.NotifyTake(true, rtos.Forever)
	})
	require.NoError(t, err)
	require.NoError(t, k.Run(context.Background()))
	assert.Equal(t, []string{"low has 5", "high is ready", "low has 1", "high has 7"}, p.all()[:4])
}
