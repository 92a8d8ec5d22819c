//go:build explore

package explore

import (
	"fmt"
	"strconv"
	"strings"
)

// A schedule is a list of thread.steps, such as "0.12 1.3 0.1".

func format(path []step) string {
	var b strings.Builder
	for i, s := range path {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%d.%d", s.thread, s.n)
	}
	return b.String()
}

func parse(schedule string) ([]step, error) {
	var path []step
	for _, word := range strings.Fields(schedule) {
		thread, n, _ := strings.Cut(word, ".")
		t, err1 := strconv.ParseUint(thread, 10, 16)
		k, err2 := strconv.ParseUint(n, 10, 31)
		if err1 != nil || err2 != nil || k == 0 {
			return nil, fmt.Errorf("explore: schedule: %q is not thread.steps", word)
		}
		path = append(path, step{int(t), int(k)})
	}
	return path, nil
}
