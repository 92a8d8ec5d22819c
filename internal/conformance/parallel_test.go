package conformance

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
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

// ledger counts what was said to have happened to an object.
type ledger struct {
	given, taken atomic.Int64
	owner        atomic.Pointer[rtos.Task] // of a mutex
	depth        int                       // of a recursive one, the owner's
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
	default:
		caught(do)
	}
}

// token does what takes or gives.
func (p *parallel) token(c *call, do func()) {
	book := &p.ledger[c.op.Obj]
	takes := c.op.Name == "take" || c.op.Name == "rtake"
	held, isMutex := c.obj.(holder)
	if isMutex && c.task == nil {
		return // of a mutex in an interrupt: only a scheduler can tell that it is one
	}
	mine := isMutex && book.owner.Load() == c.task
	if c.op.Guard && mine == takes {
		return
	}
	if mine {
		assert.Same(p, c.task, held.holder(), "its own mutex")
		switch {
		case takes:
			book.depth++ // if it is recursive
		case book.depth > 0:
			book.depth--
		default:
			book.owner.Store(nil) // before anybody else can have it
		}
	}
	misuse := caught(do)
	ok := misuse == nil && c.ret.Num == 1
	switch {
	case mine && takes:
		assert.False(p, ok && c.op.Name == "take", "taken twice")
		if !ok { // it may be about to end
			book.depth--
		}
	case mine:
		assert.True(p, ok, "%s of its own: %v", c.op.Name, misuse)
	case isMutex && takes && ok:
		before := book.owner.Load()
		if before != nil {
			assert.True(p, p.how.extras && isEnding(before), "two owners")
			book.depth = 0
		}
		assert.True(p, book.owner.CompareAndSwap(before, c.task), "two owners")
	case isMutex:
		assert.False(p, ok, "given by another")
	case ok && takes:
		book.taken.Add(1)
	case ok:
		book.given.Add(1)
	}
}

// isEnding tells whether t is a task that ends, or has.
func isEnding(t *rtos.Task) bool {
	select {
	case <-t.Done():
		return true
	case <-time.After(time.Second): // of fake time: when nothing moves any more
		return false
	}
}

// quiet checks what holds when nothing moves.
func (p *parallel) quiet() {
	p.balance()
	for i, o := range p.objects {
		id := p.scenario.Objects[i].ID
		switch o := o.(type) {
		case semaphoreObject:
			info := o.s.Info()
			assert.False(p, info.Count > 0 && len(info.Waiters) > 0, "%s has %d tokens and %v waiting", id, info.Count, info.Waiters)
		case mutexObject:
			p.free(id, o.m.Info())
		case recursiveObject:
			p.free(id, o.m.Info())
		}
	}
	for t := range p.kernel.Tasks() {
		info := t.Info()
		if held, lent := p.holds(t); len(held) == 0 || p.simple {
			assert.Equal(p, max(info.BasePriority, lent), info.Priority, "%s holds %v", info.Name, held)
		}
		for slot, n := range info.Notify {
			if n.State == rtos.NotifyWaiting {
				assert.Equal(p, rtos.StateBlocked, info.State, "%s seems to wait in slot %d", info.Name, slot)
			}
		}
	}
}

// holds tells which mutexes t holds and the highest priority of those that wait for them.
func (p *parallel) holds(t *rtos.Task) (held []string, lent int) {
	for i := range p.ledger {
		if p.ledger[i].owner.Load() != t {
			continue
		}
		held = append(held, p.scenario.Objects[i].ID)
		var info rtos.MutexInfo
		switch o := p.objects[i].(type) {
		case mutexObject:
			info = o.m.Info()
		case recursiveObject:
			info = o.m.Info()
		}
		for _, w := range info.Waiters {
			lent = max(lent, w.Priority())
		}
	}
	return held, lent
}

// isSimple tells whether loans are exact: there is one mutex, and nothing happens by which
// FreeRTOS leaves a loan where it is or keeps one away.
func isSimple(s *Scenario) bool {
	mutexes := 0
	for i := range s.Objects {
		if kind := s.Objects[i].Kind; kind == "mutex" || kind == "recursive" {
			mutexes++
		}
	}
	for i := range s.Tasks {
		for pc := range s.Tasks[i].Script {
			switch s.Tasks[i].Script[pc].Name {
			case "suspend", "delete", "prioset":
				return false
			}
		}
	}
	return mutexes == 1
}

func (p *parallel) free(id string, info rtos.MutexInfo) {
	assert.False(p, !info.Locked && len(info.Waiters) > 0, "%s is free and %v waiting", id, info.Waiters)
}

// balance compares the objects with the ledger.
func (p *parallel) balance() {
	for i, o := range p.objects {
		def, book := &p.scenario.Objects[i], &p.ledger[i]
		switch o := o.(type) {
		case semaphoreObject:
			want := int64(def.Initial) + book.given.Load() - book.taken.Load()
			assert.EqualValues(p, want, o.s.Count(), "tokens of %s", def.ID)
			assert.LessOrEqual(p, o.s.Count(), o.s.Info().Max, def.ID)
		case holder:
			if owner := book.owner.Load(); owner == nil || owner.State() != rtos.StateDeleted {
				assert.Same(p, owner, o.holder(), "holder of %s", def.ID)
			}
		}
	}
}

// orphans compares what the kernel says of mutexes that nobody gave with the ledger.
func (p *parallel) orphans() {
	var want, got []string
	for i := range p.ledger {
		if owner := p.ledger[i].owner.Load(); owner != nil {
			want = append(want, p.scenario.Objects[i].ID+" of "+owner.Name())
		}
	}
	for _, o := range p.kernel.Orphans() {
		got = append(got, o.Mutex+" of "+o.Owner)
	}
	assert.ElementsMatch(p, want, got)
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
