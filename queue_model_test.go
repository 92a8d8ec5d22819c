package rtos

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// queueOwner is an adopted task of a kernel of its own.
func queueOwner(t *testing.T) *Task {
	t.Helper()
	k, err := New(Config{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	me, err := k.Adopt("me", 1)
	require.NoError(t, err)
	t.Cleanup(func() { _ = me.Release() })
	return me
}

// nearTheEnd are turns from which a ring starts: the last ones wrap within a few laps.
var nearTheEnd = []uint64{0, 1, 2, 3, 1<<41 - 1, 1<<41 - 2, 1<<41 - 5, 1<<40 - 1}

// Any sequence of calls does what it does to a list, whatever the length and wherever the
// turns begin, and no box is lost or doubled.
func TestQueueIsAList(t *testing.T) {
	me := queueOwner(t)
	rapid.Check(t, func(r *rapid.T) {
		length := rapid.IntRange(1, 5).Draw(r, "length")
		q := newQueue[*int]("q", length, rapid.SampledFrom(nearTheEnd).Draw(r, "turn"))
		var list []*int
		item := func() *int { return new(int) }
		sent := func(ok bool, v *int, front bool) {
			require.Equal(r, len(list) < length, ok)
			switch {
			case !ok:
			case front:
				list = append([]*int{v}, list...)
			default:
				list = append(list, v)
			}
		}
		got := func(v *int, ok bool) {
			require.Equal(r, len(list) > 0, ok)
			if ok {
				require.Same(r, list[0], v)
			} else {
				require.Nil(r, v)
			}
		}
		received := func(v *int, ok bool) {
			if got(v, ok); ok {
				list = list[1:]
			}
		}
		interrupt := func(f func(isr *ISR)) { me.k.Interrupt(f) }
		r.Repeat(map[string]func(*rapid.T){
			"TrySend":      func(*rapid.T) { v := item(); sent(q.TrySend(me, v), v, false) },
			"SendFor":      func(*rapid.T) { v := item(); sent(q.SendFor(me, v, 0) == nil, v, false) },
			"TrySendFront": func(*rapid.T) { v := item(); sent(q.TrySendFront(me, v), v, true) },
			"TrySendFromISR": func(*rapid.T) {
				v := item()
				interrupt(func(isr *ISR) { sent(q.TrySendFromISR(isr, v), v, false) })
			},
			"TrySendFrontFromISR": func(*rapid.T) {
				v := item()
				interrupt(func(isr *ISR) { sent(q.TrySendFrontFromISR(isr, v), v, true) })
			},
			"Overwrite": func(r *rapid.T) {
				if length > 1 {
					r.Skip("too long")
				}
				list = []*int{item()}
				if rapid.Bool().Draw(r, "interrupt") {
					interrupt(func(isr *ISR) { q.OverwriteFromISR(isr, list[0]) })
				} else {
					q.Overwrite(list[0])
				}
			},
			"TryRecv": func(*rapid.T) { received(q.TryRecv(me)) },
			"RecvFor": func(*rapid.T) {
				v, err := q.RecvFor(me, 0)
				received(v, err == nil)
			},
			"TryRecvFromISR": func(*rapid.T) { interrupt(func(isr *ISR) { received(q.TryRecvFromISR(isr)) }) },
			"TryPeek":        func(*rapid.T) { got(q.TryPeek(me)) },
			"TryPeekFromISR": func(*rapid.T) { interrupt(func(isr *ISR) { got(q.TryPeekFromISR(isr)) }) },
			"Reset":          func(*rapid.T) { q.Reset(); list = nil },
			"": func(r *rapid.T) {
				require.Equal(r, len(list), q.Len())
				require.Equal(r, length-len(list), q.Free())
				items := q.Items()
				require.Len(r, items, len(list))
				for i := range list {
					require.Same(r, list[i], items[i])
				}
				require.Equal(r, len(list) == 0, q.ring.isEmpty())
				require.Equal(r, len(list) == length, q.ring.isFull())
				require.NoError(r, boxesAddUp(q, me))
			},
		})
	})
}

// boxesAddUp checks a queue at rest: every box that was ever used is in one place, a cell,
// a spare of one of the tasks or the pool; nobody reads one; and what is in no full cell
// holds no value.
func boxesAddUp[T comparable](q *Queue[T], tasks ...*Task) error {
	r := q.ring
	where := map[uint64]string{}
	full := map[uint64]bool{}
	var err error
	note := func(box uint64, place string) {
		if other, twice := where[box]; twice {
			err = fmt.Errorf("box %d is in %s and in %s", box, other, place)
		}
		where[box] = place
	}
	for i := range r.cells {
		w := r.cells[i].Load()
		note(w&boxMask, fmt.Sprintf("cell %d", i))
		full[w&boxMask] = w&fullBit != 0
	}
	for _, t := range tasks {
		for _, s := range t.spares {
			if s.ring == r {
				note(s.box, "a spare of "+t.name)
			}
		}
	}
	for box := r.pool.top.Load() & (oneReturn - 1); box != 0; {
		note(box-1, "the pool")
		box = uint64(r.states.at(box - 1).next.Load())
		if err != nil {
			return err
		}
	}
	var zero T
	for box := range r.pool.fresh.Load() {
		switch {
		case where[box] == "":
			return fmt.Errorf("box %d is lost", box)
		case r.states.at(box).users.Load() != 0:
			return fmt.Errorf("box %d, in %s, still has users", box, where[box])
		case q.clears && !full[box] && *q.values.at(box) != zero:
			return fmt.Errorf("box %d, in %s, still has a value", box, where[box])
		}
	}
	if uint64(len(where)) != r.pool.fresh.Load() {
		return fmt.Errorf("%d boxes in use, %d were made", len(where), r.pool.fresh.Load())
	}
	for i := range r.offers {
		if r.offers[i].Load()&offerBits != 0 {
			return fmt.Errorf("offer %d was not withdrawn", i)
		}
	}
	return err
}
