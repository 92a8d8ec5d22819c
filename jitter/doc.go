// Package jitter measures how late periodic work begins: the lateness of every activation
// from its planned time, in a memory that does not grow, with what it cost and what
// disturbed it beside the figures.
//
// It measures any task of package [github.com/tickwake/rtos], on any port: goroutines, a
// simulation (where the result is exact, and the same each time), real-time threads.
//
// # Quick start
//
//	rec, err := jitter.NewRecorder(jitter.Options{
//		Name:    "control",
//		Period:  time.Millisecond,
//		Samples: 20_000,
//		Warmup:  100,
//	})
//	if err != nil {
//		return err
//	}
//	loop := jitter.Loop{Recorder: rec, Work: control}
//	_, err = k.Spawn("control", 20, func(t *rtos.Task) { _ = loop.Run(ctx, t) })
//	if err != nil {
//		return err
//	}
//	err = k.Run(ctx)
//	fmt.Print(rec.Result())
//
// A [Loop] runs the work, a [Recorder] keeps what it measures, a [Result] is what was kept
// up to some instant, and prints itself. A [Row] is its figures in one line, a [Table] rows
// one below the other, such as one's own beside published ones.
//
// # What is measured
//
// The n-th activation is planned n periods after the start. Its lateness is the time from
// there to its beginning, whatever happened to those before it. So a stall of ten periods
// is ten late activations, not one: who measures from the moment at which the work really
// began sees one bad sample and nine perfect ones.
//
// What to do with activations whose time has passed when it is their turn is the [Policy]:
//
//	CatchUp   they run without a wait, each as late as it is; all are in the histogram
//	Skip      they are left out and not in the histogram
//
// With both, [Result.Missed] is how many there were.
//
// The same holds for a task that an interrupt wakes: it must not look at the latest event
// alone. A [Ring] has an entry for each.
//
// # Ways of waiting
//
//	Sleep           Task.Delay for what is left
//	SleepUntil      Task.DelayUntil; the default
//	SleepThenSpin   sleeps until a margin before the deadline, then reads the clock again
//	                and again; the margin is found at the start by plain sleeps
//
// They are as good as the port's delays. On the goroutine port an idle program wakes up to
// a millisecond late, because Go's runtime waits in whole milliseconds. A thread of package
// [github.com/tickwake/rtos/realtime] waits in the system, to the nanosecond and what it
// takes to wake it; its timers are for who needs less: the example of Port.Timer there
// records what one of them calls.
//
// Spinning is paid for: the margin is spent in processor time for each activation. [CPU] is
// in every report, beside the lateness that it bought.
//
// # Figures
//
// A [Histogram] counts in bins of half a microsecond from -50 to 450 us, with the centres
// of published distributions (-0.25, 0.25, 0.75, ...), what lies outside below and above of
// them, and in buckets of growing width for quantiles. A quantile is never less than the
// true one and at most 1/64 more; least, greatest and average are exact. The 64 worst
// samples are kept with index and time. Nothing overflows and nothing grows: two hours at
// 100 us are 72 million samples in the memory of the first.
//
// Beside the worst samples stand the pauses of the garbage collector that fall into them,
// and the page faults of that stretch of the run (on Linux). A collector pause is known by
// its end and its length; where a cycle had two, they count as one.
//
// On a virtual machine a maximum is mostly the host's. Compare shares and quantiles, and
// the same measurement in the same minute.
//
// # Long runs, and runs that are cut short
//
// A Recorder can be read while the loop runs, without stopping it: [Recorder.Result]. With
// [Options].File it writes a snapshot every ten seconds, which [ReadFile] reads, and which
// a later run goes on from with [Options].Resume. Whether a loop ends by its context, by
// the end of its task or by a panic: what it has measured is in the result, which says
// that it was interrupted. [Result.Merge] adds up runs.
//
// The loop itself pays for recording with plain stores, some ten nanoseconds for a sample:
// no lock, no allocation, no pointer. Recorder says how.
//
// # Loads
//
// A figure "under load" is worth nothing if the load stood still, so a [Load] counts its
// operations. [SemLoad], [MqLoad] and [DelayLoad] are tasks: two that take and give one
// semaphore, two that send each other one byte through two queues, one that delays. They
// may run on the kernel of the loop or on one of their own, as on goroutines beside
// real-time threads. Package [github.com/tickwake/rtos/jitter/stress] does what the command
// stress does, in processes. [Load.Least] is the number of operations a second below which
// a row should be refused.
//
// # What is not known is said
//
// A [Setup] goes with each result: port, clock, scheduling policy, permission, and what was
// wanted and could not be had. A report prints all of it, and "not known" where nobody has
// said. Where the port knows it only during the run, make the Recorder in the task.
package jitter
