package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/tickwake/rtos/realtime"
)

// cyclictest is the name under which its figures stand among those of benchmarks.
const cyclictest = "cyclictest"

// runCyclictest lets the program of Debian's package rt-tests measure on the core on which
// the benchmarks have their timer. If it is not there its figures stay unmeasured.
func runCyclictest() result {
	cores, err := realtime.Cores()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return result{}
	}
	core := "-a" + strconv.Itoa(cores[0])
	out, err := exec.Command("cyclictest", "-q", "-N", "-m", "-p99", core, "-t1", "-i100", "-l20000", "-h1000000").Output()
	if err != nil {
		fmt.Fprintf(os.Stderr, "cyclictest (Debian package rt-tests): %v\n", err)
		return result{}
	}
	return parseCyclictest(out)
}

// parseCyclictest reads a histogram of nanoseconds: lines of a latency and a count.
func parseCyclictest(out []byte) result {
	type bin struct {
		ns    float64
		count int
	}
	var bins []bin
	figures := map[string][]float64{}
	total, above := 0, 0
	for in := bufio.NewScanner(bytes.NewReader(out)); in.Scan(); {
		if avg, ok := strings.CutPrefix(in.Text(), "# Avg Latencies: "); ok {
			if ns, err := strconv.ParseFloat(strings.TrimSpace(avg), 64); err == nil {
				figures["avg-us"] = []float64{ns / 1000}
			}
		}
		if over, ok := strings.CutPrefix(in.Text(), "# Histogram Overflows: "); ok {
			above, _ = strconv.Atoi(strings.TrimSpace(over))
		}
		f := strings.Fields(in.Text())
		if len(f) != 2 {
			continue
		}
		ns, err1 := strconv.ParseFloat(f[0], 64)
		count, err2 := strconv.Atoi(f[1])
		if err1 == nil && err2 == nil && count > 0 {
			bins = append(bins, bin{ns, count})
			total += count
		}
	}
	total += above
	for _, q := range []struct {
		unit  string
		share float64
	}{{"p50-us", 0.5}, {"p99-us", 0.99}, {"p99.9-us", 0.999}} {
		sum := 0
		for _, b := range bins {
			if sum += b.count; float64(sum) >= q.share*float64(total) {
				figures[q.unit] = []float64{b.ns / 1000}
				break
			}
		}
	}
	return result{cyclictest: figures}
}
