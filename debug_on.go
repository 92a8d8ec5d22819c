//go:build rtosdebug

package rtos

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
)

// With the build tag rtosdebug every call goes through its slow path, which checks
// that the goroutine is the task's own, and sections remember where they were entered.

const debugGate = askDebug

type debugTask struct {
	goroutine uint64
	entered   string
}

// goroutineID reads the number off the header of a stack trace: slow, and only here.
func goroutineID() uint64 {
	var buf [64]byte
	fields := strings.Fields(string(buf[:runtime.Stack(buf[:], false)]))
	if len(fields) < 2 {
		return 0
	}
	id, _ := strconv.ParseUint(fields[1], 10, 64)
	return id
}

func (t *Task) adoptCaller() { t.debug.goroutine = goroutineID() }

func (t *Task) checkCaller(op string) {
	if t.k.sched && t.k.traits.InInterrupt() {
		return // which the call itself refuses
	}
	if id := goroutineID(); id != t.debug.goroutine {
		misuse(op, t, "", fmt.Sprintf("called by goroutine %d, but the task is goroutine %d", id, t.debug.goroutine))
	}
}

func (t *Task) markEntered() {
	if _, file, line, ok := runtime.Caller(3); ok {
		t.debug.entered = fmt.Sprintf("%s:%d", file, line)
	}
}

func (t *Task) enteredAt() string {
	if t.debug.entered == "" {
		return ""
	}
	return ", entered at " + t.debug.entered
}
