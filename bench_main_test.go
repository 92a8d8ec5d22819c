package rtos_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/tickwake/rtos/internal/published"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := leaks(ofTheRuntime); err != nil {
			fmt.Fprintln(os.Stderr, "goroutines left behind:", err)
			code = 1
		}
	}
	if err := table.print(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if len(jitterReport.Results) > 0 {
		jitterReport.Machine = thisMachine()
		jitterReport.After = floors(context.Background())
	}
	if _, err := jitterReport.WriteTo(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// table collects the counter experiment's summaries, the last of each way.
var table counterTable

type counterTable struct {
	rows  [2]map[string]summary
	procs int
}

func (t *counterTable) add(pl placement, way string, s summary) {
	if t.rows[pl] == nil {
		t.rows[pl] = map[string]summary{}
	}
	t.rows[pl][way] = s
	t.procs = runtime.GOMAXPROCS(0)
}

func (t *counterTable) print(w io.Writer) error {
	if t.procs == 0 {
		return nil
	}
	c, err := published.LoadCounter()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nThe counter experiment: %d tasks, %d increments each; medians over runs.\n", c.Tasks, c.Iterations)
	fmt.Fprintf(w, "Published on %s.\n", c.Hardware)
	fmt.Fprintf(w, "Here on %s, GOMAXPROCS=%d.\n\n", thisMachine(), t.procs)

	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "\tpublished\t\t\tpinned\t\t\t\t\t\tfree\t\t\t\t\t")
	fmt.Fprint(tw, "way\tms\tus/op\tcpu %\t")
	for range t.rows {
		fmt.Fprint(tw, "ms\tworst\tus/op\thandovers\tfair %\tcpu %\t")
	}
	fmt.Fprintln(tw)
	was := map[string]published.Way{"Mutex": c.Mutex, "Notify": c.Notification}
	for _, way := range ways {
		p, known := was[way.name]
		if known {
			fmt.Fprintf(tw, "%s\t%.0f\t%.2f\t%s\t", way.name, p.TotalMS, p.PerOpUS, percents(p.CPUPercent))
		} else {
			fmt.Fprintf(tw, "%s\t\t\t\t", way.name)
		}
		for _, pl := range []placement{pinned, free} {
			s, ran := t.rows[pl][way.name]
			if !ran {
				fmt.Fprint(tw, strings.Repeat("\t", 6))
				continue
			}
			fmt.Fprintf(tw, "%.2f\t%.2f\t%.4f\t%.0f\t%.1f\t%s\t", s.ms, s.worst, s.perOp(), s.handovers, s.fair, percents(s.cpu))
		}
		fmt.Fprintln(tw)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprint(w, "\nNot comparable: the published times are of a 240 MHz microcontroller, and its mutex version need not alternate\n"+
		"while its notification version must, so compare Notify with MutexHandoff, and ways within one column.\n")
	return err
}

func percents(x []float64) string {
	s := make([]string, len(x))
	for i, v := range x {
		s[i] = fmt.Sprintf("%.0f", v)
	}
	return strings.Join(s, "+")
}

// thisMachine is what figures depend on.
func thisMachine() string {
	return fmt.Sprintf("%s/%s, %d processors, %s, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), cpuModel(), runtime.Version())
}

func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown CPU"
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		if key, value, ok := strings.Cut(in.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown CPU"
}
