package rtos_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tickwake/rtos/internal/tables"
	"github.com/tickwake/rtos/realtime"
)

// The published jitter tables; see package tables for what a row is, and the table at the
// end of the run. A row takes 20,000 samples, whatever b.N is, or as many as the flag says:
// 72 million in two hours.

func BenchmarkTimestampRead(b *testing.B)        { benchTable(b, "TimestampRead") }
func BenchmarkInterruptJitter(b *testing.B)      { benchTable(b, "InterruptJitter") }
func BenchmarkTaskJitter(b *testing.B)           { benchTable(b, "TaskJitter") }
func BenchmarkInterruptJitterSleep(b *testing.B) { benchTable(b, "InterruptJitterSleep") }
func BenchmarkTaskJitterSleep(b *testing.B)      { benchTable(b, "TaskJitterSleep") }
func BenchmarkTaskJitterSameCore(b *testing.B)   { benchTable(b, "TaskJitterSameCore") }
func BenchmarkCollectorJitter(b *testing.B)      { benchTable(b, "CollectorJitter") }

func BenchmarkXenomai(b *testing.B) {
	for _, kind := range []string{"Interrupt", "KernelTask", "UserTask"} {
		b.Run(kind, func(b *testing.B) { benchTable(b, "Xenomai/"+kind) })
	}
}

var jitterSamples = flag.Uint64("jitter.samples", tables.Samples, "samples of each row of the jitter tables")

// jitterReport collects what the rows have measured, for the closing table.
var jitterReport tables.Report

func benchTable(b *testing.B, name string) {
	for _, row := range tables.Rows() {
		rest, ok := strings.CutPrefix(row.Name, name)
		switch sub, isSub := strings.CutPrefix(rest, "/"); {
		case !ok:
		case rest == "":
			benchRow(b, row)
		case isSub:
			b.Run(sub, func(b *testing.B) { benchRow(b, row) })
		}
	}
}

func benchRow(b *testing.B, row tables.Row) {
	if b.N == 1 { // later calls report the same again
		row.Samples = *jitterSamples
		if jitterReport.Before == nil {
			jitterReport.Before = floors(b.Context())
		}
		res, err := row.Measure(b.Context(), tables.New())
		if res != nil {
			jitterReport.Add(res, err)
		}
		if err != nil {
			b.Error(err)
		}
	}
	for _, res := range jitterReport.Results {
		if res.Name == row.Name {
			res.Row().Report(b)
			if row.Load == tables.GarbageLoad {
				b.ReportMetric(float64(res.Collector.Cycles), "gcs/run")
			}
		}
	}
	b.ReportMetric(0, "ns/op")
}

// floors is what the machine takes away on each core; a core where it cannot be measured
// is left out.
func floors(ctx context.Context) []realtime.Floor {
	floors := []realtime.Floor{}
	cores, err := realtime.Cores()
	if err != nil {
		return floors
	}
	for _, core := range cores {
		f, err := realtime.MeasureFloor(ctx, realtime.FloorOptions{Core: core, BestEffort: true})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		floors = append(floors, f)
	}
	return floors
}
