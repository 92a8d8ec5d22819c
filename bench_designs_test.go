package rtos_test

import (
	"flag"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tickwake/rtos"
)

var designs = flag.Bool("designs", false, "BenchmarkQueueDesigns compares designs of queues that were not taken")

// A line is a queue that never blocks; designs are compared without what waiting costs.
type line interface {
	trySend(t *rtos.Task, v int) bool
	tryRecv(t *rtos.Task) (int, bool)
}

// boxLine is the queue of this package.
type boxLine struct{ q *rtos.Queue[int] }

func (l boxLine) trySend(t *rtos.Task, v int) bool { return l.q.TrySend(t, v) }
func (l boxLine) tryRecv(t *rtos.Task) (int, bool) { return l.q.TryRecv(t) }

// lockedLine is a ring under a mutex.
type lockedLine struct {
	mu      sync.Mutex
	ring    []int
	head, n int
}

func (l *lockedLine) trySend(_ *rtos.Task, v int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n == len(l.ring) {
		return false
	}
	l.ring[(l.head+l.n)%len(l.ring)] = v
	l.n++
	return true
}

func (l *lockedLine) tryRecv(*rtos.Task) (v int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n == 0 {
		return 0, false
	}
	v = l.ring[l.head]
	l.head = (l.head + 1) % len(l.ring)
	l.n--
	return v, true
}

// ticketLine claims a position first and fills or empties its cell then: one swap a call,
// but whoever stops in between stops all others at that cell. Its length is a power of two
// of at least 2.
type ticketLine struct {
	cells []struct {
		turn  atomic.Uint64
		value int
	}
	_    [64]byte
	tail atomic.Uint64
	_    [64]byte
	head atomic.Uint64
	_    [64]byte
}

func newTicketLine(length int) *ticketLine {
	l := &ticketLine{cells: make([]struct {
		turn  atomic.Uint64
		value int
	}, max(2, length))}
	for i := range l.cells {
		l.cells[i].turn.Store(uint64(i))
	}
	return l
}

func (l *ticketLine) trySend(_ *rtos.Task, v int) bool {
	for {
		p := l.tail.Load()
		c := &l.cells[p&uint64(len(l.cells)-1)]
		switch d := int64(c.turn.Load() - p); {
		case d < 0:
			return false
		case d == 0 && l.tail.CompareAndSwap(p, p+1):
			c.value = v
			c.turn.Store(p + 1)
			return true
		}
	}
}

func (l *ticketLine) tryRecv(*rtos.Task) (int, bool) {
	for {
		p := l.head.Load()
		c := &l.cells[p&uint64(len(l.cells)-1)]
		switch d := int64(c.turn.Load() - p - 1); {
		case d < 0:
			return 0, false
		case d == 0 && l.head.CompareAndSwap(p, p+1):
			v := c.value
			c.turn.Store(p + uint64(len(l.cells)))
			return v, true
		}
	}
}

// nodeLine is a list of nodes, one allocated for each item, with a count to bound it.
type nodeLine struct {
	head, tail atomic.Pointer[lineNode]
	room       atomic.Int64
}

type lineNode struct {
	next  atomic.Pointer[lineNode]
	value int
}

func newNodeLine(length int) *nodeLine {
	l, n := &nodeLine{}, &lineNode{}
	l.head.Store(n)
	l.tail.Store(n)
	l.room.Store(int64(length))
	return l
}

func (l *nodeLine) trySend(_ *rtos.Task, v int) bool {
	if l.room.Add(-1) < 0 {
		l.room.Add(1)
		return false
	}
	n := &lineNode{value: v}
	for {
		t := l.tail.Load()
		if t.next.CompareAndSwap(nil, n) {
			l.tail.CompareAndSwap(t, n)
			return true
		}
		l.tail.CompareAndSwap(t, t.next.Load())
	}
}

func (l *nodeLine) tryRecv(*rtos.Task) (int, bool) {
	for {
		h := l.head.Load()
		n := h.next.Load()
		if n == nil {
			return 0, false
		}
		v := n.value
		if l.head.CompareAndSwap(h, n) {
			l.room.Add(1)
			return v, true
		}
	}
}

// asPipe polls, as a task that has its processor to itself may.
func asPipe(l line) pipe {
	send := func(t *rtos.Task, v int) {
		for n := 1; !l.trySend(t, v); n++ {
			if n%64 == 0 {
				runtime.Gosched()
			}
		}
	}
	recv := func(t *rtos.Task) {
		for n := 1; ; n++ {
			if _, ok := l.tryRecv(t); ok {
				return
			}
			if n%64 == 0 {
				runtime.Gosched()
			}
		}
	}
	return pipe{
		func(t *rtos.Task, n int) {
			for i := range n {
				send(t, i)
			}
		},
		func(t *rtos.Task, n int) {
			for range n {
				recv(t)
			}
		},
		func(t *rtos.Task, n int) {
			for i := range n {
				send(t, i)
				recv(t)
			}
		},
	}
}

// BenchmarkQueueDesigns is what docs/queue.md compares: -designs -bench QueueDesigns.
func BenchmarkQueueDesigns(b *testing.B) {
	if !*designs {
		b.Skip("needs -designs")
	}
	for _, shape := range queueShapes[:2] {
		for _, d := range []struct {
			name string
			make func(length int) line
		}{
			{"Queue", func(length int) line { return boxLine{rtos.NewQueue[int]("q", length)} }},
			{"Locked", func(length int) line { return &lockedLine{ring: make([]int, length)} }},
			{"Ticket", func(length int) line { return newTicketLine(length) }},
			{"Nodes", func(length int) line { return newNodeLine(length) }},
		} {
			b.Run(shape.name+"/"+d.name, func(b *testing.B) {
				if reason := shape.pl.unsupported(); reason != "" {
					b.Skip(reason)
				}
				carryInRounds(b, func(length int) pipe { return asPipe(d.make(length)) }, true, shape)
			})
		}
	}
}

// carryInRounds has b.N numbers carried through pipes of several lengths. There is a metric
// for each length, the median of rounds; ns/op is their mean.
func carryInRounds(b *testing.B, make func(length int) pipe, ours bool, shape queueShape) {
	const rounds = 9
	lengths := []int{1, 16, 1024}
	n := b.N/(rounds*len(lengths)) + 100
	var mean float64
	b.ReportAllocs()
	for _, length := range lengths {
		var took []float64
		for range rounds {
			took = append(took, float64(carry(b, make(length), ours, shape, n))/float64(n))
		}
		mean += median(took) / float64(len(lengths))
		b.ReportMetric(median(took), fmt.Sprintf("len%d-ns", length))
	}
	b.ReportMetric(mean, "ns/op")
}
