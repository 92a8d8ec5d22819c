package main

import (
	"fmt"
	"path/filepath"
	"strings"
)

// files are those that the table is about.
const files = "object.go wait.go wait_spin.go waitset.go mutex.go mutex_handover.go orphan.go inherit.go notify.go notify_wait.go semaphore.go queue.go queue_*.go"

// table collects what became of the mutants.
type table struct {
	rows                                          strings.Builder
	noticed, invalid, excused, survivors, untried int
}

func newTable() *table { return &table{} }

func (t *table) add(m mutant, v verdict) {
	switch {
	case v.Invalid:
		t.invalid++
		return
	case v.Killer != "":
		t.noticed++
	case v.reason != "":
		t.excused++
	default:
		t.survivors++
	}
	esc := strings.NewReplacer("|", `\|`, "`", "'").Replace
	fmt.Fprintf(&t.rows, "| %s | %s | `%s` | %s | %s |\n", filepath.Base(m.file), m.fn, esc(m.code), esc(m.kind), esc(v.String()))
}

func (t *table) summary() string {
	untried := ""
	if t.untried > 0 {
		untried = fmt.Sprintf(", %d not tried yet", t.untried)
	}
	return fmt.Sprintf("%d mutants: %d noticed, %d equivalent, %d survive%s (%d more do not compile)\n",
		t.noticed+t.excused+t.survivors+t.untried, t.noticed, t.excused, t.survivors, untried, t.invalid)
}

func (t *table) String() string {
	return `# Mutations: what the tests notice

Every place of the protocols is broken in turn, and the tests must notice: every step that reads and
writes is torn into a load and a store; every write, every wake and every look is dropped; neighbouring steps
change places. See internal/mutate. Made by

    go run ./internal/mutate -write docs/mutations.md ` + files + `

` + t.summary() + `
| file | function | code | broken by | outcome |
| --- | --- | --- | --- | --- |
` + t.rows.String()
}
