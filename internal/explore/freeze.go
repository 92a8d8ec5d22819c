//go:build explore

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
		if t.name != f.thread || t.idle && i > 0 {
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

// FreezeEach runs the program once for every step of the named thread's [World.Operation]: the
// thread runs alone up to that step, and takes it never. The checks of the program then
// tell whether the others came to their end; see [World.Stuck]. After each run f is told. A
// thread that has parked itself is frozen when it would go on.
func FreezeEach(p Program, thread string, l Limits, f func(Frozen)) error {
	for n := 1; ; n++ {
		z := &freeze{thread: thread, n: n}
		var at Access
		w := runOnce(p, l, func(a Access) {
			if a.Thread == thread && !z.done {
				at = a
			}
		}, z, func(_ *World, options []*Thread) *Thread { return options[0] })
		if !z.done {
			if n == 1 && w.err != nil {
				return fmt.Errorf("explore: without any freeze: %w", w.err)
			}
			return nil
		}
		f(Frozen{n, at, w.err})
	}
}

// Freeze is [FreezeEach] as a list.
func Freeze(p Program, thread string, l Limits) (list []Frozen, err error) {
	err = FreezeEach(p, thread, l, func(f Frozen) { list = append(list, f) })
	return list, err
}
