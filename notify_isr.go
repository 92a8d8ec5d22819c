package rtos

// NotifyGiveFromISR is [Task.NotifyGive] from an interrupt. Lock-free. Mirrors
// vTaskNotifyGiveFromISR.
func (t *Task) NotifyGiveFromISR(isr *ISR) error { return t.NotifyGiveAtFromISR(isr, 0) }

// NotifyGiveAtFromISR is [Task.NotifyGiveAt] from an interrupt. Lock-free. Mirrors
// vTaskNotifyGiveIndexedFromISR.
func (t *Task) NotifyGiveAtFromISR(isr *ISR, i int) error {
	_, err := t.NotifyQueryAtFromISR(isr, i, 0, Increment)
	return err
}

// NotifyFromISR is [Task.Notify] from an interrupt. Lock-free. Mirrors
// xTaskNotifyFromISR.
func (t *Task) NotifyFromISR(isr *ISR, v uint32, a Action) error {
	return t.NotifyAtFromISR(isr, 0, v, a)
}

// NotifyAtFromISR is [Task.NotifyAt] from an interrupt. Lock-free. Mirrors
// xTaskNotifyIndexedFromISR.
func (t *Task) NotifyAtFromISR(isr *ISR, i int, v uint32, a Action) error {
	_, err := t.NotifyQueryAtFromISR(isr, i, v, a)
	return err
}

// NotifyQueryAtFromISR is [Task.NotifyQueryAt] from an interrupt. Lock-free. Mirrors
// xTaskNotifyAndQueryIndexedFromISR.
func (t *Task) NotifyQueryAtFromISR(isr *ISR, i int, v uint32, a Action) (prev uint32, err error) {
	isr.check("Task.NotifyFromISR")
	return t.notify(i, v, a, isr)
}
