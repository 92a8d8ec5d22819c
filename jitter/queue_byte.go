package jitter

import "github.com/tickwake/rtos"

// byteQueue is a queue of one byte, made of two semaphores.
type byteQueue struct {
	items, room *rtos.Semaphore
	v           byte
}

func newByteQueue(name string) *byteQueue {
	q := &byteQueue{items: rtos.NewBinary(name + ", items"), room: rtos.NewBinary(name + ", room")}
	q.room.Give()
	return q
}

// Send waits for room and puts v there.
func (q *byteQueue) Send(t *rtos.Task, v byte) error {
	if err := q.room.Take(t); err != nil {
		return err
	}
	q.v = v
	q.items.Give()
	return nil
}

// Recv waits for a byte and takes it.
func (q *byteQueue) Recv(t *rtos.Task) (byte, error) {
	if err := q.items.Take(t); err != nil {
		return 0, err
	}
	v := q.v
	q.room.Give()
	return v, nil
}
