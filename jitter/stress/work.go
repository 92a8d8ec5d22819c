package stress

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// variable is the environment variable that makes a program a worker; its value is a job.
const variable = "RTOS_STRESS"

const (
	jobCPU    = "cpu"
	jobMemory = "memory"

	reportEvery = 100 * time.Millisecond
	pageSize    = 4096
)

// job is what a worker does.
type job struct {
	kind  string
	bytes int
}

func (j job) String() string { return j.kind + ":" + strconv.Itoa(j.bytes) + ":" + programMask }

// init turns the program into a worker, if it was started as one.
func init() {
	if value := os.Getenv(variable); value != "" {
		fmt.Fprintln(os.Stderr, work(value))
		os.Exit(1)
	}
}

// work does not return but for an error. It runs in the initialization of the package, that
// is on the first thread of the process.
func work(value string) error {
	parts := strings.SplitN(value, ":", 3)
	if len(parts) != 3 {
		return fmt.Errorf("%s is %q, which is no job", variable, value)
	}
	size, err := strconv.Atoi(parts[1])
	if err != nil {
		return fmt.Errorf("%s is %q: %w", variable, value, err)
	}
	// Threads of the Go runtime besides this one and the one that reads shall not work.
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
	beOrdinary(parts[2])
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0) // the program that started us is gone
	}()
	r := reporter{written: time.Now()}
	switch parts[0] {
	case jobCPU:
		return compute(&r)
	case jobMemory:
		return touch(&r, size)
	}
	return fmt.Errorf("%s is %q, which is no job", variable, value)
}

// reporter writes the number of operations to the program that started the worker.
type reporter struct {
	ops     uint64
	written time.Time
}

func (r *reporter) done(n uint64) error {
	r.ops += n
	now := time.Now()
	if now.Sub(r.written) < reportEvery {
		return nil
	}
	_, err := fmt.Fprintln(os.Stdout, r.ops)
	r.ops, r.written = 0, now
	return err
}

//lint:ignore U1000 what is written to it is not left out by the compiler
var sink float64

func compute(r *reporter) error {
	for {
		for range 1000 {
			sink += math.Sqrt(rand.Float64())
		}
		if err := r.done(1); err != nil {
			return err
		}
	}
}

// touch maps memory, writes to each page and reads it again, unmaps it, and starts over.
func touch(r *reporter, size int) error {
	const block = 64 // pages between two looks at the clock
	for {
		mem, unmap, err := mapped(size)
		if err != nil {
			return err
		}
		for pass := range 2 {
			for i := 0; i < len(mem); i += pageSize {
				if pass == 0 {
					mem[i] = 'Z'
				} else if mem[i] != 'Z' {
					return fmt.Errorf("memory is broken at %d", i)
				}
				if i%(block*pageSize) != 0 {
					continue
				}
				if err := r.done(uint64(pass) * block); err != nil {
					return err
				}
			}
		}
		if err := unmap(); err != nil {
			return err
		}
	}
}
