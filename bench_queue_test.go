package rtos_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/tickwake/rtos"
)

// A pipe is something that carries numbers from tasks to a task.
type pipe struct {
	send func(t *rtos.Task, n int)
	recv func(t *rtos.Task, n int)
	both func(t *rtos.Task, n int) // send and receive in turn
}

var pipes = []struct {
	name string
	ours bool
	make func(length int) pipe
}{
	{"Queue", true, func(length int) pipe {
		q := rtos.NewQueue[int]("q", length)
		return pipe{
			func(t *rtos.Task, n int) {
				for i := range n {
					q.Send(t, i)
				}
			},
			func(t *rtos.Task, n int) {
				for range n {
					q.Recv(t)
				}
			},
			func(t *rtos.Task, n int) {
				for i := range n {
					q.Send(t, i)
					q.Recv(t)
				}
			},
		}
	}},
	{"Chan", false, func(length int) pipe {
		c := make(chan int, length)
		return pipe{
			func(_ *rtos.Task, n int) {
				for i := range n {
					c <- i
				}
			},
			func(_ *rtos.Task, n int) {
				for range n {
					<-c
				}
			},
			func(_ *rtos.Task, n int) {
				for i := range n {
					c <- i
					<-c
				}
			},
		}
	}},
}

// A queueShape is who sends to whom. Without senders one task sends to itself.
type queueShape struct {
	name    string
	senders int
	pl      placement
	procs   int // GOMAXPROCS, if not as it is
}

var queueShapes = []queueShape{
	{"alone", 0, free, 0},
	{"pinned", 1, pinned, 0},
	{"free", 1, free, 0},
	{"four-senders", 4, free, 0},
	{"one-processor", 1, free, 1},
}

// BenchmarkQueue carries numbers through a queue and through a channel of the same length.
// docs/queue.md has figures, also of designs that were not taken.
func BenchmarkQueue(b *testing.B) {
	for _, shape := range queueShapes {
		for _, p := range pipes {
			b.Run(shape.name+"/"+p.name, func(b *testing.B) {
				if reason := shape.pl.unsupported(); reason != "" {
					b.Skip(reason)
				}
				if shape.procs != 0 {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(shape.procs))
				}
				carryInRounds(b, p.make, p.ours, shape)
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

// carry has n numbers sent and received.
func carry(b *testing.B, p pipe, ours bool, shape queueShape, n int) (took time.Duration) {
	bar := &barrier{parties: int32(1 + shape.senders)}
	way{ours: ours}.crew(b, shape.pl, 1+shape.senders, func(i int, t *rtos.Task) {
		bar.wait()
		start := time.Now()
		switch {
		case shape.senders == 0:
			p.both(t, n)
		case i > 0:
			p.send(t, n/shape.senders)
			return
		default:
			p.recv(t, n/shape.senders*shape.senders)
		}
		took = time.Since(start)
	})
	return took
}
