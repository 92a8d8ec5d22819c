// Package porttest is the contract of a [rtos.Port] as tests. Whoever writes a port calls
// [Run] in a test of it:
//
//	func TestPort(t *testing.T) {
//		porttest.Run(t, func() rtos.Port { return New() })
//	}
//
// The tests use the public calls of package rtos only. In between stands a port that
// passes every call on to the one under test, watches what it does, and does to the kernel
// what a port may do: let Park return early, deliver an expiry of a wait that is over.
package porttest

import (
	"testing"
	"time"

	"github.com/tickwake/rtos"
)

// Run checks that the ports that newPort makes keep their contract, one subtest for each
// clause of it. A failure names the method of the port that is the likely culprit, says
// what happened, and what the contract wants. A subtest that does not end within ten
// seconds of wall time fails with a report of who waits for what and the stacks of all
// goroutines; the others run all the same.
//
// What a port promises depends on its [rtos.Traits]: clauses that do not concern it are
// skipped, with the reason. A port that schedules is taken to have one processor; whether
// it preempts is found out.
//
// Every call of newPort must return a new port and keep no reference to it. Run looks for
// goroutines that are left behind, so nothing else may start any meanwhile: no parallel
// tests.
func Run(t *testing.T, newPort func() rtos.Port) {
	o := options{patience: 10 * time.Second, grace: 2 * time.Second, rounds: 1000}
	if testing.Short() {
		o.rounds = 100
	}
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			failures, skipped := c.run(newPort, o)
			for _, f := range failures {
				t.Error(f)
			}
			if len(failures) > 0 {
				t.Logf("the contract: %s (%s)", c.contract, c.methods)
			}
			if skipped != "" {
				t.Skip(skipped)
			}
		})
	}
}
