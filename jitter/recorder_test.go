package jitter_test

import (
	"cmp"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/jitter"
)

func newRecorder(t *testing.T, o jitter.Options) *jitter.Recorder {
	t.Helper()
	rec, err := jitter.NewRecorder(o)
	require.NoError(t, err)
	return rec
}

// aClock is a clock that stands still.
func aClock() time.Duration { return time.Second }

// A reader that asks while the loop runs gets all that was recorded up to some activation
// and nothing of what came after: here the n-th value is n. Run it under the race detector.
func TestReadersSeeAPrefix(t *testing.T) {
	const samples, readers = 200_000, 3
	rec := newRecorder(t, jitter.Options{Samples: samples, TakeOver: time.Millisecond})
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range readers {
		wg.Go(func() {
			last := uint64(0)
			for running := true; running; {
				select {
				case <-done:
					running = false
				default:
				}
				res := rec.Result()
				n := res.Lateness.Count()
				if n < last {
					t.Errorf("%d samples after %d", n, last)
				}
				if last = n; n == 0 {
					continue
				}
				assert.EqualValues(t, 1, res.Lateness.Min())
				assert.EqualValues(t, n, res.Lateness.Max())
				assert.InDelta(t, float64(n+1)/2, res.Lateness.Mean(), 0)
				assert.Equal(t, n, res.Missed)
				assert.Len(t, res.Worst, int(min(n, jitter.NumWorst)))
				for i, s := range res.Worst {
					assert.Equal(t, n-uint64(i), s.Index)
					assert.EqualValues(t, s.Index, s.By)
				}
			}
		})
	}
	rec.BeginOn(aClock)
	for i := time.Duration(1); !rec.Full(); i++ {
		rec.Record(0, i)
		rec.Missed(1)
	}
	require.NoError(t, rec.End())
	close(done)
	wg.Wait()
	assert.EqualValues(t, samples, rec.Result().Lateness.Count())
}

// The worst are those of the whole run, in one order, however often it was read meanwhile.
func TestWorstAreKeptWithIndexAndTime(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 1000} {
		for _, spread := range []int{3, 1 << 30} { // many equals, or none
			rec := newRecorder(t, jitter.Options{})
			start := rec.BeginOn(aClock)
			random := rand.New(rand.NewPCG(1, uint64(n)))
			var want []jitter.Sample
			for i := range n {
				planned := time.Duration(i+1) * time.Millisecond
				by := time.Duration(random.IntN(spread) - spread/2)
				rec.Record(start+planned, start+planned+by)
				want = append(want, jitter.Sample{Index: uint64(i + 1), Planned: planned, By: by})
			}
			require.NoError(t, rec.End())
			slices.SortFunc(want, func(a, b jitter.Sample) int {
				return cmp.Or(-cmp.Compare(a.By, b.By), cmp.Compare(a.Index, b.Index))
			})
			want = want[:min(n, jitter.NumWorst)]
			got := rec.Result().Worst
			require.Len(t, got, len(want))
			for i, s := range got {
				assert.False(t, s.At.IsZero())
				s.At, s.Pause, s.Faults = time.Time{}, 0, 0
				assert.Equal(t, want[i], s)
			}
		}
	}
}

// Handing over in the middle does not change what is kept.
func TestWorstDoNotDependOnHandOvers(t *testing.T) {
	run := func(takeOver bool) *jitter.Result {
		rec := newRecorder(t, jitter.Options{})
		rec.BeginOn(aClock)
		random := rand.New(rand.NewPCG(1, 2))
		asking := make(chan *jitter.Result)
		for i := range 2000 {
			if takeOver && i%50 == 0 {
				go func() { asking <- rec.Result() }()
				for done := false; !done; { // every record may be the one that hands over
					select {
					case <-asking:
						done = true
					default:
						rec.Record(0, -time.Hour)
						runtime.Gosched()
					}
				}
			}
			rec.Record(0, time.Duration(random.IntN(100)))
		}
		require.NoError(t, rec.End())
		return rec.Result()
	}
	plain, cut := run(false), run(true)
	for i := range plain.Worst {
		assert.Equal(t, plain.Worst[i].By, cut.Worst[i].By)
	}
	assert.Len(t, cut.Worst, jitter.NumWorst)
}

func TestWarmUpDoesNotCount(t *testing.T) {
	rec := newRecorder(t, jitter.Options{Warmup: 10, Samples: 5})
	rec.BeginOn(aClock)
	for i := time.Duration(1); !rec.Full(); i++ {
		rec.Record(0, i)
		rec.Missed(1)
		rec.Coalesced(1)
	}
	require.NoError(t, rec.End())
	res := rec.Result()
	assert.EqualValues(t, 5, res.Lateness.Count())
	assert.EqualValues(t, 11, res.Lateness.Min())
	assert.EqualValues(t, 15, res.Lateness.Max())
	assert.EqualValues(t, 15, res.Worst[0].Index, "the warm-up is counted in the index")
	assert.EqualValues(t, 6, res.Missed, "the one after the last of the warm-up, too")
	assert.EqualValues(t, 6, res.Coalesced)
	assert.Empty(t, res.Interrupted)
}

// What is skipped or lost moves the index of what follows.
func TestIndexCountsWhatWasNotRecorded(t *testing.T) {
	rec := newRecorder(t, jitter.Options{})
	rec.BeginOn(aClock)
	rec.Record(0, 1)
	rec.Skipped(9)
	rec.Record(0, 2)
	rec.Lost(4)
	rec.Record(0, 3)
	require.NoError(t, rec.End())
	res := rec.Result()
	var index []uint64
	for _, s := range res.Worst {
		index = append(index, s.Index)
	}
	assert.Equal(t, []uint64{16, 11, 1}, index)
	assert.EqualValues(t, 9, res.Missed)
	assert.EqualValues(t, 4, res.Lost)
	assert.EqualValues(t, 3, res.Lateness.Count())
}

// What comes after the last sample that was asked for is not recorded.
func TestFullRecorderTakesNoMore(t *testing.T) {
	rec := newRecorder(t, jitter.Options{Samples: 2})
	rec.BeginOn(aClock)
	for range 5 {
		rec.Record(0, 1)
	}
	assert.True(t, rec.Full())
	require.NoError(t, rec.End())
	assert.EqualValues(t, 2, rec.Result().Lateness.Count())
}

func TestRecorderStates(t *testing.T) {
	rec := newRecorder(t, jitter.Options{Name: "x", Samples: 2})
	res := rec.Result()
	assert.Zero(t, res.Lateness.Count(), "before it begins")
	assert.False(t, res.Running)
	require.NoError(t, rec.End(), "an end without a beginning does nothing")

	rec.BeginOn(aClock)
	var misuse *rtos.MisuseError
	require.ErrorAs(t, panicOf(func() { rec.BeginOn(aClock) }), &misuse)
	assert.Equal(t, "x", misuse.Object)
	rec.Record(0, 1)
	require.NoError(t, rec.End())
	require.NoError(t, rec.End(), "once more")
	res = rec.Result()
	assert.False(t, res.Running)
	assert.Equal(t, "the loop has ended early", res.Interrupted)
	assert.EqualValues(t, 1, res.Lateness.Count())
	res.Lateness.Add(5)
	res.Worst[0].Index = 99
	assert.EqualValues(t, 1, rec.Result().Lateness.Count(), "a result is a copy")
	assert.EqualValues(t, 1, rec.Result().Worst[0].Index)
}

// A loop that does not come to its next activation keeps nobody waiting: the answer is
// what there was before, and the rest is not lost.
func TestReaderDoesNotWaitForAStalledLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := newRecorder(t, jitter.Options{Period: time.Millisecond, TakeOver: time.Hour})
		rec.BeginOn(aClock)
		rec.Record(0, 1)
		begun := time.Now()
		res := rec.Result()
		assert.Less(t, time.Since(begun), 50*time.Millisecond)
		assert.True(t, res.Running)
		assert.Zero(t, res.Lateness.Count())
		rec.Record(0, 2) // hands over the first
		assert.EqualValues(t, 1, rec.Result().Lateness.Count(), "and asks for the second")
		rec.Record(0, 3) // hands over the second
		assert.EqualValues(t, 2, rec.Result().Lateness.Count())
		require.NoError(t, rec.End())
		assert.EqualValues(t, 3, rec.Result().Lateness.Count())
		assert.EqualValues(t, 3, rec.Result().Lateness.Max())
	})
}

func TestBadOptions(t *testing.T) {
	for _, c := range []struct {
		opts jitter.Options
		want string
	}{
		{jitter.Options{Period: -1}, "Options.Period is -1ns"},
		{jitter.Options{TakeOver: -1}, "Options.TakeOver is -1ns"},
		{jitter.Options{Every: -1}, "Options.Every is -1ns"},
		{jitter.Options{Resume: true}, "Resume without a File"},
		{jitter.Options{Loads: []jitter.Load{nil}}, "Loads[0] is nil"},
	} {
		_, err := jitter.NewRecorder(c.opts)
		require.Error(t, err)
		assert.Contains(t, err.Error(), c.want)
	}
}

// Recording allocates nothing, hand-overs included.
func TestRecordingDoesNotAllocate(t *testing.T) {
	rec, ring := newRecorder(t, jitter.Options{TakeOver: time.Hour}), jitter.NewRing(8)
	rec.BeginOn(aClock)
	h := new(jitter.Histogram)
	n := time.Duration(0)
	assert.Zero(t, testing.AllocsPerRun(1000, func() {
		n++
		h.Add(n)
		rec.Record(0, n)
		rec.Missed(1)
		rec.Coalesced(1)
		rec.Skipped(1)
		rec.Lost(1)
		ring.Post(n, n)
		ring.Drain(n, rec, nil)
	}))
	require.NoError(t, rec.End())
	assert.Greater(t, rec.Result().Lateness.Count(), uint64(2000))
}

func BenchmarkAdd(b *testing.B) {
	h := new(jitter.Histogram)
	d := time.Duration(0)
	for b.Loop() {
		d = (d + 12_345) & (1<<20 - 1)
		h.Add(d)
	}
}

func BenchmarkRecord(b *testing.B) {
	rec, err := jitter.NewRecorder(jitter.Options{})
	if err != nil {
		b.Fatal(err)
	}
	rec.BeginOn(aClock)
	d := time.Duration(0)
	for b.Loop() {
		d = (d + 12_345) & (1<<20 - 1)
		rec.Record(0, d)
	}
	if err := rec.End(); err != nil {
		b.Fatal(err)
	}
}

// Of activations that span the end of the warm-up, those after it count.
func TestWarmupEndsWithinAGap(t *testing.T) {
	for _, c := range []struct {
		gap func(*jitter.Recorder, uint64)
		of  func(*jitter.Result) uint64
	}{
		{(*jitter.Recorder).Skipped, func(r *jitter.Result) uint64 { return r.Missed }},
		{(*jitter.Recorder).Lost, func(r *jitter.Result) uint64 { return r.Lost }},
	} {
		rec, err := jitter.NewRecorder(jitter.Options{Warmup: 10})
		require.NoError(t, err)
		rec.BeginOn(func() time.Duration { return 0 })
		c.gap(rec, 7)
		c.gap(rec, 8) // the numbers 8 to 15
		rec.Record(0, 0)
		require.NoError(t, rec.End())
		assert.EqualValues(t, 5, c.of(rec.Result()))
		assert.EqualValues(t, 1, rec.Result().Lateness.Count())
	}
}

func TestCoalescedActivationsOfTheWarmupDoNotCount(t *testing.T) {
	rec, err := jitter.NewRecorder(jitter.Options{Warmup: 2})
	require.NoError(t, err)
	rec.BeginOn(func() time.Duration { return 0 })
	ring := jitter.NewRing(8)
	for range 3 {
		ring.Post(0, 0)
	}
	assert.Equal(t, 3, ring.Drain(1, rec, nil))
	require.NoError(t, rec.End())
	assert.EqualValues(t, 1, rec.Result().Lateness.Count())
	assert.EqualValues(t, 1, rec.Result().Coalesced)
}
