package tables

import (
	"strings"
	"time"
)

// Samples of a row, and its Period, as in the published tables.
const (
	Samples = 20_000
	Period  = 100 * time.Microsecond
)

// Rows are all rows, table by table.
func Rows() []Row {
	rows := []Row{{Name: "TimestampRead", Stamp: ClockRead}}
	for _, table := range []Row{
		{Name: "InterruptJitter", Stamp: Interrupt, Spin: true},
		{Name: "TaskJitter", Stamp: UserTask, Spin: true},
		{Name: "InterruptJitterSleep", Stamp: Interrupt},
		{Name: "TaskJitterSleep", Stamp: UserTask},
		{Name: "TaskJitterSameCore", Stamp: UserTask, Spin: true, SameCore: true},
	} {
		for _, load := range []Load{NoLoad, SemLoad, MqLoad, DelayLoad} {
			rows = append(rows, table.under(load))
		}
	}
	for _, table := range []Row{
		{Name: "Xenomai/Interrupt", Stamp: Interrupt, Spin: true},
		{Name: "Xenomai/KernelTask", Stamp: KernelTask, Spin: true},
		{Name: "Xenomai/UserTask", Stamp: UserTask, Spin: true},
	} {
		for _, load := range []Load{NoLoad, StressLoad} {
			rows = append(rows, table.under(load))
		}
	}
	rows = append(rows,
		Row{Name: "CollectorJitter/Off", Stamp: Interrupt, Load: GarbageLoad},
		Row{Name: "CollectorJitter/On", Stamp: Interrupt, Load: GarbageLoad, Collector: true},
	)
	for i := range rows {
		rows[i].Period, rows[i].Samples = Period, Samples
	}
	return rows
}

func (r Row) under(l Load) Row {
	r.Load = l
	r.Name += "/" + l.String()
	return r
}

// table is the name without the row: "TaskJitter".
func table(name string) string {
	before, _, _ := strings.Cut(name, "/")
	return before
}
