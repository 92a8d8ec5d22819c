package explore

import "fmt"

// freeze stops a thread for ever before the n-th step of its operation.
type freeze struct {
	thread string
	n      int
	done   bool
}

// filter lets the thread run alone up to where it freezes, then the others.
func (f *freeze) filter(w *World, options []*Thread) []*Thread {
	if f.done {
		return options
	}
	for i, t := range options {
		if t.name != f.thread {
			continue
		}
		if !t.marked || t.inOp < f.n {
			return options[i : i+1]
		}
		w.frozen, f.done = t, true
		rest := append([]*Thread(nil), options[:i]...)
		return append(rest, options[i+1:]...)
	}
	return options
}

// A Frozen says how the others fared while one thread was frozen.
type Frozen struct {
	Step int    // of the operation, before which the thread was frozen
	At   Access // what it was about to do
	Err  error  // what the others could not do
}

// Freeze runs the program once for every step of the named thread's [World.Operation]: the
// thread runs alone up to that step, and takes it never. The checks of the program then
// tell whether the others came to their end; see [World.Stuck]. A thread that has parked
// itself is frozen when it would go on.
func Freeze(p Program, thread string, l Limits) ([]Frozen, error) {
	var list []Frozen
	for n := 1; ; n++ {
		f := &freeze{thread: thread, n: n}
		var at Access
		w := runOnce(p, l, func(a Access) {
			if a.Thread == thread && !f.done {
				at = a
			}
		}, f, func(_ *World, options []*Thread) *Thread { return options[0] })
		if !f.done {
			if len(list) == 0 && w.err != nil {
				return nil, fmt.Errorf("explore: without any freeze: %w", w.err)
			}
			return list, nil
		}
		list = append(list, Frozen{n, at, w.err})
	}
}
