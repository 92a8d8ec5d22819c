package realtime

import (
	"runtime"
	"sync"
)

// mostStock is the most that a large machine is given: threads are limited, too, and a
// program that cannot have one more ends.
const mostStock = 32

// stock makes sure that n threads of Go's are at rest. A task that Go's scheduler has
// preempted, or that has found no processor after a wait, goes on when another thread has
// come to it; if that one had to be made first, it would take milliseconds. Go keeps the
// threads that it has. As many as it has processors may be busy, be it with looking for
// something to do.
func stock(n int) {
	var there, gone sync.WaitGroup
	there.Add(n)
	all := make(chan struct{})
	for range n {
		gone.Go(func() {
			runtime.LockOSThread() // so that each needs one of its own
			there.Done()
			<-all
			runtime.UnlockOSThread()
		})
	}
	there.Wait()
	close(all)
	gone.Wait()
}
