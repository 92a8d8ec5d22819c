package realtime

import (
	"os"
	"sync"
)

// keptOff keeps the threads of the process, but for those of tasks and timers, off the
// cores of the ports that run.
//
// Threads are made by others and begin with their maker's cores, so that what comes later
// is kept off too; but one may be made while another one goes through the list. So the
// list is read until all is as it should be.
type keptOff struct {
	mu      sync.Mutex
	cores   map[int]int // ports that keep others off, by core
	own     map[int]bool
	threads map[int]keptThread
	usual   mask // of the initial thread, before
	off     mask // the cores, as they were applied
}

type keptThread struct{ was, now mask }

const mostPasses = 20

// usable are the cores that the program may use when no port runs.
func (k *keptOff) usable() (mask, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.cores) > 0 {
		return k.usual, nil
	}
	return affinity(os.Getpid())
}

// add keeps the others off these cores too, and reports whether there are any left for
// them.
func (k *keptOff) add(cores []int) (kept bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.cores) == 0 {
		if k.usual, err = affinity(os.Getpid()); err != nil {
			return false, err
		}
		k.cores, k.threads = map[int]int{}, map[int]keptThread{}
	}
	for _, c := range cores {
		k.cores[c]++
	}
	return !k.usual.without(k.set()).empty(), k.apply()
}

func (k *keptOff) remove(cores []int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range cores {
		if k.cores[c]--; k.cores[c] == 0 {
			delete(k.cores, c)
		}
	}
	return k.apply()
}

func (k *keptOff) set() (m mask) {
	for c := range k.cores {
		m = m.or(maskOf(c))
	}
	return m
}

// apply goes through the threads until no one needs a change.
func (k *keptOff) apply() error {
	off := k.set()
	for range mostPasses {
		ids, err := threadIDs()
		if err != nil {
			return err
		}
		changed := false
		for _, id := range ids {
			if !k.own[id] && k.move(id, off) {
				changed = true
			}
		}
		if !changed {
			break
		}
	}
	k.off = off
	return nil
}

// move takes a thread off the cores, or back to where it was; false if it is there, or
// has ended.
func (k *keptOff) move(id int, off mask) bool {
	cur, err := affinity(id)
	if err != nil {
		delete(k.threads, id)
		return false
	}
	e, known := k.threads[id]
	switch {
	case !known && !k.off.empty() && cur == k.usual.without(k.off):
		e.was = k.usual // made by one that has been moved
	case !known || cur != e.now:
		e.was = cur // somebody else has set it
	}
	want := e.was.without(off)
	if want.empty() {
		want = e.was
	}
	e.now = want
	k.threads[id] = e
	return want != cur && setAffinity(id, want) == nil
}

// enter says that the calling thread is a task's or a timer's: it will set its cores
// itself.
func (k *keptOff) enter(id int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.own == nil {
		k.own = map[int]bool{}
	}
	k.own[id] = true
	delete(k.threads, id)
}

func (k *keptOff) leave(id int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.own, id)
}
