package rtos_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
)

// A form is a way to send or to receive; interrupt runs a function as an interrupt.
type (
	sendForm func(q *rtos.Queue[int], t *rtos.Task, v int, interrupt func(func(*rtos.ISR))) error
	recvForm func(q *rtos.Queue[int], t *rtos.Task, interrupt func(func(*rtos.ISR))) (int, error)
)

func orBlock(ok bool) error {
	if ok {
		return nil
	}
	return rtos.ErrWouldBlock
}

// sendForms is every way to send to the end, frontForms to the front.
var (
	sendForms = map[string]sendForm{
		"Send": func(q *rtos.Queue[int], t *rtos.Task, v int, _ func(func(*rtos.ISR))) error { return q.Send(t, v) },
		"SendFor": func(q *rtos.Queue[int], t *rtos.Task, v int, _ func(func(*rtos.ISR))) error {
			return q.SendFor(t, v, time.Hour)
		},
		"poll": func(q *rtos.Queue[int], t *rtos.Task, v int, _ func(func(*rtos.ISR))) error {
			return q.SendFor(t, v, 0)
		},
		"SendCtx": func(q *rtos.Queue[int], t *rtos.Task, v int, _ func(func(*rtos.ISR))) error {
			return q.SendCtx(context.Background(), t, v)
		},
		"TrySend": func(q *rtos.Queue[int], t *rtos.Task, v int, _ func(func(*rtos.ISR))) error {
			return orBlock(q.TrySend(t, v))
		},
		"TrySendFromISR": func(q *rtos.Queue[int], _ *rtos.Task, v int, interrupt func(func(*rtos.ISR))) (err error) {
			interrupt(func(isr *rtos.ISR) { err = orBlock(q.TrySendFromISR(isr, v)) })
			return err
		},
	}
	frontForms = map[string]sendForm{
		"SendFront": func(q *rtos.Queue[int], t *rtos.Task, v int, _ func(func(*rtos.ISR))) error { return q.SendFront(t, v) },
		"SendFrontFor": func(q *rtos.Queue[int], t *rtos.Task, v int, _ func(func(*rtos.ISR))) error {
			return q.SendFrontFor(t, v, time.Hour)
		},
		"poll": func(q *rtos.Queue[int], t *rtos.Task, v int, _ func(func(*rtos.ISR))) error {
			return q.SendFrontFor(t, v, 0)
		},
		"SendFrontCtx": func(q *rtos.Queue[int], t *rtos.Task, v int, _ func(func(*rtos.ISR))) error {
			return q.SendFrontCtx(context.Background(), t, v)
		},
		"TrySendFront": func(q *rtos.Queue[int], t *rtos.Task, v int, _ func(func(*rtos.ISR))) error {
			return orBlock(q.TrySendFront(t, v))
		},
		"TrySendFrontFromISR": func(q *rtos.Queue[int], _ *rtos.Task, v int, interrupt func(func(*rtos.ISR))) (err error) {
			interrupt(func(isr *rtos.ISR) { err = orBlock(q.TrySendFrontFromISR(isr, v)) })
			return err
		},
	}
	recvForms = map[string]recvForm{
		"Recv": func(q *rtos.Queue[int], t *rtos.Task, _ func(func(*rtos.ISR))) (int, error) { return q.Recv(t) },
		"RecvFor": func(q *rtos.Queue[int], t *rtos.Task, _ func(func(*rtos.ISR))) (int, error) {
			return q.RecvFor(t, time.Hour)
		},
		"poll": func(q *rtos.Queue[int], t *rtos.Task, _ func(func(*rtos.ISR))) (int, error) { return q.RecvFor(t, 0) },
		"RecvCtx": func(q *rtos.Queue[int], t *rtos.Task, _ func(func(*rtos.ISR))) (int, error) {
			return q.RecvCtx(context.Background(), t)
		},
		"TryRecv": func(q *rtos.Queue[int], t *rtos.Task, _ func(func(*rtos.ISR))) (int, error) {
			v, ok := q.TryRecv(t)
			return v, orBlock(ok)
		},
		"TryRecvFromISR": func(q *rtos.Queue[int], _ *rtos.Task, interrupt func(func(*rtos.ISR))) (v int, err error) {
			interrupt(func(isr *rtos.ISR) {
				var ok bool
				v, ok = q.TryRecvFromISR(isr)
				err = orBlock(ok)
			})
			return v, err
		},
	}
	peekForms = map[string]recvForm{
		"Peek": func(q *rtos.Queue[int], t *rtos.Task, _ func(func(*rtos.ISR))) (int, error) { return q.Peek(t) },
		"PeekFor": func(q *rtos.Queue[int], t *rtos.Task, _ func(func(*rtos.ISR))) (int, error) {
			return q.PeekFor(t, time.Hour)
		},
		"poll": func(q *rtos.Queue[int], t *rtos.Task, _ func(func(*rtos.ISR))) (int, error) { return q.PeekFor(t, 0) },
		"PeekCtx": func(q *rtos.Queue[int], t *rtos.Task, _ func(func(*rtos.ISR))) (int, error) {
			return q.PeekCtx(context.Background(), t)
		},
		"TryPeek": func(q *rtos.Queue[int], t *rtos.Task, _ func(func(*rtos.ISR))) (int, error) {
			v, ok := q.TryPeek(t)
			return v, orBlock(ok)
		},
		"TryPeekFromISR": func(q *rtos.Queue[int], _ *rtos.Task, interrupt func(func(*rtos.ISR))) (v int, err error) {
			interrupt(func(isr *rtos.ISR) {
				var ok bool
				v, ok = q.TryPeekFromISR(isr)
				err = orBlock(ok)
			})
			return v, err
		},
	}
)

// mayWait tells whether a form would wait, so that it cannot be tried in vain.
func mayWait(form string) bool {
	switch form {
	case "poll", "TrySend", "TrySendFront", "TryRecv", "TryPeek",
		"TrySendFromISR", "TrySendFrontFromISR", "TryRecvFromISR", "TryPeekFromISR":
		return false
	}
	return true
}

// A queue has room for its length and for no more, and gives items back in order, by every
// form.
func TestQueueHoldsItsLengthInOrder(t *testing.T) {
	for _, length := range []int{1, 2, 3, 7} {
		t.Run(fmt.Sprint("length ", length), func(t *testing.T) {
			onPort(t, rtos.Config{}, func(t *testing.T, _ *rtos.Kernel, me *rtos.Task, interrupt func(func(*rtos.ISR))) {
				q := rtos.NewQueue[int]("q", length)
				next, first := 0, 0
				for sending, send := range sendForms {
					for receiving, recv := range recvForms {
						assert.Equal(t, rtos.QueueInfo{Name: "q", Cap: length}, q.Info())
						for i := range length {
							assert.NoError(t, send(q, me, next, interrupt), sending)
							next++
							assert.Equal(t, i+1, q.Len())
							assert.Equal(t, length-i-1, q.Free())
						}
						if !mayWait(sending) {
							assert.ErrorIs(t, send(q, me, -1, interrupt), rtos.ErrWouldBlock, sending)
						}
						for range length {
							assert.Equal(t, next-first, len(q.Items()))
							for peeking, peek := range peekForms {
								v, err := peek(q, me, interrupt)
								assert.NoError(t, err, peeking)
								assert.Equal(t, first, v, peeking)
							}
							v, err := recv(q, me, interrupt)
							assert.NoError(t, err, receiving)
							assert.Equal(t, first, v, receiving)
							first++
						}
						for name, form := range map[string]recvForm{receiving: recv, "TryPeek": peekForms["TryPeek"]} {
							if !mayWait(name) {
								_, err := form(q, me, interrupt)
								assert.ErrorIs(t, err, rtos.ErrWouldBlock, name)
							}
						}
						assert.Equal(t, length, q.Free())
						assert.Empty(t, q.Items())
					}
				}
			})
		})
	}
}

// What is sent to the front is received next, by every form.
func TestSendFrontIsReceivedNext(t *testing.T) {
	onPort(t, rtos.Config{}, func(t *testing.T, _ *rtos.Kernel, me *rtos.Task, interrupt func(func(*rtos.ISR))) {
		for form, send := range frontForms {
			q := rtos.NewQueue[int]("q", 4)
			assert.NoError(t, send(q, me, 1, interrupt), "%s to an empty one", form)
			assert.True(t, q.TrySend(me, 2))
			assert.NoError(t, send(q, me, 3, interrupt), form)
			assert.NoError(t, send(q, me, 4, interrupt), form)
			assert.Equal(t, []int{4, 3, 1, 2}, q.Items(), form)
			if !mayWait(form) {
				assert.ErrorIs(t, send(q, me, 5, interrupt), rtos.ErrWouldBlock, form)
			}
			for _, want := range []int{4, 3, 1, 2} {
				v, ok := q.TryRecv(me)
				assert.True(t, ok)
				assert.Equal(t, want, v)
			}
		}
	})
}

func TestOverwriteAndReset(t *testing.T) {
	onPort(t, rtos.Config{}, func(t *testing.T, _ *rtos.Kernel, me *rtos.Task, interrupt func(func(*rtos.ISR))) {
		q := rtos.NewQueue[int]("q", 1)
		for i := range 5 {
			q.Overwrite(i)
			assert.Equal(t, []int{i}, q.Items())
			interrupt(func(isr *rtos.ISR) { q.OverwriteFromISR(isr, -i) })
			assert.Equal(t, []int{-i}, q.Items())
			if i%2 == 1 {
				v, err := q.Recv(me)
				assert.NoError(t, err)
				assert.Equal(t, -i, v)
			}
		}
		for length := range 5 {
			q := rtos.NewQueue[int]("q", length+1)
			for items := range length + 2 {
				for i := range items {
					assert.True(t, q.TrySend(me, i))
				}
				q.Reset()
				assert.Zero(t, q.Len())
				assert.Equal(t, length+1, q.Free())
				_, ok := q.TryPeek(me)
				assert.False(t, ok)
			}
		}
	})
}

// Items of any type, also of none and of a large one.
func TestQueueOfAnyType(t *testing.T) {
	onPort(t, rtos.Config{}, func(t *testing.T, _ *rtos.Kernel, me *rtos.Task, _ func(func(*rtos.ISR))) {
		passes(t, me, struct{}{}, struct{}{})
		passes(t, me, "a", "b")
		passes(t, me, error(nil), errors.ErrUnsupported)
		passes(t, me, [3]any{1, "x", nil}, [3]any{2, nil, 4.5})
		passes(t, me, [1000]int{7: 3}, [1000]int{8: 4})
	})
}

func passes[T any](t *testing.T, me *rtos.Task, a, b T) {
	q := rtos.NewQueue[T]("q", 2)
	assert.NoError(t, q.Send(me, a))
	assert.NoError(t, q.Send(me, b))
	assert.Equal(t, []T{a, b}, q.Items())
	for _, want := range []T{a, b} {
		v, err := q.Peek(me)
		assert.NoError(t, err)
		assert.Equal(t, want, v)
		v, err = q.Recv(me)
		assert.NoError(t, err)
		assert.Equal(t, want, v)
	}
}

// The largest queue can be made, filled and emptied.
func TestLargestQueue(t *testing.T) {
	if testing.Short() || debugging {
		t.Skip("a million items")
	}
	const most = 1 << 20
	k := newKernel(t, rtos.Config{})
	me := adopted(t, k, "me", 1)
	q := rtos.NewQueue[int32]("q", most)
	for round := range int32(2) {
		sent, received := 0, 0
		for i := int32(0); q.TrySend(me, i^round); i++ {
			sent++
		}
		require.Equal(t, most, sent)
		require.Equal(t, most, q.Len())
		for i := int32(0); ; i++ {
			v, ok := q.TryRecv(me)
			if !ok || v != i^round {
				break
			}
			received++
		}
		require.Equal(t, most, received)
	}
	require.NoError(t, me.Release())
}
