package realtime

// Outside calls f on a thread of its own that has the cores and the nice value that the
// program had before any port ran: for starting processes, which inherit them from the
// thread that starts them. On another system than Linux it just calls f. It returns when
// f has; f must not panic.
func Outside(f func()) {
	if !supported {
		f()
		return
	}
	done := make(chan struct{})
	goThread(func() {
		defer close(done)
		id := gettid()
		others.enter(id)
		defer others.leave(id)
		settle()
		f()
	})
	<-done
}

// settle gives the calling thread what threads of the program usually have.
func settle() {
	if cores, nice, ok := others.usually(); ok {
		_ = setAffinity(0, cores)
		_ = setNiceness(0, nice)
	}
}
