package rtos

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A stamped item tells who sent it, and as what number.
type stamped struct {
	sender, number int
	received       atomic.Bool
}

// ledger counts what becomes of items.
type ledger struct {
	sent, received, doubled, overtaken atomic.Int64
}

func (l *ledger) receive(it *stamped, last map[int]int) {
	if it.received.Swap(true) {
		l.doubled.Add(1)
	}
	if n, seen := last[it.sender]; last != nil && seen && n >= it.number {
		l.overtaken.Add(1)
	}
	if last != nil {
		last[it.sender] = it.number
	}
	l.received.Add(1)
}

func (l *ledger) balances(t *testing.T, q *Queue[*stamped], dropped int64) {
	t.Helper()
	require.Zero(t, l.doubled.Load(), "items that were received twice")
	require.Zero(t, l.overtaken.Load(), "items that came after a later one of the same sender")
	require.Equal(t, l.sent.Load(), l.received.Load()+int64(q.Len())+dropped, "sent = received + left")
	require.NoError(t, boxesAddUp(q))
	for _, o := range []*object{&q.ring.senders, &q.ring.receivers} {
		restsEmpty(t, o)
	}
}

// sendSome sends in one of the ways, or does not.
func sendSome(t *Task, q *Queue[*stamped], it *stamped, r *rand.Rand) bool {
	switch r.IntN(8) {
	case 0:
		return q.TrySend(t, it)
	case 1:
		return q.SendFor(t, it, time.Duration(r.IntN(50))*time.Microsecond) == nil
	case 2:
		return q.SendCtx(context.Background(), t, it) == nil
	}
	return q.SendFor(t, it, time.Second) == nil // not for ever: see who would have hung
}

func recvSome(t *Task, q *Queue[*stamped], r *rand.Rand) (*stamped, bool) {
	var it *stamped
	var err error
	switch r.IntN(8) {
	case 0:
		return q.TryRecv(t)
	case 1:
		it, err = q.RecvFor(t, time.Duration(r.IntN(50))*time.Microsecond)
	case 2:
		q.TryPeek(t)
		_, _ = q.PeekFor(t, time.Duration(r.IntN(20))*time.Microsecond)
		return nil, false
	default:
		it, err = q.RecvFor(t, time.Millisecond)
	}
	return it, err == nil
}

// Many senders and receivers: each item arrives once, and those of one sender in order.
func TestHammerQueueKeepsEveryItemInOrder(t *testing.T) {
	for _, length := range []int{1, 2, 3, 64} {
		for _, tasks := range []int{64, 200} {
			t.Run(fmt.Sprintf("length %d of %d tasks", length, tasks), func(t *testing.T) {
				var l ledger
				q := newQueue[*stamped]("q", length, 1<<41-9)
				var senders, ended atomic.Int64
				senders.Store(hammerTasks / 2)
				hammer(t, Config{Tasks: tasks}, true, func(t *Task, i int, r *rand.Rand) {
					if i%2 == 0 {
						for n := range hammerRounds() {
							if sendSome(t, q, &stamped{sender: i, number: n}, r) {
								l.sent.Add(1)
							}
							if r.IntN(64) == 0 {
								t.Yield()
							}
						}
						senders.Add(-1)
					} else {
						last := map[int]int{}
						for senders.Load() > 0 || q.Len() > 0 {
							if it, ok := recvSome(t, q, r); ok {
								l.receive(it, last)
							}
						}
					}
					if ended.Add(1)%hammerTasks == 0 {
						senders.Store(hammerTasks / 2) // for the next number of processors
					}
				})
				l.balances(t, q, 0)
			})
		}
	}
}

// Everything at once: what is sent to the front, overwritten, peeked and reset is received
// once or not at all, and no box is lost.
func TestHammerQueueMixesEverything(t *testing.T) {
	for _, length := range []int{1, 2, 5} {
		t.Run(fmt.Sprint("length ", length), func(t *testing.T) {
			var l ledger
			q := newQueue[*stamped]("q", length, 1<<41-9)
			hammer(t, Config{}, true, func(t *Task, i int, r *rand.Rand) {
				for n := range hammerRounds() {
					it := &stamped{sender: i, number: n}
					short := time.Duration(r.IntN(30)) * time.Microsecond
					switch r.IntN(14) {
					case 0, 1:
						_ = q.SendFor(t, it, short)
					case 2, 3:
						_ = q.SendFrontFor(t, it, short)
					case 4:
						q.TrySendFront(t, it)
					case 5:
						if length == 1 {
							q.Overwrite(it)
						}
					case 6:
						if r.IntN(8) == 0 {
							q.Reset()
						}
					case 7:
						_, _ = q.PeekFor(t, short)
					case 8:
						t.k.Interrupt(func(isr *ISR) {
							q.TrySendFrontFromISR(isr, it)
							q.TryPeekFromISR(isr)
							q.TrySendFromISR(isr, &stamped{sender: i, number: n})
							if it, ok := q.TryRecvFromISR(isr); ok {
								l.receive(it, nil)
							}
						})
					case 9:
						for _, it := range q.Items() {
							if it == nil {
								panic("an item that nobody has sent")
							}
						}
						_ = q.Info()
					default:
						if it, err := q.RecvFor(t, short); err == nil {
							l.receive(it, nil)
						}
					}
				}
			})
			require.Zero(t, l.doubled.Load())
			require.LessOrEqual(t, q.Len(), length)
			require.NoError(t, boxesAddUp(q))
			q.Reset()
			require.NoError(t, boxesAddUp(q))
			restsEmpty(t, &q.ring.senders)
			restsEmpty(t, &q.ring.receivers)
		})
	}
}

// Tasks that are deleted while they send and receive take nothing with them and leave
// nothing behind.
func TestHammerQueueWithDeletions(t *testing.T) {
	for _, length := range []int{1, 3} {
		for _, procs := range []int{1, 4} {
			t.Run(fmt.Sprintf("length %d, procs=%d", length, procs), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				k, err := New(Config{Logger: slog.New(slog.DiscardHandler)})
				require.NoError(t, err)
				q := newQueue[*stamped]("q", length, 0)
				var l ledger
				victim := func(i int) *Task {
					task, err := k.Spawn(fmt.Sprint("v", i), 1+i%5, func(t *Task) {
						for n := 0; ; n++ {
							if i%2 == 0 {
								if q.Send(t, &stamped{sender: i, number: n}) == nil {
									l.sent.Add(1)
								}
							} else if it, err := q.Recv(t); err == nil {
								l.receive(it, nil)
							}
						}
					})
					if err != nil {
						panic(err)
					}
					return task
				}
				_, err = k.Spawn("boss", 9, func(boss *Task) {
					r := rand.New(rand.NewPCG(3, 4))
					var living []*Task
					rounds := hammerRounds() / 4
					if debugGate != 0 {
						// Two tasks that pass items to each other keep the only processor for a
						// whole slice, several times between two turns of this one.
						rounds = 40
					}
					for i := range rounds {
						living = append(living, victim(i))
						if len(living) > 6 {
							n := r.IntN(len(living))
							living[n].Delete()
							living = append(living[:n], living[n+1:]...)
						}
						for boss.Yield(); k.NumTasks() > 50; boss.Yield() { // those that have not ended yet
						}
					}
					for _, v := range living {
						v.Delete()
					}
				})
				require.NoError(t, err)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				require.NoError(t, k.Run(ctx))
				l.balances(t, q, 0)
			})
		}
	}
}
