package sim

// An event is something that will happen at a time: the limit of a task's wait, or an
// interrupt.
type event struct {
	at    uint64
	order uint64 // among those of one time
	index int    // in its heap, noPlace if in none
	task  *simTask
	irq   *interrupt
}

const noPlace = -1

func (e *event) before(f *event) bool {
	return e.at < f.at || e.at == f.at && e.order < f.order
}

// events is a heap: the earliest first, of equal ones that of the lower order.
type events []*event

func (h events) put(i int, e *event) {
	h[i] = e
	e.index = i
}

func (h *events) push(e *event) {
	*h = append(*h, e)
	h.up(len(*h)-1, e)
}

// remove takes e out, if it is in.
func (h *events) remove(e *event) {
	i := e.index
	if i == noPlace {
		return
	}
	e.index = noPlace
	n := len(*h) - 1
	last := (*h)[n]
	(*h)[n] = nil
	*h = (*h)[:n]
	if i == n {
		return
	}
	if i > 0 && last.before((*h)[(i-1)/2]) {
		h.up(i, last)
	} else {
		h.down(i, last)
	}
}

// up puts e at i or above.
func (h events) up(i int, e *event) {
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(h[parent]) {
			break
		}
		h.put(i, h[parent])
		i = parent
	}
	h.put(i, e)
}

// down puts e at i or below.
func (h events) down(i int, e *event) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if right := child + 1; right < len(h) && h[right].before(h[child]) {
			child = right
		}
		if !h[child].before(e) {
			break
		}
		h.put(i, h[child])
		i = child
	}
	h.put(i, e)
}
