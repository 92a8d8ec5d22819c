package realtime

import (
	"os"
	"sync"
)

// otherThreads are the threads of the process but for those of tasks and timers. While
// ports run they are kept off the ports' cores, and run before other programs: a task that
// returns to Go from a wait may need what one of them holds.
//
// Threads are made by others and begin on their maker's cores, so what comes later is kept
// off too; but one may be made while another one goes through the list. So the list is
// read until all is as it should be.
type otherThreads struct {
	mu    sync.Mutex
	ports int
	cores map[int]int  // ports that have it, by core
	own   map[int]bool // of tasks and timers
	known map[int]otherThread
	usual mask // of the initial thread, before
	off   mask // the cores, as they were applied last
	nice  int  // of the initial thread, before
	urged bool // the initial thread is
}

type otherThread struct {
	was, now mask
	nice     int // before, if urged
	urged    bool
}

const (
	mostPasses = 20
	mostUrgent = -20
)

// usable are the cores that the program may use when no port runs.
func (o *otherThreads) usable() (mask, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ports > 0 {
		return o.usual, nil
	}
	return affinity(os.Getpid())
}

// add keeps the others off these cores too. It tells whether any are left for them, and
// whether they run before other programs.
func (o *otherThreads) add(cores []int) (kept, urged bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ports == 0 {
		if o.usual, err = affinity(os.Getpid()); err != nil {
			return false, false, err
		}
		o.cores, o.known, o.off, o.urged = map[int]int{}, map[int]otherThread{}, mask{}, false
	}
	o.ports++
	for _, c := range cores {
		o.cores[c]++
	}
	err = o.apply()
	initial := o.known[os.Getpid()]
	o.urged, o.nice = initial.urged, initial.nice
	return !o.usual.without(o.set()).empty(), o.urged, err
}

func (o *otherThreads) remove(cores []int) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ports--
	for _, c := range cores {
		if o.cores[c]--; o.cores[c] == 0 {
			delete(o.cores, c)
		}
	}
	return o.apply()
}

// refresh finds threads that have been made since.
func (o *otherThreads) refresh() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ports > 0 {
		_ = o.apply()
	}
}

// left are the cores that the others have beside this one.
func (o *otherThreads) left(core int) mask {
	o.mu.Lock()
	defer o.mu.Unlock()
	m := o.usual.without(o.set())
	if m.empty() {
		m = o.usual
	}
	return m.without(maskOf(core))
}

func (o *otherThreads) set() (m mask) {
	for c := range o.cores {
		m = m.or(maskOf(c))
	}
	return m
}

// apply goes through the threads until none needs a change.
func (o *otherThreads) apply() error {
	off := o.set()
	for range mostPasses {
		ids, err := threadIDs()
		if err != nil {
			return err
		}
		changed := false
		for _, id := range ids {
			if o.own[id] {
				continue
			}
			if moved := o.move(id, off); o.urge(id) || moved {
				changed = true
			}
		}
		if !changed {
			break
		}
	}
	o.off = off
	return nil
}

// move takes a thread off the cores, or lets it have them back; false if all is well, or
// it has ended.
func (o *otherThreads) move(id int, off mask) bool {
	cur, err := affinity(id)
	if err != nil {
		delete(o.known, id)
		return false
	}
	e, known := o.known[id]
	switch {
	case !known && !o.off.empty() && cur == o.usual.without(o.off):
		e.was = o.usual // made by one that has been moved
	case !known || cur != e.now:
		e.was = cur // somebody else has set it
	}
	e.now = e.was.without(off)
	if e.now.empty() {
		e.now = e.was
	}
	o.known[id] = e
	return e.now != cur && setAffinity(id, e.now) == nil
}

// urge lets a thread run before those of other programs, or no more; false if it does
// already, or must not.
func (o *otherThreads) urge(id int) (changed bool) {
	e := o.known[id]
	nice, ordinary, err := niceness(id)
	if err != nil || !ordinary {
		return false
	}
	if nice == mostUrgent && !e.urged && o.urged {
		e.nice, e.urged = o.nice, true // made by one that has been urged
	}
	switch {
	case o.ports == 0 && e.urged:
		changed = nice != e.nice && setNiceness(id, e.nice) == nil
	case o.ports > 0 && nice > mostUrgent && setNiceness(id, mostUrgent) == nil:
		e.nice, e.urged, changed = nice, true, true
	}
	o.known[id] = e
	return changed
}

// usually tells what threads have when no port runs.
func (o *otherThreads) usually() (cores mask, nice int, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.usual, o.nice, o.ports > 0
}

// enter says that the calling thread is a task's or a timer's: it sets its cores itself.
func (o *otherThreads) enter(id int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.own == nil {
		o.own = map[int]bool{}
	}
	o.own[id] = true
	delete(o.known, id)
}

func (o *otherThreads) leave(id int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.own, id)
}
