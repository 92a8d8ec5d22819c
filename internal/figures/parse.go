package main

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// A result holds, by benchmark name without "Benchmark" and by unit, the
// values in the order they were printed.
type result map[string]map[string][]float64

func parse(r io.Reader, cpu int) result {
	res := result{}
	in := bufio.NewScanner(r)
	for in.Scan() {
		f := strings.Fields(in.Text())
		if len(f) < 4 || len(f)%2 != 0 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(f[0], "Benchmark")
		if cpu != 1 {
			name = strings.TrimSuffix(name, "-"+strconv.Itoa(cpu))
		}
		if res[name] == nil {
			res[name] = map[string][]float64{}
		}
		for i := 2; i < len(f); i += 2 {
			if v, err := strconv.ParseFloat(f[i], 64); err == nil {
				res[name][f[i+1]] = append(res[name][f[i+1]], v)
			}
		}
	}
	return res
}

func (r result) get(name, unit string) (float64, bool) {
	v := r[name][unit]
	if len(v) == 0 {
		return 0, false
	}
	return median(v), true
}

func machine(out []byte) string {
	var parts []string
	for line := range strings.Lines(string(out)) {
		for _, key := range []string{"goos: ", "goarch: ", "cpu: "} {
			if v, ok := strings.CutPrefix(line, key); ok {
				parts = append(parts, strings.TrimSpace(v))
			}
		}
	}
	return strings.Join(parts, ", ")
}
