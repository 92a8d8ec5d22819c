package rtos

type taskLocker interface {
	Lock(*Task) error
	Unlock(*Task) error
}

type locker struct {
	m taskLocker
	t *Task
}

func (l *locker) Lock() {
	if err := l.m.Lock(l.t); !took(err) {
		panic(err)
	}
}

func (l *locker) Unlock() {
	if err := l.m.Unlock(l.t); err != nil {
		panic(err)
	}
}
