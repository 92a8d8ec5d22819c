// Package spin decides when and how to spin, per toolchain and architecture.
// It is the only package of the module, the timer loop of realtime aside, that
// reaches into the runtime; everything it reaches for has a pure-Go stand-in.
//
// # The loop
//
// A task that waits for another looks a few times before it parks:
//
//	for k := range spin.Budget(locked) {
//		if k%spin.Stride == 0 && !spin.Can() {
//			break
//		}
//		if try() {
//			return
//		}
//		spin.Pause(1)
//	}
//	for range spin.Yields {
//		spin.Yield()
//		if try() {
//			return
//		}
//	}
//	park()
//
// A contended mutex is tried [Polls] times, microseconds apart, as long as Can says
// yes; then its taker calls [Refresh] and parks. The tries are swaps that do not look
// first: a look moves the cache line once, and a swap after it once more, and in between
// the holder has mostly taken the mutex again.
//
// Each part answers a way in which a simpler loop goes wrong. The times are of one
// hand-over between two tasks on a virtual machine with two Zen 4 cores: 40 ns with
// the loop above. A two-core Xeon of 2023 takes 140 to 180 ns.
//
//   - Without a pause the poll itself is the contention: it takes the cache line
//     from the task that is about to write it. 100 to 150 ns.
//   - Without Can the loop has two stable states. Once both tasks share one
//     processor, the one that waits keeps the other from running for the whole
//     budget, every time: microseconds, for as long as the pair lives. With one
//     processor that is the only state.
//   - With Can but no yield the pair never leaves that shared processor, and a
//     pair of locked threads never leaves the parked state, because Can is false
//     while the peer's processor idles. Dropping the two yields made locked pairs 4
//     to 30 times slower. A yield runs a peer on the same processor at once, and
//     gives one on another the few microseconds it needs to wake.
//   - A budget shorter than the peer's section is lost in full. Waking a parked
//     thread takes 20 to 25 µs, so a locked task may spin about that long
//     ([Locked]). To park an unlocked goroutine whose peer shares the processor
//     takes 0.1 µs, so a quarter of that must do ([Free]).
//   - A mutex is the opposite case: there the holder gains by being left alone, and a
//     change of hands costs as much as fifty times taking it. Two tasks that do nothing
//     but take and give are done in 6.0 ms with tries 4 µs apart, 10.6 ms with tries 0.5
//     µs apart, 7.4 ms with sync.Mutex (200,000 times, each on its own core).
//
// # Pause
//
// PAUSE on x86 (25.5 ns on Zen 4, 14 to 18 ns on that Xeon, some ten cycles on Intel
// cores before Skylake), ISB on arm64, elsewhere some 15 to 20 ns of arithmetic
// that ends in an atomic store to the stack. The store is what makes it a pause:
// without it an out-of-order core runs the next poll, and the next pause, during
// this one.
//
// ISB and not YIELD, because YIELD is a hint to other hardware threads of the same
// core: cores that have none drop it (0.4 ns on Neoverse N1, see
// https://github.com/rust-lang/rust/pull/84725), so the line would be polled as
// densely as without a pause and the budget be over in 0.1 µs. ISB lets the
// pipeline run dry, which also keeps the next poll from being executed early. The
// Go runtime reckons 18 ns for one and paces its own arm64 loop with the counter
// besides; here a count is enough.
//
// A count of pauses in assembly cannot be preempted and delays a collection that
// wants to start: callers pass tens, not thousands.
//
// # What is borrowed from the runtime
//
// sync.runtime_canSpin tells whether several processors are in use, at least one
// other is busy (so that the peer may be running) and the own run queue is empty
// (so that nobody waits for this one). No public call tells any but the first.
// runtime.goyield puts the caller at the end of its own processor's queue;
// [runtime.Gosched] uses the global one, behind the scheduler's lock, whence any
// processor may take the caller.
//
// Both are marked in the runtime as used by other modules and not to be removed or
// changed (https://go.dev/issue/67401), and both link under the default
// -checklinkname. Neither takes or returns a pointer, and neither is called to be
// correct: a build without them gives the same results, later. If a future
// toolchain drops one, the link fails, which no test can miss, and the build tag
// rtos_purego is the way out until this package has followed.
//
// # Without them
//
// The tag rtos_purego, TinyGo and every other compiler get plain Go: no linkname,
// no unsafe, no assembly, Native false. Can then only knows whether GOMAXPROCS was
// above 1 when it last looked. That is enough for a mutex, whose holder is nearly
// always running (8 goroutines on 2 processors took 33 ns a section with the spin
// and 78 without), but not for a hand-over, so [Budget] lets only locked tasks
// spin: their peer cannot be on the same processor for long. The price:
//
//   - a hand-over between unlocked goroutines runs at the speed of a channel (0.8
//     to 1.0 times chan(1), for 0.3 to 0.6 with the runtime's help), because a yield
//     is 1.2 to 2 times as dear and nothing is won by spinning;
//   - a locked task spins even when its peer cannot be running. In the usual state,
//     both spinning, it loses nothing (200 ns on the Xeon in either form). In either
//     form a pair that is locked but not pinned may first spend thousands of
//     hand-overs of 10 to 25 µs in the parked state;
//   - after a change of GOMAXPROCS from several to 1 the next wait may spin once in
//     vain.
//
// WebAssembly has one thread: Can is false and Budget is 0, whatever the tags.
// TinyGo reports a GOMAXPROCS of 1 and does not spin either. A port of Go to bare
// metal that counts one CPU at start never spins in the native form, even if it runs
// on two.
package spin

// The sizes of the loops above.
const (
	// Free and Locked are the pauses before a task parks in a hand-over: as a
	// goroutine, and locked to its thread.
	Free   = 256
	Locked = 1024

	// Stride is the number of pauses between two calls of Can.
	Stride = 8

	// Yields is the number of yields between spinning and parking.
	Yields = 2

	// MutexPolls and LockedMutexPolls are how often a mutex is tried before its taker
	// parks, as a goroutine and locked to its thread. MutexPause is the number of
	// pauses before the first try, MutexPauses before every other.
	MutexPolls       = 6
	LockedMutexPolls = 12
	MutexPause       = 160
	MutexPauses      = 320
)
