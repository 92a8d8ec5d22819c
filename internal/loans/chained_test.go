package loans

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/tickwake/rtos"
)

func TestMain(m *testing.M) {
	flag.Parse()
	moreChecks()
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("runtime.handleEvent"))
}

// moreChecks makes 300 programs the default: rapid's 100 find the simple mistakes.
func moreChecks() {
	given := testing.Short()
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		_ = flag.Set("rapid.checks", "300")
	}
}

// chained is the policy InheritChained.
type chained struct{ w *world }

func (c chained) began(*rtos.Task, lockable)         {}
func (c chained) failed(*rtos.Task, lockable, error) {}
func (c chained) gives(*rtos.Task, lockable)         {}
func (c chained) sets(*rtos.Task, int)               {}

func (c chained) check() error {
	w := c.w
	infos := w.infos()
	waits := Look(w.k, infos)
	err := waits.Chained()
	for _, m := range infos {
		err = errors.Join(err, c.ordered(m.Name, m.Waiters))
	}
	err = errors.Join(err, c.ordered("s", w.sem.Info().Waiters))
	for t, m := range waits.wants {
		ring := waits.Ring(t, m)
		if ring != nil && !slices.ContainsFunc(ring, func(q *rtos.Task) bool { return !w.unlimited[q] }) {
			err = errors.Join(err, fmt.Errorf("%s is in a ring that never ends", t))
		}
		if ring != nil {
			w.seen["a ring for a time"]++
		}
	}
	return errors.Join(err, w.ranks())
}

// ordered: waiters stand by their present priority, equals as they came.
func (c chained) ordered(name string, waiters []*rtos.Task) error {
	for i := range max(0, len(waiters)-1) {
		x, y := waiters[i], waiters[i+1]
		if x.Priority() < y.Priority() || x.Priority() == y.Priority() && c.w.arrived[x] > c.w.arrived[y] {
			return fmt.Errorf("%s (e%d, came %d) stands before %s (e%d, came %d) at %s", x, x.Priority(), c.w.arrived[x],
				y, y.Priority(), c.w.arrived[y], name)
		}
	}
	return nil
}

// ranks: who has the processor outranks all that are ready.
func (w *world) ranks() error {
	cur := w.k.Current()
	if !w.atRest {
		return nil
	}
	have := -1
	if cur != nil {
		have = cur.Priority()
	}
	for t := range w.k.Tasks() {
		if t.State() == rtos.StateReady && t.Priority() > have {
			return fmt.Errorf("%v runs, and %s is ready at %d", cur, t, t.Priority())
		}
	}
	return nil
}

func TestChainedInvariant(t *testing.T) {
	seen := map[string]int{}
	for _, interrupts := range []bool{false, true} {
		t.Run(fmt.Sprintf("interrupts %t", interrupts), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := drawProgram(t, interrupts)
				judge(t, p, rtos.InheritChained, seen, func(w *world) policy { return chained{w} })
			})
		})
	}
	t.Log(seen)
	for _, what := range []string{"ring of 2", "a ring for a time"} {
		assert.Positive(t, seen[what], what)
	}
}
