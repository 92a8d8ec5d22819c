package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// A group is the benchmarks of one process, and the figures they give.
type group struct {
	bench   string
	cpu     int
	figures []figure
	peer    func() result // measures a peer that is no benchmark, right before
}

// A figure compares a metric of ours with a peer's, or by itself with limit. Bare names a
// loop that does only what the machine cannot do without, to be compared with the peer.
type figure struct {
	name, unit, ours, peer string
	limit                  float64
	atLeast                bool
	bare                   string
}

type groupList []*group

var groups = groupList{
	{"Uncontended/Mutex|sync.Mutex|BareCalls", 2, []figure{
		{"Uncontended/Mutex", "ns/op", "Uncontended/Mutex", "Uncontended/sync.Mutex", 1.10, false, "Uncontended/BareCalls"},
	}, nil},
	{"Counter/pinned/Mutex|sync.Mutex", 2, []figure{
		{"Counter/pinned/Mutex", "ms/run", "Counter/pinned/Mutex", "Counter/pinned/sync.Mutex", 0.95, false, ""},
		{"Counter/pinned/Mutex hand-overs", "handovers/run", "Counter/pinned/Mutex", "Counter/pinned/sync.Mutex", 0.5, true, ""},
	}, nil},
	{"Counter/free/Mutex|sync.Mutex", 2, []figure{
		{"Counter/free/Mutex", "ms/run", "Counter/free/Mutex", "Counter/free/sync.Mutex", 1.0, false, ""},
	}, nil},
	{"Counter/free/Notify|SemaphoreHandoff|ChanHandoff|SpinHandoffApart", 2, []figure{
		{"Counter/free/Notify", "ms/run", "Counter/free/Notify", "Counter/free/ChanHandoff", 0.45, false, "Counter/free/SpinHandoffApart"},
		{"Counter/free/SemaphoreHandoff", "ms/run", "Counter/free/SemaphoreHandoff", "Counter/free/ChanHandoff", 0.5, false, "Counter/free/SpinHandoffApart"},
	}, nil},
	{"Counter/pinned/Notify|SemaphoreHandoff|ChanHandoff|SpinHandoff|SpinHandoffApart", 2, []figure{
		{"Counter/pinned/Notify", "ms/run", "Counter/pinned/Notify", "Counter/pinned/ChanHandoff", 1.0 / 300, false, "Counter/pinned/SpinHandoffApart"},
		{"Counter/pinned/Notify", "ms/run", "Counter/pinned/Notify", "Counter/pinned/SpinHandoff", 1.6, false, "Counter/pinned/SpinHandoffApart"},
		{"Counter/pinned/SemaphoreHandoff", "ms/run", "Counter/pinned/SemaphoreHandoff", "Counter/pinned/ChanHandoff", 0.5, false, "Counter/pinned/SpinHandoffApart"},
	}, nil},
	{"Handoff/Notify|Chan", 1, []figure{
		{"Handoff/Notify -cpu=1", "ns/op", "Handoff/Notify", "Handoff/Chan", 0.75, false, ""},
	}, nil},
	{"Handoff4/Notify|Chan", 2, []figure{
		{"Handoff4/Notify", "ns/op", "Handoff4/Notify", "Handoff4/Chan", 0.6, false, ""},
	}, nil},
	{"Uncontended/NotifySelf|Chan1|BareSwaps", 2, []figure{
		{"Uncontended/NotifySelf", "ns/op", "Uncontended/NotifySelf", "Uncontended/Chan1", 0.3, false, "Uncontended/BareSwaps"},
	}, nil},
	{"Wake/Semaphore/waiters=512", 2, []figure{
		{"Wake/Semaphore/waiters=512", "ns/op", "Wake/Semaphore/waiters=512", "", 5000, false, ""},
	}, nil},
	{"PriorityLatency", 2, []figure{
		{"PriorityLatency/Mutex p99", "p99-us", "PriorityLatency/Mutex", "PriorityLatency/sync.Mutex", 0.5, false, ""},
		{"PriorityLatency/Mutex p99.9", "p99.9-us", "PriorityLatency/Mutex", "PriorityLatency/sync.Mutex", 0.5, false, ""},
	}, nil},
	{"Uncontended/Mutex|RecursiveMutex|Binary|Counting|Spinlock|NotifySelf", 2, []figure{
		{"allocations, nobody waits", "allocs/op", "", "", 0, false, ""},
	}, nil},
	{"Handoff|Handoff4/Notify|Semaphore|Mutex", 2, []figure{
		{"allocations, hand-over", "allocs/op", "", "", 0, false, ""},
	}, nil},
	{"Timeout/Expire|Satisfied|Parked", 2, []figure{
		{"allocations, with limits", "allocs/op", "", "", 0, false, ""},
	}, nil},
	{"Queue", 2, queueFigures(), nil},
	{"InterruptJitterSleep|InterruptJitter/NoLoad", 2, []figure{
		{"timer, only sleeping, avg", "avg-us", "InterruptJitterSleep/NoLoad", cyclictest, 1.05, false, ""},
		{"timer, only sleeping, p99", "p99-us", "InterruptJitterSleep/NoLoad", cyclictest, 1.3, false, ""},
		{"timer, only sleeping, p99.9", "p99.9-us", "InterruptJitterSleep/NoLoad", cyclictest, 1.5, false, ""},
		{"timer, spinning, avg", "avg-us", "InterruptJitter/NoLoad", cyclictest, 0.10, false, ""},
		{"timer, spinning, avg", "avg-us", "InterruptJitter/NoLoad", "", 0.5, false, ""},
		{"timer, spinning, first bin", "bin1-%", "InterruptJitter/NoLoad", "", 99, true, ""},
	}, runCyclictest},
	{"Xenomai/Interrupt|UserTask/Load", 2, []figure{
		{"timer under load, avg", "avg-us", "Xenomai/Interrupt/Load", "", 0.77, false, ""},
		{"timer under load, first bin", "bin1-%", "Xenomai/Interrupt/Load", "", 97, true, ""},
		{"task under load, avg", "avg-us", "Xenomai/UserTask/Load", "", 3.6, false, ""},
	}, nil},
	{"TaskJitter", 2, []figure{
		{"TaskJitter/SemLoad avg", "avg-us", "TaskJitter/SemLoad", "TaskJitter/NoLoad", 1.25, false, ""},
		{"TaskJitter/MqLoad avg", "avg-us", "TaskJitter/MqLoad", "TaskJitter/NoLoad", 1.25, false, ""},
		{"TaskJitter/DelayLoad avg", "avg-us", "TaskJitter/DelayLoad", "TaskJitter/NoLoad", 1.25, false, ""},
	}, nil},
	{"Xenomai/UserTask", 2, []figure{
		{"task under stress, avg", "avg-us", "Xenomai/UserTask/Load", "Xenomai/UserTask/NoLoad", 1.25, false, ""},
	}, nil},
	{"CollectorJitter", 2, []figure{
		{"CollectorJitter p99.9", "p99.9-us", "CollectorJitter/On", "CollectorJitter/Off", 1.5, false, ""},
	}, nil},
	{"TimestampRead", 2, []figure{
		{"TimestampRead avg", "avg-us", "TimestampRead", "", 0.025, false, ""},
	}, nil},
}

// queueFigures are the ratios to channels that the benchmark of queues finds by turns.
func queueFigures() (figures []figure) {
	for _, placement := range []string{"alone", "pinned", "free", "four-senders", "one-processor"} {
		limit := 1.2
		if placement == "pinned" {
			limit = 0.5
		}
		for _, length := range []string{"1", "16", "1024"} {
			name := "Queue/" + placement + "/" + length
			figures = append(figures, figure{name, "ratio", name, "", limit, false, ""})
		}
	}
	return figures
}

// counterWays are the ways of ours whose repetitions must lie close together.
var counterWays = func() (ways []string) {
	for _, placement := range []string{"pinned", "free"} {
		for _, way := range []string{"Mutex", "Notify", "Semaphore", "SemaphoreHandoff", "MutexHandoff", "Spinlock"} {
			ways = append(ways, placement+"/"+way)
		}
	}
	return ways
}()

func (l groupList) matching(match *regexp.Regexp) groupList {
	return slices.DeleteFunc(slices.Clone(l), func(g *group) bool {
		return !slices.ContainsFunc(g.figures, func(f figure) bool { return match.MatchString(f.name) })
	})
}

// A row is one judged figure; NaN is what was not measured or does not apply.
type row struct {
	name, unit, peer  string
	ours, other       float64
	ratio, limit      float64
	bare              float64
	atLeast, absolute bool
	note              string
}

func (f figure) judge(runs []result) row {
	r := row{name: f.name, unit: f.unit, peer: f.peer, limit: f.limit, atLeast: f.atLeast, absolute: f.peer == "", other: math.NaN(), bare: math.NaN()}
	var ours, other, ratios, bare []float64
	for _, run := range runs {
		names := []string{f.ours}
		if f.ours == "" {
			names = slices.Collect(maps.Keys(run))
		}
		worst := math.NaN()
		for _, name := range names {
			if v, ok := run.get(name, f.unit); ok && !(v <= worst) {
				worst = v
			}
		}
		ours = append(ours, worst)
		if p, ok := run.get(f.peer, f.unit); ok {
			other = append(other, p)
			ratios = append(ratios, worst/p)
			if v, ok := run.get(f.bare, f.unit); ok {
				bare = append(bare, v/p)
			}
		}
	}
	r.ours, r.ratio = median(ours), median(ours)
	if !r.absolute {
		r.other, r.ratio, r.bare = median(other), median(ratios), median(bare)
		if len(ratios) > 0 {
			r.note = fmt.Sprintf("%.3g to %.3g", slices.Min(ratios), slices.Max(ratios))
		}
	}
	return r
}

func spreadName(way string) string { return "Counter/" + way + " second worst" }

func spread(way string, res result) row {
	ms := slices.Sorted(slices.Values(res["Counter/"+way]["ms/run"]))
	r := row{name: spreadName(way), unit: "ms/run", peer: "its own median", limit: 5, ours: math.NaN(), other: median(ms), ratio: math.NaN(), bare: math.NaN()}
	if n := len(ms); n > 1 {
		r.ours = ms[n-2]
		r.ratio = r.ours / r.other
		r.note = fmt.Sprintf("worst of %d: %.3g", n, ms[n-1]/r.other)
	}
	return r
}

func (r row) ok() bool {
	if r.atLeast {
		return r.ratio >= r.limit
	}
	return r.ratio <= r.limit
}

func printTable(w io.Writer, machine string, rows []row) (missed int) {
	fmt.Fprintf(w, "%s, %s\n\n", machine, runtime.Version())
	fmt.Fprintln(w, "| figure | ours | peer | ratio | limit | | bare loop | spread |")
	fmt.Fprintln(w, "| --- | ---: | ---: | ---: | ---: | --- | ---: | --- |")
	for _, r := range rows {
		verdict := "ok"
		if !r.ok() {
			verdict = "**miss**"
			missed++
		}
		limit := number(r.limit)
		if r.atLeast {
			limit = "at least " + limit
		}
		ratio, peer := number(r.ratio), ""
		if r.absolute {
			ratio = ""
		} else {
			peer = number(r.other) + " " + strings.TrimPrefix(r.peer, "Counter/")
		}
		bare := ""
		if !math.IsNaN(r.bare) {
			bare = number(r.bare)
		}
		fmt.Fprintf(w, "| `%s` | %s %s | %s | %s | %s | %s | %s | %s |\n", r.name, number(r.ours), r.unit, peer, ratio, limit, verdict, bare, r.note)
	}
	return missed
}

func number(v float64) string {
	if math.IsNaN(v) {
		return "not measured"
	}
	if v != 0 && math.Abs(v) < 0.01 {
		return fmt.Sprintf("1/%.0f", 1/v)
	}
	return fmt.Sprintf("%.4g", v)
}

func median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.SortedFunc(slices.Values(x), cmp.Compare[float64])
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}
