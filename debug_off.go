//go:build !rtosdebug

package rtos

// Without the build tag rtosdebug the caller's goroutine is not checked: entering a
// wait while the task is in another one is all that can be seen for free.

const debugGate = 0

type debugTask struct{}

func (t *Task) adoptCaller()          { _ = t.debug }
func (t *Task) checkCaller(op string) {}
func (t *Task) markEntered()          {}
func (t *Task) enteredAt() string     { return "" }
