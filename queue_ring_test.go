//go:build !rtosdebug

package rtos

// The tests of this file call for tasks from other goroutines, which rtosdebug refuses.

import (
	"fmt"
	"reflect"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// A frozen call has made its swap and will never do anything more: the test makes the swap
// in its place.
var frozenCalls = []struct {
	name   string
	before []int // what is in the queue of length 3 before
	freeze func(q *Queue[int])
	after  []int
}{
	{"send", []int{1}, frozenPush, []int{1, 9}},
	{"send to an empty one", nil, frozenPush, []int{9}},
	{"the last send", []int{1, 2}, frozenPush, []int{1, 2, 9}},
	{"receive", []int{1, 2}, frozenPop, []int{2}},
	{"the last receive", []int{1}, frozenPop, nil},
	{"receive from a full one", []int{1, 2, 3}, frozenPop, []int{2, 3}},
	{"send, and its item received", nil, func(q *Queue[int]) { frozenPush(q); frozenPop(q) }, nil},
	{"receive, and its cell sent to", []int{1, 2, 3}, func(q *Queue[int]) { frozenPop(q); frozenPush(q) }, []int{2, 3, 9}},
	{"peek", []int{1, 2}, func(q *Queue[int]) { q.pin() }, []int{1, 2}},
	{"withdrawn send", []int{1, 2, 3}, func(q *Queue[int]) {
		box := q.ring.newBox()
		withdraw(q.ring.offer(box), &box)
	}, []int{1, 2, 3}},
}

func frozenPush(q *Queue[int]) {
	r := q.ring
	box := r.newBox()
	*q.values.at(box) = 9
	c := &r.cells[r.tail.Load()&boxMask]
	c.Store(c.Load()&^boxMask | fullBit | box)
}

func frozenPop(q *Queue[int]) {
	r := q.ring
	c := &r.cells[r.head.Load()&boxMask]
	c.Store(c.Load()&^(boxMask|fullBit) + oneTurn | r.newBox())
}

// Whoever stopped between its swap and the next step hinders nobody: the next call on the
// queue, whichever that is, finds what the swap has made of it.
func TestFrozenSwapHindersNobody(t *testing.T) {
	me := queueOwner(t)
	type outcome struct {
		v  int
		ok bool
	}
	for _, f := range frozenCalls {
		for _, turn := range []uint64{0, 1, 2, 3, 1<<41 - 1} {
			fresh := func(t *testing.T) *Queue[int] {
				q := newQueue[int]("q", 3, turn)
				for range 2 { // so that the queue is not at its first cell
					require.True(t, q.TrySend(me, 0))
					_, ok := q.TryRecv(me)
					require.True(t, ok)
				}
				for _, v := range f.before {
					require.True(t, q.TrySend(me, v))
				}
				f.freeze(q)
				return q
			}
			empty, full := len(f.after) == 0, len(f.after) == 3
			for name, call := range map[string]func(t *testing.T, q *Queue[int]) []int{
				"isEmpty": func(t *testing.T, q *Queue[int]) []int { require.Equal(t, empty, q.ring.isEmpty()); return f.after },
				"isFull":  func(t *testing.T, q *Queue[int]) []int { require.Equal(t, full, q.ring.isFull()); return f.after },
				"TryPeek": func(t *testing.T, q *Queue[int]) []int {
					v, ok := q.TryPeek(me)
					want := outcome{0, !empty}
					if !empty {
						want.v = f.after[0]
					}
					require.Equal(t, want, outcome{v, ok})
					return f.after
				},
				"TrySend": func(t *testing.T, q *Queue[int]) []int {
					require.Equal(t, !full, q.TrySend(me, 7))
					if full {
						return f.after
					}
					return append(f.after[:len(f.after):len(f.after)], 7)
				},
				"TrySendFront": func(t *testing.T, q *Queue[int]) []int {
					require.Equal(t, !full, q.TrySendFront(me, 7))
					if full {
						return f.after
					}
					return append([]int{7}, f.after...)
				},
				"TryRecv": func(t *testing.T, q *Queue[int]) []int {
					v, ok := q.TryRecv(me)
					if empty {
						require.Equal(t, outcome{}, outcome{v, ok})
						return nil
					}
					require.Equal(t, outcome{f.after[0], true}, outcome{v, ok})
					return f.after[1:]
				},
			} {
				t.Run(fmt.Sprintf("%s/turn %d/%s", f.name, turn, name), func(t *testing.T) {
					q := fresh(t)
					left := call(t, q)
					for _, want := range left {
						v, ok := q.TryRecv(me)
						require.Equal(t, outcome{want, true}, outcome{v, ok})
					}
					_, ok := q.TryRecv(me)
					require.False(t, ok)
					for range 2 { // and it is as good as new
						for i := range 3 {
							require.Equal(t, i, q.Len())
							require.True(t, q.TrySend(me, i))
						}
						require.False(t, q.TrySend(me, 3))
						for i := range 3 {
							v, ok := q.TryRecv(me)
							require.Equal(t, outcome{i, true}, outcome{v, ok})
						}
					}
				})
			}
		}
	}
}

// A swap that was stopped fails, whatever has happened since: no word returns to an old
// value.
func TestNoWordOfARingReturns(t *testing.T) {
	me := queueOwner(t)
	type op = func(q *Queue[int])
	send := func(q *Queue[int]) { q.TrySend(me, 1) }
	front := func(q *Queue[int]) { q.TrySendFront(me, 1) }
	recv := func(q *Queue[int]) { q.TryRecv(me) }
	overwrite := func(q *Queue[int]) {
		if q.Cap() == 1 {
			q.Overwrite(1)
		}
	}
	for name, ops := range map[string][]op{
		"send, receive":               {send, recv},
		"receive, send":               {recv, send},
		"front, receive":              {front, recv},
		"receive, front":              {recv, front},
		"front, front, receive twice": {front, front, recv, recv},
		"front, send, receive twice":  {front, send, recv, recv},
		"reset, front":                {(*Queue[int]).Reset, front},
		"overwrite":                   {overwrite},
		"overwrite, receive":          {overwrite, recv},
		"outside": {
			func(q *Queue[int]) { q.pushOutside(1, true) }, func(q *Queue[int]) { q.popOutside() },
		},
	} {
		for length := 1; length <= 3; length++ {
			for items := 0; items <= length; items++ {
				t.Run(fmt.Sprintf("%d of %d/%s", items, length, name), func(t *testing.T) {
					q := newQueue[int]("q", length, 1<<41-100)
					for range items {
						require.True(t, q.TrySend(me, 0))
					}
					seen := map[string]bool{}
					last := make([]uint64, length+2)
					for range 300 {
						for _, op := range ops {
							op(q)
							words := []uint64{q.ring.head.Load(), q.ring.tail.Load()}
							for i := range q.ring.cells {
								words = append(words, q.ring.cells[i].Load())
							}
							for i, w := range words {
								key := fmt.Sprintf("word %d: %#x", i, w)
								if w != last[i] && seen[key] {
									t.Fatal("again", key)
								}
								seen[key] = true
								last[i] = w
							}
						}
					}
				})
			}
		}
	}
}

// Senders and receivers do not write to the cache lines of each other.
func TestSidesOfARingAreApart(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("the layout is that of 64-bit machines")
	}
	r := reflect.TypeFor[ring]()
	for _, name := range []string{"cells", "receivers", "tail", "head", "offers"} {
		f, ok := r.FieldByName(name)
		require.True(t, ok)
		require.Zero(t, f.Offset%64, name)
	}
	require.EqualValues(t, 320, r.Size(), "a size of the allocator that is aligned to cache lines")
}

// lateSource is there when it is looked at for the second time.
type lateSource struct{ looks, there int }

func (s *lateSource) try(*Task) bool { s.looks++; return s.looks == s.there }
func (s *lateSource) hasSome() bool  { return false }
func (s *lateSource) again() bool    { return s.there == 2 }

// At the end of a limit FreeRTOS may switch, and then looks once more for an item, but not
// for room.
func TestLastLookIsForItemsOnly(t *testing.T) {
	me := queueOwner(t)
	q := NewQueue[int]("q", 1)
	for _, c := range []struct {
		side  source
		again bool
	}{
		{(*sendSide)(q.ring), false}, {(*frontSide)(q.ring), false},
		{(*recvSide)(q.ring), true}, {(*peekSide[int])(q), true}, {NewBinary("b"), true},
	} {
		require.Equal(t, c.again, c.side.again(), "%T", c.side)
	}
	o := &q.ring.receivers
	b := o.bind(me, "test", "test", nil)
	for there, want := range map[int]error{2: nil, 3: ErrAborted} {
		s := &lateSource{there: there}
		me.deadline, me.abortMark = Forever, true
		require.Equal(t, want, me.acquire(o, b, s))
		require.Equal(t, 4-there, s.looks)
	}
}

// A box that is read while its item is received goes back to the pool with the last
// reader, who lets its value go.
func TestPinnedBoxIsReturnedByTheLastReader(t *testing.T) {
	me := queueOwner(t)
	for _, how := range []string{"TryRecv", "Overwrite", "Reset"} {
		for readers := 1; readers <= 3; readers++ {
			t.Run(fmt.Sprint(how, readers), func(t *testing.T) {
				q := NewQueue[*int]("q", 1)
				v := new(int)
				require.True(t, q.TrySend(me, v))
				var boxes []uint64
				for range readers {
					box, ok := q.pin()
					require.True(t, ok)
					boxes = append(boxes, box)
				}
				switch how {
				case "TryRecv":
					got, ok := q.TryRecv(me)
					require.True(t, ok)
					require.Same(t, v, got)
				case "Overwrite":
					q.Overwrite(nil)
				case "Reset":
					q.Reset()
				}
				for range 3 { // the box stays away from all others
					q.Overwrite(new(int))
					q.Reset()
				}
				for _, box := range boxes {
					require.Same(t, v, q.look(box))
				}
				require.NoError(t, boxesAddUp(q, me))
			})
		}
	}
}

// A reader that comes too late finds another item, and does no harm to the box it counted
// itself on.
func TestLateReaderOfABox(t *testing.T) {
	me := queueOwner(t)
	q := NewQueue[*int]("q", 2)
	v := new(int)
	require.True(t, q.TrySend(me, new(int)))
	c, w, found := q.ring.first()
	require.True(t, found)
	q.TryRecv(me)
	require.True(t, q.TrySend(me, v))
	box := w & boxMask
	q.ring.states.at(box).users.Add(1) // it has come in the middle of hold
	for range 4 {                      // the box is received as somebody else's, and retired
		got, ok := q.TryRecv(me)
		require.True(t, ok)
		require.Same(t, v, got)
		require.True(t, q.TrySend(me, v))
	}
	require.NotEqual(t, w, c.Load())
	q.unpin(box)
	require.False(t, q.hold(c, w))
	q.Reset()
	require.NoError(t, boxesAddUp(q, me))
}

// An offer is accepted only while the ring is empty.
func TestOfferIsAcceptedWhenTheRingIsEmpty(t *testing.T) {
	me := queueOwner(t)
	for _, length := range []int{1, 2} {
		q := NewQueue[int]("q", length)
		r := q.ring
		for i := range length {
			require.True(t, q.TrySend(me, i))
		}
		box := r.newBox()
		*q.values.at(box) = 9
		mine := box
		o := r.offer(box)
		for i := range length {
			v, ok := q.TryRecv(me)
			require.True(t, ok)
			require.Equal(t, i, v)
		}
		require.Zero(t, q.Len())
		v, ok := q.TryRecv(me)
		require.True(t, ok)
		require.Equal(t, 9, v)
		require.True(t, withdraw(o, &box))
		require.NotEqual(t, mine, box, "the sender got the box of the receiver")
		r.freeBox(box)
		_, ok = q.TryRecv(me)
		require.False(t, ok)

		// The cell says empty no longer: what was about to be accepted is not.
		box = r.newBox()
		o = r.offer(box)
		p := r.head.Load()
		c := &r.cells[p&boxMask]
		w := c.Load()
		require.True(t, q.TrySend(me, 5))
		other := r.newBox()
		require.False(t, r.accept(c, w, &other))
		require.False(t, withdraw(o, &box))
		r.freeBox(box)
		r.freeBox(other)
		require.NoError(t, boxesAddUp(q, me))
	}
}

// There are as many places for offers as there are; a sender without one just waits.
func TestOffersBeyondTheirPlaces(t *testing.T) {
	r := NewQueue[int]("q", 1).ring
	for i := range offers {
		require.NotNil(t, r.offer(uint64(i)))
	}
	require.Nil(t, r.offer(99))
	me := queueOwner(t)
	q := &Queue[int]{ring: r, values: newTable[int](100)}
	require.True(t, q.TrySend(me, 1))
	require.Equal(t, ErrTimeout, q.SendFor(me, 2, 1))
}

// A task keeps spares for some queues; the next one takes the place of another, and the end
// of the task returns them all.
func TestSparesAreReturned(t *testing.T) {
	me := queueOwner(t)
	var qs []*Queue[int]
	for i := range 2*spares + 1 {
		qs = append(qs, NewQueue[int](fmt.Sprint(i), 2))
	}
	for range 3 {
		for i, q := range qs {
			require.True(t, q.TrySend(me, i))
			v, ok := q.TryPeek(me)
			require.True(t, ok)
			require.Equal(t, i, v)
		}
		for i, q := range qs {
			v, ok := q.TryRecv(me)
			require.True(t, ok)
			require.Equal(t, i, v)
			require.NoError(t, boxesAddUp(q, me))
			require.LessOrEqual(t, q.ring.pool.fresh.Load(), uint64(3), "boxes that were made")
		}
	}
	require.NoError(t, me.Release())
	for _, q := range qs {
		require.NoError(t, boxesAddUp(q))
	}
}

// Beyond the boxes that a queue has at first there are as many as are needed, and each is
// made once.
func TestBoxesBeyondTheFirst(t *testing.T) {
	b := newTable[int](3)
	const n = 5000
	for i := range uint64(n) {
		*b.at(i) = int(i) + 1
	}
	for i := range uint64(n) {
		require.Equal(t, int(i)+1, *b.at(i))
	}
	last := uint64(boxMask)
	require.NotPanics(t, func() { // the directory reaches that far
		k := newTable[struct{}](1)
		k.at(last)
	})
	q := NewQueue[*int]("q", 2)
	var held []uint64
	for range n {
		held = append(held, q.ring.newBox())
	}
	for _, box := range held {
		q.ring.freeBox(box)
	}
	for range n {
		q.ring.newBox()
	}
	require.EqualValues(t, n+2, q.ring.pool.fresh.Load())
}

// More boxes than can be numbered are refused, and those that come back can be had.
func TestBoxesRunOut(t *testing.T) {
	me := queueOwner(t)
	q := NewQueue[int]("q", 1)
	box := q.ring.newBox()
	q.ring.pool.fresh.Store(boxMask + 1)
	require.PanicsWithError(t, `rtos: Queue.Send on "q": more boxes in use than there are`, func() { q.TrySend(me, 1) })
	q.ring.freeBox(box)
	require.True(t, q.TrySend(me, 1))
}
