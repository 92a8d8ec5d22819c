package sim

import "container/heap"

// alarms is the limits of waits, earliest first, equal ones in the order in which the
// waits began.
type alarms []*simTask

func (a alarms) Len() int { return len(a) }

func (a alarms) Less(i, j int) bool {
	if a[i].due != a[j].due {
		return a[i].due < a[j].due
	}
	return a[i].order < a[j].order
}

func (a alarms) Swap(i, j int) {
	a[i], a[j] = a[j], a[i]
	a[i].alarm, a[j].alarm = i, j
}

func (a *alarms) Push(x any) {
	t := x.(*simTask)
	t.alarm = len(*a)
	*a = append(*a, t)
}

func (a *alarms) Pop() any {
	old := *a
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*a = old[:len(old)-1]
	t.alarm = noAlarm
	return t
}

const noAlarm = -1

func (a *alarms) set(t *simTask) {
	if t.alarm == noAlarm {
		heap.Push(a, t)
	} else {
		heap.Fix(a, t.alarm)
	}
}

func (a *alarms) drop(t *simTask) {
	if t.alarm != noAlarm {
		heap.Remove(a, t.alarm)
	}
}
