package rtos

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

//go:embed docs/size.md
var sizeDoc string

var updateSizes = flag.Bool("update-sizes", false, "write what was measured into docs/size.md")

// A sizeRow is a row of the table in docs/size.md.
type sizeRow struct {
	what  string
	value uint64 // bytes of the value itself
	heap  uint64 // bytes allocated to make it, all included
	count uint64 // allocations
}

func (r sizeRow) String() string {
	return fmt.Sprintf("| %s | %s | %s | %s |", r.what, orDash(r.value), orDash(r.heap), orDash(r.count))
}

func orDash(n uint64) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatUint(n, 10)
}

var sizeLine = regexp.MustCompile(`(?m)^\| (.+?) \| (\d+|-) \| (\d+|-) \| (\d+|-) \|$`)

func readSizes(doc string) map[string]sizeRow {
	rows := map[string]sizeRow{}
	for _, m := range sizeLine.FindAllStringSubmatch(doc, -1) {
		r := sizeRow{what: m[1]}
		for i, p := range []*uint64{&r.value, &r.heap, &r.count} {
			*p, _ = strconv.ParseUint(m[i+2], 10, 64)
		}
		rows[r.what] = r
	}
	return rows
}

func sizeOf[T any]() uint64 { return uint64(reflect.TypeFor[T]().Size()) }

// heapOf is what one call of f allocates: the median of many calls, so that the growth
// of a list now and then, and whatever runs beside, do not count.
const heapCalls = 51

func heapOf(f func()) (bytes, count uint64) {
	var b, n [heapCalls]uint64
	for i := range heapCalls {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		b[i], n[i] = after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs
	}
	slices.Sort(b[:])
	slices.Sort(n[:])
	return b[heapCalls/2], n[heapCalls/2]
}

var sizeSink any

func measureSizes(t *testing.T) []sizeRow {
	row := func(what string, value uint64, f func()) sizeRow {
		r := sizeRow{what: what, value: value}
		if f != nil {
			r.heap, r.count = heapOf(f)
		}
		return r
	}
	newKernel := func() *Kernel {
		k, err := New(Config{})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	k := newKernel()
	spawn := func() {
		if _, err := k.Spawn("task", 1, func(*Task) {}); err != nil {
			t.Fatal(err)
		}
	}
	var waiters []*Task // a task's first wait with a limit makes its timer
	waiting, err := New(Config{Tasks: heapCalls})
	if err != nil {
		t.Fatal(err)
	}
	for i := range heapCalls {
		task, err := waiting.Adopt(strconv.Itoa(i), 1)
		if err != nil {
			t.Fatal(err)
		}
		waiters = append(waiters, task)
	}
	limit := func() {
		_ = waiters[0].Delay(time.Microsecond)
		_ = waiters[0].Release()
		waiters = waiters[1:]
	}

	return []sizeRow{
		row("`Task`, by `Spawn`", sizeOf[Task](), spawn),
		row("first wait of a task with a limit", 0, limit),
		row("`Mutex`", sizeOf[Mutex](), nil),
		row("`NewMutex`", sizeOf[Mutex](), func() { sizeSink = NewMutex("m") }),
		row("`RecursiveMutex`", sizeOf[RecursiveMutex](), nil),
		row("`NewRecursiveMutex`", sizeOf[RecursiveMutex](), func() { sizeSink = NewRecursiveMutex("m") }),
		row("`NewBinary`, `NewCounting`", sizeOf[Semaphore](), func() { sizeSink = NewBinary("s") }),
		row("`NewQueue[uint64]` of length 1", sizeOf[Queue[uint64]](), func() { sizeSink = NewQueue[uint64]("q", 1) }),
		row("`NewQueue[uint64]` of length 100", sizeOf[Queue[uint64]](), func() { sizeSink = NewQueue[uint64]("q", 100) }),
		row("`Spinlock`", sizeOf[Spinlock](), nil),
		row("first wait on an object", 0, func() { sizeSink = &objectBody{} }),
		row("`Kernel`, without its tasks", sizeOf[Kernel](), nil),
		row("one more slot, `Config.Tasks`", sizeOf[waiter]()+sizeOf[*Task]()+sizeOf[int](), nil),
	}
}

// TestSizes keeps the table of docs/size.md in step with the code on 64-bit machines,
// the bytes of values exactly, those of the heap to a tenth. On 32-bit machines nothing
// may be larger.
func TestSizes(t *testing.T) {
	if debugGate != 0 {
		t.Skip("the build tag rtosdebug makes tasks larger")
	}
	rows := measureSizes(t)
	if *updateSizes {
		writeSizes(t, rows)
		return
	}
	stated := readSizes(sizeDoc)
	if len(stated) != len(rows) {
		t.Errorf("docs/size.md has %d rows, want %d", len(stated), len(rows))
	}
	for _, r := range rows {
		s, ok := stated[r.what]
		switch {
		case !ok:
			t.Errorf("docs/size.md lacks %v", r)
		case strconv.IntSize == 32:
			if r.value > s.value || r.heap > s.heap+s.heap/10 {
				t.Errorf("larger than on a 64-bit machine:\n%v\n%v", r, s)
			}
		case r.value != s.value || r.heap > s.heap+s.heap/10 || r.heap+s.heap/10 < s.heap || r.count != s.count:
			t.Errorf("docs/size.md says\n%v\nmeasured\n%v\nif that is meant: go test -run TestSizes -update-sizes .", s, r)
		}
	}
}

func writeSizes(t *testing.T, rows []sizeRow) {
	if strconv.IntSize == 32 {
		t.Fatal("the table is of a 64-bit machine")
	}
	doc := sizeDoc
	for _, r := range rows {
		line := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(r.what) + ` \|.*$`)
		if !line.MatchString(doc) {
			t.Errorf("docs/size.md has no row %q", r.what)
		}
		doc = line.ReplaceAllLiteralString(doc, r.String())
	}
	if err := os.WriteFile("docs/size.md", []byte(strings.TrimRight(doc, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
