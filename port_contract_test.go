package rtos_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/porttest"
	"github.com/tickwake/rtos/sim"
)

func TestGoroutinePortKeepsTheContract(t *testing.T) {
	porttest.Run(t, rtos.NewGoroutinePort)
}

func TestGoroutinePortIsThePortOfOneKernel(t *testing.T) {
	p := rtos.NewGoroutinePort()
	k := newKernel(t, rtos.Config{Port: p})
	ran := false
	spawn(t, k, "a", 1, func(*rtos.Task) { ran = true })
	finish(t, k)
	assert.True(t, ran)

	_, err := rtos.New(rtos.Config{Port: p})
	require.ErrorContains(t, err, "the port of one kernel only")
}

// halfPort says that it schedules, and not what a kernel needs to know then.
type halfPort struct{ rtos.Port }

func (halfPort) Bind(*rtos.Kernel) (rtos.Traits, error) {
	return rtos.Traits{Schedules: true}, nil
}

func TestNewRefusesAPortThatSchedulesInSecret(t *testing.T) {
	_, err := rtos.New(rtos.Config{Port: halfPort{}})
	require.ErrorContains(t, err, "Current or InInterrupt")
}

// readySpy notes who ends waits.
type readySpy struct {
	*sim.Sim
	told []rtos.Origin
}

func (p *readySpy) Ready(t *rtos.Task, from rtos.Origin) bool {
	p.told = append(p.told, from)
	return p.Sim.Ready(t, from)
}

// A port that schedules hears of the end of a wait once, and from whom it comes.
func TestPortsAreToldOnceWhoEndedAWait(t *testing.T) {
	type story struct {
		waiter, other *rtos.Task
		s             *rtos.Semaphore
		q             *rtos.Queue[int]
	}
	take := func(me *rtos.Task, st *story) { _ = st.s.TakeFor(me, me.Kernel().Ticks(10)) }
	recv := func(me *rtos.Task, st *story) { _, _ = st.q.RecvFor(me, me.Kernel().Ticks(10)) }
	notified := func(me *rtos.Task, st *story) { _, _ = me.NotifyTake(true, me.Kernel().Ticks(10)) }
	suspended := func(me *rtos.Task, st *story) { _ = me.SuspendSelf() }
	for name, c := range map[string]struct {
		wait func(*rtos.Task, *story)
		end  func(*story)
		isr  func(*story, *rtos.ISR)
		want rtos.Origin
	}{
		"give":                    {wait: take, end: func(st *story) { st.s.Give() }, want: rtos.FromTask},
		"give, interrupt":         {wait: take, isr: func(st *story, isr *rtos.ISR) { st.s.GiveFromISR(isr) }, want: rtos.FromISR},
		"send":                    {wait: recv, end: func(st *story) { st.q.TrySend(st.other, 1) }, want: rtos.FromTask},
		"send, interrupt":         {wait: recv, isr: func(st *story, isr *rtos.ISR) { st.q.TrySendFromISR(isr, 1) }, want: rtos.FromISR},
		"notification":            {wait: notified, end: func(st *story) { _ = st.waiter.NotifyGive() }, want: rtos.FromTask},
		"notification, interrupt": {wait: notified, isr: func(st *story, isr *rtos.ISR) { _ = st.waiter.NotifyGiveFromISR(isr) }, want: rtos.FromISR},
		"resumption":              {wait: suspended, end: func(st *story) { st.waiter.Resume() }, want: rtos.FromTask},
		"resumption, interrupt":   {wait: suspended, isr: func(st *story, isr *rtos.ISR) { st.waiter.ResumeFromISR(isr) }, want: rtos.FromISR},
		"abort":                   {wait: take, end: func(st *story) { st.waiter.AbortDelay() }, want: rtos.FromTask},
		"limit":                   {wait: take, want: rtos.FromTick},
		"limit, notification":     {wait: notified, want: rtos.FromTick},
	} {
		t.Run(name, func(t *testing.T) {
			p := &readySpy{Sim: sim.New(sim.Options{})}
			k := newKernel(t, rtos.Config{Port: p})
			st := &story{s: rtos.NewBinary("s"), q: rtos.NewQueue[int]("q", 2)}
			st.waiter = spawn(t, k, "waiter", 2, func(me *rtos.Task) { c.wait(me, st) })
			st.other = spawn(t, k, "other", 1, func(me *rtos.Task) {
				if c.end != nil {
					c.end(st)
				}
			})
			if c.isr != nil {
				p.At(1, func(isr *rtos.ISR) { c.isr(st, isr) })
			}
			finish(t, k)
			assert.Equal(t, []rtos.Origin{c.want}, p.told)
		})
	}
}
