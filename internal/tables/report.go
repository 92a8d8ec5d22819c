package tables

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tickwake/rtos/internal/published"
	"github.com/tickwake/rtos/jitter"
	"github.com/tickwake/rtos/realtime"
)

// A Report is the closing table: what was measured beside what was published.
type Report struct {
	Machine       string // on which it was measured
	Results       []*jitter.Result
	Before, After []realtime.Floor // of the cores, measured before and after the rows

	failed map[string]error // by name: what was wrong
}

// Add adds what [Row.Measure] has answered; an earlier result of the same name is
// forgotten.
func (r *Report) Add(res *jitter.Result, err error) {
	if r.failed == nil {
		r.failed = map[string]error{}
	}
	r.failed[res.Name] = err
	if i := slices.IndexFunc(r.Results, func(o *jitter.Result) bool { return o.Name == res.Name }); i >= 0 {
		r.Results[i] = res
		return
	}
	r.Results = append(r.Results, res)
}

// WriteTo writes all of it; nothing if nothing was measured.
func (r *Report) WriteTo(w io.Writer) (int64, error) {
	if len(r.Results) == 0 {
		return 0, nil
	}
	v, err := published.LoadVxWorks()
	if err != nil {
		return 0, err
	}
	x, err := published.LoadXenomai()
	if err != nil {
		return 0, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe jitter tables: lateness from the planned time, an activation every %v.\n", Period)
	fmt.Fprintf(&b, "Published: VxWorks 7 on %s.\n           Xenomai on %s.\n", v.Hardware, x.Hardware)
	fmt.Fprintf(&b, "Here on %s.\n", cmp.Or(r.Machine, "a machine that is not known"))
	r.writeWhere(&b)
	r.writeFloors(&b)
	for _, t := range tableTitles {
		r.writeTable(&b, t.name, t.title, v, x)
	}
	r.writeDistributions(&b, x)
	fmt.Fprintf(&b, "\n%s", remarks)
	for _, s := range slices.Concat(v.Remarks, []string{"second table: " + v.SecondRemark}, x.Remarks) {
		fmt.Fprintf(&b, "  - %s\n", s)
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// Every title says what stands for an interrupt.
var tableTitles = []struct{ name, title string }{
	{"TimestampRead", "TimestampRead: the clock of the kernel, read again and again"},
	{"InterruptJitter", "InterruptJitter: the timer's thread, in the place of an interrupt handler; it sleeps, then spins"},
	{"TaskJitter", "TaskJitter: code of a task that the timer's thread, in the place of an interrupt handler, wakes\n" +
		"  on another core; both sleep, then spin"},
	{"InterruptJitterSleep", "InterruptJitterSleep: the timer's thread, in the place of an interrupt handler; it only sleeps"},
	{"TaskJitterSleep", "TaskJitterSleep: code of a task that the timer's thread, in the place of an interrupt handler, wakes\n" +
		"  on another core; both only sleep"},
	{"TaskJitterSameCore", "TaskJitterSameCore: code of a task that the timer's thread, in the place of an interrupt handler,\n" +
		"  wakes on its own core; the timer sleeps, then spins"},
	{"Xenomai", "Xenomai: Interrupt is the timer's thread, in the place of an interrupt handler; KernelTask the thread of\n" +
		"  a task that it wakes, before code of the task runs; UserTask code of the task. Timer and task have cores\n" +
		"  of their own and sleep, then spin. Load is ten processes that compute and four that use memory"},
	{"CollectorJitter", "CollectorJitter: the timer's thread, in the place of an interrupt handler, only sleeping, while goroutines\n" +
		"  allocate; the collector off and on"},
}

const remarks = `How to read them
  - The timer's thread has the highest real-time priority, and runs on the first core, or on that of the
    task. A handler in a kernel, as published, has less in its way.
  - Where that thread spins, its lateness is that of the first reading of the clock after the deadline, unless
    it was held up; what the machine needs to wake a thread is in the rows that only sleep.
  - bin1 % is the share of the samples from 0 up to half a microsecond.
  - cpu % is what the timer's thread and the task together use of one core. Spinning buys lateness for it.
  - SemLoad and MqLoad are goroutines on the cores that are left to the program, where the timer's thread
    runs too (except in TaskJitterSameCore). DelayLoad is a less urgent real-time task on the task's core.
  - Maxima on a virtual machine are mostly the host's: see the floor. Compare averages and quantiles.
  - A period that the timer has missed as a whole is left out, and counted as missed.
Of what was published
`

// writeWhere writes the worlds in which was measured, each once, with the tables for
// which it held.
func (r *Report) writeWhere(b *strings.Builder) {
	var worlds []string
	tables := map[string][]string{}
	for _, res := range r.Results {
		s := res.Setup.String()
		if tables[s] == nil {
			worlds = append(worlds, s)
		}
		if t := table(res.Name); !slices.Contains(tables[s], t) {
			tables[s] = append(tables[s], t)
		}
	}
	for _, s := range worlds {
		fmt.Fprintf(b, "\n%-14s%s\n%s", "measured", strings.Join(tables[s], ", "), s)
	}
}

func (r *Report) writeFloors(b *strings.Builder) {
	for _, f := range []struct {
		when   string
		floors []realtime.Floor
	}{{"before", r.Before}, {"after", r.After}} {
		for _, floor := range f.floors {
			fmt.Fprintf(b, "%-14s%v\n", f.when, floor)
		}
	}
}

// writeTable writes the rows of a table, each with what was published for it.
func (r *Report) writeTable(b *strings.Builder, name, title string, v published.VxWorks, x published.Xenomai) {
	t := jitter.Table{Title: title}
	for _, res := range r.Results {
		if table(res.Name) != name {
			continue
		}
		row := res.Row()
		row.Name = strings.TrimPrefix(strings.TrimPrefix(res.Name, name), "/")
		if row.Name == "" {
			row.Name = "here"
		}
		t.Rows = append(t.Rows, row)
		t.Rows = append(t.Rows, beside(res.Name, v, x)...)
		switch err := r.failed[res.Name]; {
		case err != nil:
			t.Notes = append(t.Notes, fmt.Sprintf("%s does not count: %v", row.Name, err))
		case res.Interrupted != "":
			t.Notes = append(t.Notes, fmt.Sprintf("%s was interrupted: %s", row.Name, res.Interrupted))
		}
	}
	if len(t.Rows) > 0 {
		fmt.Fprintf(b, "\n%s", t.String())
	}
}

// beside is the published rows that belong to a row of ours.
func beside(name string, v published.VxWorks, x published.Xenomai) (rows []jitter.Row) {
	add := func(name string, r published.Row, known bool) {
		if known {
			rows = append(rows, jitter.PublishedRow("  "+name, r.Avg, r.Min, r.Max))
		}
	}
	table, row, _ := strings.Cut(name, "/")
	kind, load, _ := strings.Cut(row, "/")
	switch {
	case name == "TimestampRead":
		add("VxWorks", v.Rows["bmTimestampRead"], true)
		add("Xenomai", x.TimestampRead, true)
	case strings.HasPrefix(table, "InterruptJitter"):
		r, ok := v.Rows["bmIntJitter"+row]
		add("VxWorks", r, ok)
	case strings.HasPrefix(table, "TaskJitter"):
		r, ok := v.Rows["bmTaskJitter"+row]
		add("VxWorks", r, ok)
		r, ok = v.SecondTable["bmTaskJitter"+row]
		add("VxWorks, second table", r, ok)
	case kind == "Interrupt":
		r, ok := x.Interrupt[load]
		add("Xenomai", r, ok)
	case load == StressLoad.String():
		if d, ok := distribution(kind, x); ok {
			row := jitter.PublishedRow("  Xenomai", d.Avg, d.Min, d.Max)
			row.Samples = d.Samples
			if i := slices.IndexFunc(d.Bins, func(b published.Bin) bool { return b.Centre == 0.25 }); i >= 0 {
				row.Bin1 = 100 * float64(d.Bins[i].Count) / float64(d.Samples)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func distribution(kind string, x published.Xenomai) (published.Distribution, bool) {
	switch kind {
	case "KernelTask":
		return x.KernelTask, true
	case "UserTask":
		return x.UserTask, true
	}
	return published.Distribution{}, false
}

// writeDistributions writes ours under load beside the two that were published, as shares.
func (r *Report) writeDistributions(b *strings.Builder, x published.Xenomai) {
	type column struct {
		title string
		share map[float64]float64
		above float64 // of the last line
	}
	// The last line has what lies above.
	const last = 14.0
	var columns []column
	for _, kind := range []string{"KernelTask", "UserTask"} {
		i := slices.IndexFunc(r.Results, func(res *jitter.Result) bool { return res.Name == "Xenomai/"+kind+"/"+StressLoad.String() })
		if i < 0 || r.Results[i].Lateness.Count() == 0 {
			continue
		}
		d, _ := distribution(kind, x)
		was := column{kind + ", Xenomai", map[float64]float64{}, 0}
		for _, bin := range d.Bins {
			was.share[bin.Centre] += 100 * float64(bin.Count) / float64(d.Samples)
		}
		h := r.Results[i].Lateness
		now := column{"here", map[float64]float64{}, 0}
		now.above = 100 * float64(h.Above()) / float64(h.Count())
		for bin := range h.Bins() {
			s := 100 * float64(bin.Count) / float64(h.Count())
			if bin.Centre > last {
				now.above += s
			} else {
				now.share[bin.Centre] = s
			}
		}
		columns = append(columns, was, now)
	}
	if len(columns) == 0 {
		return
	}
	fmt.Fprint(b, "\nDistributions under load: % of the samples by the middle of half a microsecond\n")
	var body strings.Builder
	tw := tabwriter.NewWriter(&body, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "us\t")
	centres := map[float64]bool{}
	for _, c := range columns {
		fmt.Fprintf(tw, "%s\t", c.title)
		for centre := range c.share {
			centres[centre] = true
		}
	}
	fmt.Fprintln(tw)
	sorted := make([]float64, 0, len(centres))
	for c := range centres {
		sorted = append(sorted, c)
	}
	slices.Sort(sorted)
	for _, centre := range sorted {
		fmt.Fprintf(tw, "%g\t", centre)
		for _, c := range columns {
			fmt.Fprintf(tw, "%s\t", percent(c.share[centre]))
		}
		fmt.Fprintln(tw)
	}
	fmt.Fprintf(tw, "above %g\t", last)
	for _, c := range columns {
		fmt.Fprintf(tw, "%s\t", percent(c.above))
	}
	fmt.Fprintln(tw)
	_ = tw.Flush() // a Builder takes everything
	b.WriteString(body.String())
}

func percent(p float64) string {
	switch {
	case p == 0:
		return "-"
	case p < 0.001:
		return fmt.Sprintf("%.0e", p)
	}
	return fmt.Sprintf("%.3f", p)
}
