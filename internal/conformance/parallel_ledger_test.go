package conformance

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
)

// ledger counts what was said to have happened to an object.
type ledger struct {
	given, taken atomic.Int64
	owner        atomic.Pointer[rtos.Task] // of a mutex
	depth        int                       // of a recursive one, the owner's
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
	unwound := true
	defer func() {
		if unwound && mine && takes {
			book.depth--
		}
	}()
	misuse := caught(do)
	unwound = false
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

// item does what sends or receives; the values count as tokens, too.
func (p *parallel) item(c *call, do func()) {
	if caught(do) != nil || c.ret.Num != 1 {
		return
	}
	if book := &p.ledger[c.op.Obj]; c.op.Name == "qrecv" {
		book.taken.Add(itemWorth(uint32(c.val.Num)))
	} else {
		book.given.Add(itemWorth(c.op.Value))
	}
}

// itemWorth makes the balance of a queue tell how many items there are and what they are.
func itemWorth(v uint32) int64 { return 1<<40 + int64(v) }

// drops tells whether the scenario throws away items of an object.
func (p *parallel) drops(obj int) bool {
	scripts := [][]Op{}
	for i := range p.scenario.Tasks {
		scripts = append(scripts, p.scenario.Tasks[i].Script)
	}
	for i := range p.scenario.Interrupts {
		scripts = append(scripts, p.scenario.Interrupts[i].Ops)
	}
	return slices.ContainsFunc(slices.Concat(scripts...), func(o Op) bool {
		return o.Obj == obj && (o.Name == "qreset" || o.Name == "qoverwrite")
	})
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
		case queueObject:
			info := o.q.Info()
			assert.False(p, info.Len > 0 && len(info.Receivers) > 0, "%s has %d items and %v waiting", id, info.Len, info.Receivers)
			assert.False(p, info.Len < info.Cap && len(info.Senders) > 0, "%s has room and %v waiting", id, info.Senders)
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
		case queueObject:
			var worth int64
			for _, v := range o.q.Items() {
				worth += itemWorth(v)
			}
			if !p.drops(i) {
				assert.Equal(p, book.given.Load()-book.taken.Load(), worth, "items of %s", def.ID)
			}
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
