package jitter

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// A Table is rows that stand one below the other, such as one's own beside published ones.
type Table struct {
	Title string
	Rows  []Row
	Notes []string // printed below, one a line
}

// WriteTo writes the table as text; what is not known is a dash.
func (t *Table) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, t.String())
	return int64(n), err
}

func (t *Table) String() string {
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintln(&b, t.Title)
	}
	var body strings.Builder
	tw := tabwriter.NewWriter(&body, 0, 0, 2, ' ', tabwriter.AlignRight)
	width := len("us")
	for _, r := range t.Rows {
		width = max(width, len(r.Name))
	}
	// Names are on the left, figures on the right.
	fmt.Fprintf(tw, "%-*s\tavg\tmin\tp50\tp99\tp99.9\tmax\tbin1 %%\tmissed\tcpu %%\tload ops/s\tsamples\t\n", width, "us")
	for _, r := range t.Rows {
		fmt.Fprintf(tw, "%-*s\t", width, r.Name)
		for _, f := range []struct {
			value  float64
			digits int
		}{
			{r.Avg, 3}, {r.Min, 3}, {r.P50, 3}, {r.P99, 3}, {r.P999, 3}, {r.Max, 3},
			{r.Bin1, 2}, {r.Missed, 0}, {r.CPU, 1}, {r.LoadOps, 0},
		} {
			if math.IsNaN(f.value) {
				fmt.Fprint(tw, "-\t")
			} else {
				fmt.Fprintf(tw, "%.*f\t", f.digits, f.value)
			}
		}
		if r.Samples == 0 {
			fmt.Fprint(tw, "-\t\n")
		} else {
			fmt.Fprintf(tw, "%d\t\n", r.Samples)
		}
	}
	_ = tw.Flush() // a Builder takes everything
	b.WriteString(outdent(body.String()))
	for _, note := range t.Notes {
		fmt.Fprintln(&b, note)
	}
	return b.String()
}

// outdent takes away what a tabwriter that aligns to the right puts before each line.
func outdent(s string) string {
	return strings.ReplaceAll(strings.TrimPrefix(s, "  "), "\n  ", "\n")
}
