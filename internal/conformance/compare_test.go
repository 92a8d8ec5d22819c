package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func switches(names ...string) []Event {
	var trace []Event
	for i, n := range names {
		trace = append(trace, Event{T: uint64(i), Kind: SwitchEvent, To: n})
	}
	return trace
}

func TestCompareEqual(t *testing.T) {
	require.Nil(t, Compare(nil, nil))
	require.Nil(t, Compare(switches("A", "B"), switches("A", "B")))
}

func TestCompareEveryField(t *testing.T) {
	op := func() Event {
		return Event{T: 3, Actor: TaskActor, ID: "A", PC: 1, Op: "take", Ret: number(1), Prio: []int8{2, NoTask}}
	}
	for name, change := range map[string]func(*Event){
		"time":       func(e *Event) { e.T++ },
		"actor":      func(e *Event) { e.Actor = TimerActor },
		"id":         func(e *Event) { e.ID = "B" },
		"pc":         func(e *Event) { e.PC++ },
		"op":         func(e *Event) { e.Op = "give" },
		"skip":       func(e *Event) { e.Skip = true },
		"ret":        func(e *Event) { e.Ret = number(0) },
		"no ret":     func(e *Event) { e.Ret = Value{} },
		"null val":   func(e *Event) { e.Val = Value{Kind: Null} },
		"woken":      func(e *Event) { e.Woken = number(0) },
		"prio":       func(e *Event) { e.Prio[0] = 3 },
		"task there": func(e *Event) { e.Prio[1] = 0 },
	} {
		e := op()
		change(&e)
		require.NotNil(t, Compare([]Event{op()}, []Event{e}), name)
	}
}

func TestCompareShowsContext(t *testing.T) {
	want := switches("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l")
	got := switches("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "X")
	d := Compare(want, got)
	require.Equal(t, 11, d.Index)
	require.Len(t, d.Before, 10)
	require.Equal(t, `{"t":1,"ev":"switch","to":"b"}`, d.Before[0])
	require.Equal(t, `{"t":11,"ev":"switch","to":"l"}`, d.Want)
	require.Equal(t, `{"t":11,"ev":"switch","to":"X"}`, d.Got)
}

func TestCompareShowsTheEnd(t *testing.T) {
	const longer = `      0           {"t":0,"ev":"switch","to":"A"}
      1 expected  nothing
      1 got       {"t":1,"ev":"switch","to":"B"}
`
	require.Equal(t, longer, Compare(switches("A"), switches("A", "B")).String())
	const shorter = `      0           {"t":0,"ev":"switch","to":"A"}
      1 expected  {"t":1,"ev":"switch","to":"B"}
      1 got       nothing
`
	require.Equal(t, shorter, Compare(switches("A", "B"), switches("A")).String())
}
