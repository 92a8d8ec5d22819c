package porttest

import (
	"log/slog"

	"github.com/tickwake/rtos"
)

func bindChecks() []check {
	return []check{{
		name:    "Traits",
		methods: "Bind",
		contract: "a port that sets Schedules sets Current and InInterrupt: the running task, nil before and after the run, " +
			"and whether an interrupt runs",
		body: checkTraits,
	}, {
		name:     "OneKernel",
		methods:  "Bind",
		contract: "a port is the port of one kernel: Bind refuses a second one with an error, and the first is none the worse",
		body:     checkOneKernel,
	}, {
		name:     "EmptyRun",
		methods:  "Run",
		contract: "a run without tasks ends at once",
		body:     func(tr *trial) { tr.world(rtos.Config{}).finish() },
	}}
}

func checkTraits(tr *trial) {
	w := tr.world(rtos.Config{})
	if cur := w.k.Current(); cur != nil {
		w.failf("Traits.Current", "is %v before the run", cur)
	}
	look := func(t *rtos.Task) {
		if !w.schedules() {
			return
		}
		w.expect(w.k.Current() == t, "Traits.Current", "is %v in task %v", w.k.Current(), t)
		w.expect(!w.p.traits.InInterrupt(), "Traits.InInterrupt", "is true in a task")
	}
	for _, name := range []string{"a", "b", "c"} {
		w.spawn(name, 1, func(t *rtos.Task) {
			for range 10 {
				look(t)
				_ = t.Delay(span / 5)
				look(t)
				t.Yield()
			}
		})
	}
	w.finish()
}

func checkOneKernel(tr *trial) {
	p := tr.newPort()
	c := rtos.Config{Port: p, Logger: slog.New(slog.DiscardHandler)}
	k, err := rtos.New(c)
	if err != nil {
		tr.fatalf("Bind", "a new port does not take its kernel: %v", err)
	}
	if _, err := rtos.New(c); err == nil {
		tr.failf("Bind", "accepted a second kernel")
	}
	ran := false
	if _, err := k.Spawn("a", 1, func(t *rtos.Task) { ran = t.Delay(span) == nil }); err != nil {
		tr.failf("Start", "Spawn: %v", err)
	}
	if err := k.Run(tr.ctx); err != nil {
		tr.failf("Run", "returned %v, want nil", err)
	}
	tr.expect(ran, "Bind", "the task of the first kernel did not come to its end")
}
