package rtos

// TrySendFromISR sends v to the end of the queue if there is room, from an interrupt.
// Lock-free. Mirrors xQueueSendFromISR, xQueueSendToBackFromISR.
func (q *Queue[T]) TrySendFromISR(isr *ISR, v T) bool {
	return q.sendFromISR("Queue.TrySendFromISR", isr, v, false)
}

// TrySendFrontFromISR sends v to the front of the queue if there is room, from an
// interrupt. It blocks for the few steps of another SendFront only. Mirrors
// xQueueSendToFrontFromISR.
func (q *Queue[T]) TrySendFrontFromISR(isr *ISR, v T) bool {
	return q.sendFromISR("Queue.TrySendFrontFromISR", isr, v, true)
}

func (q *Queue[T]) sendFromISR(op string, isr *ISR, v T, front bool) bool {
	isr.check(op)
	r := q.refuseZero(op, nil)
	if !q.pushOutside(v, front) {
		return false
	}
	r.sentFromISR(isr)
	return true
}

// OverwriteFromISR is [Queue.Overwrite] from an interrupt. Lock-free. Mirrors
// xQueueOverwriteFromISR.
func (q *Queue[T]) OverwriteFromISR(isr *ISR, v T) {
	const op = "Queue.OverwriteFromISR"
	isr.check(op)
	r := q.refuseZero(op, nil)
	q.overwrite(op, v)
	r.sentFromISR(isr)
}

// TryRecvFromISR receives the first item if there is one, from an interrupt. Lock-free, as
// [Queue.Recv]. Mirrors xQueueReceiveFromISR.
func (q *Queue[T]) TryRecvFromISR(isr *ISR) (v T, ok bool) {
	const op = "Queue.TryRecvFromISR"
	isr.check(op)
	r := q.refuseZero(op, nil)
	if v, ok = q.popOutside(); ok {
		r.receivedFromISR(isr)
	}
	return v, ok
}

// TryPeekFromISR returns the first item without receiving it, if there is one, from an
// interrupt. It wakes nobody. Lock-free, as [Queue.Recv]. Mirrors xQueuePeekFromISR.
func (q *Queue[T]) TryPeekFromISR(isr *ISR) (v T, ok bool) {
	const op = "Queue.TryPeekFromISR"
	isr.check(op)
	q.refuseZero(op, nil)
	box, ok := q.pin()
	if ok {
		v = q.look(box)
	}
	return v, ok
}
