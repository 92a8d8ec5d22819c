package loans

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/tickwake/rtos"
)

// freertos is the policy InheritFreeRTOS, as the reference describes it (FORMAT.md
// section 4 rule 12): a book of what every task must have, kept by what happens.
type freertos struct {
	w      *world
	levels map[*rtos.Task]*level
}

type level struct {
	base, eff int
	lent      bool // the holder may owe the present wait something
	rank      int  // effective priority when the present wait began
}

func (f freertos) of(t *rtos.Task) *level {
	l := f.levels[t]
	if l == nil { // just made
		l = &level{base: t.BasePriority(), eff: t.BasePriority()}
		f.levels[t] = l
	}
	return l
}

// began: the holder gets the priority of who begins to wait, and nobody else does.
func (f freertos) began(t *rtos.Task, m lockable) {
	me := f.of(t)
	me.lent, me.rank = false, me.eff
	if h := m.Holder(); h != nil {
		l := f.of(h)
		me.lent = l.base < me.eff
		l.eff = max(l.eff, me.eff)
	}
}

// failed: the holder falls to what its other waiters lend, if it holds one mutex.
func (f freertos) failed(t *rtos.Task, m lockable, err error) {
	me, h := f.of(t), m.Holder()
	if !me.lent || h == nil || err == rtos.ErrWouldBlock { // a poll
		return
	}
	me.lent = false
	if f.holds(h) > 1 {
		return
	}
	l := f.of(h)
	l.eff = l.base
	if first := f.first(m); first != nil {
		l.eff = max(l.eff, f.of(first).rank)
	}
}

// first is the waiter of the highest priority when it came, of equals the first.
func (f freertos) first(m lockable) (best *rtos.Task) {
	for _, t := range m.Info().Waiters {
		if best == nil || f.of(t).rank > f.of(best).rank || f.of(t).rank == f.of(best).rank && f.w.arrived[t] < f.w.arrived[best] {
			best = t
		}
	}
	return best
}

// gives: with the last mutex all loans end.
func (f freertos) gives(t *rtos.Task, _ lockable) {
	if f.holds(t) == 1 {
		f.of(t).eff = f.of(t).base
	}
}

// sets: the effective priority follows the base unless it is inherited and higher.
func (f freertos) sets(t *rtos.Task, prio int) {
	l := f.of(t)
	if l.base == prio {
		return
	}
	if l.eff == l.base || prio > l.eff {
		l.eff = prio
	}
	l.base = prio
}

func (f freertos) holds(t *rtos.Task) (n int) {
	for _, m := range f.w.mutexes {
		if m.Holder() == t {
			n++
		}
	}
	return n
}

func (f freertos) check() error {
	infos := f.w.infos()
	for t := range f.w.k.Tasks() {
		l := f.of(t)
		if t.Priority() != l.eff || t.BasePriority() != l.base {
			return fmt.Errorf("%s is e%d/b%d, want e%d/b%d %v", t, t.Priority(), t.BasePriority(), l.eff, l.base, Look(f.w.k, infos))
		}
		if f.holds(t) == 0 && l.eff != l.base {
			return fmt.Errorf("%s holds nothing and is e%d/b%d", t, l.eff, l.base)
		}
	}
	for i, m := range f.w.mutexes {
		if first := f.first(m); first != nil && infos[i].Waiters[0] != first {
			return fmt.Errorf("%s is first at %s, want %s", infos[i].Waiters[0], infos[i].Name, first)
		}
	}
	return nil
}

func TestFreeRTOSRule(t *testing.T) {
	seen := map[string]int{}
	for _, interrupts := range []bool{false, true} {
		t.Run(fmt.Sprintf("interrupts %t", interrupts), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := drawProgram(t, interrupts)
				p.compat = 0
				judge(t, p, rtos.InheritFreeRTOS, seen, func(w *world) policy {
					return freertos{w, map[*rtos.Task]*level{}}
				})
			})
		})
	}
	t.Log(seen)
	for _, what := range []string{rtos.ErrTimeout.Error(), rtos.ErrAborted.Error()} {
		assert.Positive(t, seen[what], what)
	}
}

// judge runs a program and fails if the policy finds anything wrong.
func judge(t interface{ Fatalf(string, ...any) }, p program, inheritance rtos.Inheritance, seen map[string]int, of func(*world) policy) {
	w, err := newWorld(p, inheritance, of)
	if err == nil {
		err = w.run()
	}
	if err != nil {
		t.Fatalf("%v\n%v\n%s", err, p, w.log.String())
	}
	for what, n := range w.seen {
		seen[what] += n
	}
}
