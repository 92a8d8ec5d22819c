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

// BenchmarkQueue carries numbers through a queue and through a channel of the same length,
// in turn, so that what else the machine does concerns both. ns/op is that of the queue.
// docs/queue.md has figures, also of designs that were not taken.
func BenchmarkQueue(b *testing.B) {
	for _, shape := range queueShapes {
		for _, length := range []int{1, 16, 1024} {
			b.Run(fmt.Sprintf("%s/%d", shape.name, length), func(b *testing.B) {
				if reason := shape.pl.unsupported(); reason != "" {
					b.Skip(reason)
				}
				if shape.procs != 0 {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(shape.procs))
				}
				compareInRounds(b, func(i, n int) time.Duration {
					return carry(b, pipes[i].make(length), pipes[i].ours, shape, n)
				})
			})
		}
	}
}

// BenchmarkQueueAnswers has a task send a number and another answer, through a queue or a
// channel each way. The other waits in the meantime, so this is where looking again late
// costs most.
func BenchmarkQueueAnswers(b *testing.B) {
	for _, pl := range []placement{pinned, free} {
		for _, length := range []int{1, 16, 1024} {
			b.Run(fmt.Sprintf("%v/%d", pl, length), func(b *testing.B) {
				if reason := pl.unsupported(); reason != "" {
					b.Skip(reason)
				}
				compareInRounds(b, func(i, n int) time.Duration {
					return answer(b, [2]pipe{pipes[i].make(length), pipes[i].make(length)}, pipes[i].ours, pl, n)
				})
			})
		}
	}
}

// compareInRounds has run do n things with pipes[0] and with pipes[1], by turns, b.N in all.
// The metrics are medians of rounds for one thing; of the quotients queue : channel the first
// tenth, the median and the last tenth.
func compareInRounds(b *testing.B, run func(i, n int) time.Duration) {
	const rounds = 51
	n := b.N/rounds + 100
	var took [2][]float64
	var ratios []float64
	for round := range rounds {
		for i := range pipes {
			i = (i + round) % len(pipes) // neither is always the first
			took[i] = append(took[i], float64(run(i, n))/float64(n))
		}
		ratios = append(ratios, took[0][round]/took[1][round])
	}
	b.ReportMetric(median(took[0]), "ns/op")
	b.ReportMetric(median(took[1]), "chan-ns")
	b.ReportMetric(quantile(ratios, 0.1), "ratio-lo")
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(quantile(ratios, 0.9), "ratio-hi")
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

// answer has n numbers go there and back.
func answer(b *testing.B, p [2]pipe, ours bool, pl placement, n int) (took time.Duration) {
	bar := &barrier{parties: 2}
	way{ours: ours}.crew(b, pl, 2, func(i int, t *rtos.Task) {
		bar.wait()
		start := time.Now()
		for range n {
			if i == 0 {
				p[0].send(t, 1)
				p[1].recv(t, 1)
			} else {
				p[0].recv(t, 1)
				p[1].send(t, 1)
			}
		}
		if i == 0 {
			took = time.Since(start)
		}
	})
	return took
}
