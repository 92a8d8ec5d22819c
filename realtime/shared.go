package realtime

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
)

// What concerns the whole process belongs to all ports that run: the first one that wants
// it sets it, the last one sets it back.
var (
	memory    shared
	latency   shared
	collector shared
	procs     sharedProcs
	spinners  spinCores
	others    otherThreads
)

// A shared setting is on or off.
type shared struct {
	mu    sync.Mutex
	users int
	undo  func()
}

// claim calls set, unless the setting has users already.
func (s *shared) claim(set func() (undo func(), err error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == 0 {
		undo, err := set()
		if err != nil {
			return err
		}
		s.undo = undo
	}
	s.users++
	return nil
}

func (s *shared) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users == 0 {
		s.undo()
		s.undo = nil
	}
}

// setMemory locks the memory. What the program has locked before stays so.
func setMemory(whenUsed bool) func() (func(), error) {
	return func() (func(), error) {
		if memoryIsLocked() {
			return func() {}, nil
		}
		if err := lockMemory(whenUsed); err != nil {
			return nil, fmt.Errorf("realtime: locking the memory: %w: %s", err, missing(toLock, 0, err))
		}
		return unlockMemory, nil
	}
}

func setLatency() (func(), error) {
	f, err := openLatency()
	if err != nil {
		return nil, fmt.Errorf("realtime: keeping the cores from deep sleep: %w: %s", err, missing(toKeep, 0, err))
	}
	return func() { _ = f.Close() }, nil
}

// setCollector stops the garbage collector until headroom has been allocated. A limit
// that the program has set stays.
func setCollector(headroom int64) func() (func(), error) {
	return func() (func(), error) {
		runtime.GC()
		percent := debug.SetGCPercent(-1)
		limit := debug.SetMemoryLimit(-1)
		if limit == math.MaxInt64 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			debug.SetMemoryLimit(int64(m.Sys-m.HeapReleased) + headroom)
		}
		return func() {
			debug.SetMemoryLimit(limit)
			debug.SetGCPercent(percent)
		}, nil
	}
}

// sharedProcs is GOMAXPROCS: as high as any port wants it.
type sharedProcs struct {
	mu     sync.Mutex
	users  int
	before int
	set    int // by us, 0 if not
}

// claim returns what GOMAXPROCS is then.
func (s *sharedProcs) claim(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := runtime.GOMAXPROCS(0)
	if s.users == 0 {
		s.before = now
	}
	s.users++
	if n > now {
		runtime.GOMAXPROCS(n)
		s.set, now = n, n
	}
	return now
}

func (s *sharedProcs) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users > 0 {
		return
	}
	if s.set != 0 && runtime.GOMAXPROCS(0) == s.set { // else somebody has changed it since
		runtime.GOMAXPROCS(s.before)
	}
	s.set = 0
}

// spinCores are the cores on which tasks may spin: never all of the machine, since a
// core on which real-time threads spin in turn has no time for anything else.
type spinCores struct {
	mu    sync.Mutex
	users map[int]int // of each core
}

// claim grants as many of the cores as it can, the highest first, since systems prefer
// the lowest for their own work.
func (s *spinCores) claim(cores []int, machine int) (granted []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == nil {
		s.users = map[int]int{}
	}
	for i := len(cores) - 1; i >= 0; i-- {
		if c := cores[i]; s.users[c] > 0 || len(s.users) < machine-1 {
			s.users[c]++
			granted = append([]int{c}, granted...)
		}
	}
	return granted
}

func (s *spinCores) release(granted []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range granted {
		if s.users[c]--; s.users[c] == 0 {
			delete(s.users, c)
		}
	}
}
