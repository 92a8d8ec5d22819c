package conformance

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
)

// The scenarios as programs for tasks that run in parallel, on goroutines in fake time. There
// is no order, so there is no trace to compare; but nothing may be lost or be there twice, and
// when nothing moves nobody waits for what is there.

// parallel is a scenario that runs so.
type parallel struct {
	*testing.T
	runner
	how    parallelSetup
	mu     sync.Mutex
	latest []*rtos.Task // the task that was last made of each definition
	ledger []ledger     // by object
	simple bool         // loans are exact
	work   sync.WaitGroup
}

type parallelSetup struct {
	setup
	adopt   bool // every second task is a goroutine that was adopted
	cleanUp bool // what is left of the script of a task that is deleted runs in a deferred function
}

func runParallel(t *testing.T, s *Scenario, how parallelSetup) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := &parallel{T: t, how: how, latest: make([]*rtos.Task, len(s.Tasks)), ledger: make([]ledger, len(s.Objects)), simple: isSimple(s)}
	p.runner = runner{setup: how.setup, scenario: s, ctx: ctx}
	p.deadline = func(d time.Duration) (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, d) }
	var err error
	p.kernel, err = rtos.New(rtos.Config{
		Tasks:       max(minTasks, how.tasks),
		Priorities:  topPriority + 1,
		NotifySlots: slots,
		Robust:      how.extras,
		RunTime:     how.extras,
		Logger:      slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	for i := range s.Objects {
		p.objects = append(p.objects, objectKinds[s.Objects[i].Kind](&s.Objects[i]))
	}
	_, err = p.kernel.Spawn("keeper", 0, func(t *rtos.Task) { _ = t.SuspendSelf() }) // adopted tasks do not keep a kernel
	require.NoError(t, err)
	for i := range s.Tasks {
		if s.Tasks[i].Start {
			p.create(i)
		}
	}
	for i := range s.Interrupts {
		p.work.Go(func() { p.interrupt(&s.Interrupts[i]) })
	}
	over := make(chan error, 1)
	go func() { over <- p.kernel.Run(ctx) }()
	for range min(s.End, 200) {
		time.Sleep(p.kernel.Ticks(1))
		synctest.Wait()
		p.quiet()
	}
	p.kernel.Stop()
	assert.NoError(t, <-over)
	p.work.Wait()
	p.balance()
	assert.Zero(t, p.kernel.NumTasks())
	for _, task := range p.latest {
		if task != nil {
			assert.ErrorIs(t, task.NotifyGive(), rtos.ErrDeleted)
			assert.ErrorIs(t, task.Delay(0), rtos.ErrDeleted)
		}
	}
	p.orphans()
}

// create makes a task, unless it is there.
func (p *parallel) create(index int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.latest[index]; t != nil && t.State() != rtos.StateDeleted {
		return
	}
	def := &p.scenario.Tasks[index]
	var t *rtos.Task
	var err error
	if p.how.adopt && index%2 == 1 {
		t, err = p.kernel.Adopt(def.ID, def.Priority)
		if err == nil {
			p.work.Go(func() {
				p.script(t, def)
				assert.NoError(p, t.Release())
			})
		}
	} else {
		t, err = p.kernel.Spawn(def.ID, def.Priority, func(t *rtos.Task) { p.script(t, def) })
	}
	if err != nil {
		assert.ErrorIs(p, err, rtos.ErrStopped)
		return
	}
	p.latest[index] = t
}

func (p *parallel) target(index int) *rtos.Task {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.latest[index]
}

func (p *parallel) script(t *rtos.Task, def *Task) {
	self := &scripted{task: t, reference: p.kernel.Now()}
	pc := 0
	rest := func() {
		for pc < len(def.Script) {
			c := call{run: &p.runner, op: &def.Script[pc], self: self, task: t, target: t}
			pc++
			p.perform(&c, taskOps)
		}
	}
	if p.how.cleanUp {
		defer rest()
	}
	rest()
	var err error
	for err == nil && caught(func() { err = t.SuspendSelf() }) == nil {
	}
}

func (p *parallel) interrupt(def *Interrupt) {
	time.Sleep(p.kernel.Ticks(def.At))
	p.kernel.Interrupt(func(isr *rtos.ISR) {
		for pc := range def.Ops {
			c := call{run: &p.runner, op: &def.Ops[pc], isr: isr}
			p.perform(&c, isrOps)
		}
	})
}

// caught is the misuse that f was refused for.
func caught(f func()) (misuse *rtos.MisuseError) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *rtos.MisuseError:
			misuse = v
		default:
			panic(v)
		}
	}()
	f()
	return nil
}

// perform does one operation and keeps the ledger. What is misuse is refused, and the task
// goes on.
func (p *parallel) perform(c *call, ops map[string]func(*call)) {
	if c.op.Obj >= 0 {
		c.obj = p.objects[c.op.Obj]
	}
	if c.op.To != Self {
		if c.target = p.target(c.op.To); c.target == nil && c.op.Name != "create" {
			return
		}
	}
	do := func() { ops[c.op.Name](c) }
	switch c.op.Name {
	case "catchup": // time is the same for all
	case "create":
		p.create(c.op.To)
	case "delete":
		c.target.Delete()
	case "work":
		for end := p.kernel.Now() + c.ticks(c.op.N); p.kernel.Now() < end; time.Sleep(p.kernel.Ticks(1)) {
			if c.task.Checkpoint() != nil {
				return
			}
		}
	case "take", "rtake", "give", "rgive":
		p.token(c, do)
	case "qsend", "qsendfront", "qrecv":
		p.item(c, do)
	default:
		caught(do)
	}
}

// runAnyhow runs a scenario, and one that is made of it if the seed is not 0, in some form of the
// calls on some kernel.
func runAnyhow(t *testing.T, index, seed uint64) {
	s := parsed()[index%uint64(len(parsed()))]
	if s.Unsupported() != "" {
		return
	}
	rng := rand.New(rand.NewPCG(index, seed))
	if seed != 0 {
		s = copyOf(t, s)
		shuffle(s, rng)
	}
	how := parallelSetup{setup{
		forms:  forms(rng.IntN(4)),
		tasks:  rng.IntN(2) * 500,
		extras: rng.IntN(2) == 0,
	}, rng.IntN(2) == 0, rng.IntN(2) == 0}
	synctest.Test(t, func(t *testing.T) { runParallel(t, s, how) })
}

func TestRunParallel(t *testing.T) {
	for i, s := range parsed() {
		if s.Unsupported() != "" {
			continue
		}
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("%s seed %d", shortName(s.File), seed), func(t *testing.T) { runAnyhow(t, uint64(i), seed) })
		}
	}
}
