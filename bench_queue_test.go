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

func BenchmarkQueue(b *testing.B) {
	for _, shape := range []struct {
		name    string
		pl      placement
		senders int
		procs   int
	}{
		{"alone", free, 0, 0},
		{"one-to-one, pinned", pinned, 1, 0},
		{"one-to-one, free", free, 1, 0},
		{"four-to-one", free, 4, 0},
		{"one processor", free, 1, 1},
	} {
		for _, length := range []int{1, 16, 1024} {
			for _, p := range pipes {
				b.Run(fmt.Sprintf("%s/%d/%s", shape.name, length, p.name), func(b *testing.B) {
					if shape.procs != 0 {
						defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(shape.procs))
					}
					w := way{ours: p.ours}
					pp := p.make(length)
					n := b.N
					if shape.senders == 0 {
						w.crew(b, shape.pl, 1, func(_ int, t *rtos.Task) {
							b.ResetTimer()
							pp.both(t, n)
							b.StopTimer()
						})
						return
					}
					bar := &barrier{parties: int32(1 + shape.senders)}
					each := (n + shape.senders - 1) / shape.senders
					var took time.Duration
					w.crew(b, shape.pl, 1+shape.senders, func(i int, t *rtos.Task) {
						bar.wait()
						if i > 0 {
							pp.send(t, each)
							return
						}
						start := time.Now()
						pp.recv(t, each*shape.senders)
						took = time.Since(start)
					})
					b.ReportMetric(float64(took)/float64(each*shape.senders), "ns/op")
				})
			}
		}
	}
}
