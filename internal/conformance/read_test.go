package conformance

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const sample = `{
"name":"sample",
"config":{"preemption":1,"timeslicing":0,"tick0":4294967290,"timers":0},
"ticks":20,
"objects":[{"id":"m","kind":"mutex"},{"id":"b","kind":"binary","initial":1}],
"tasks":[
{"id":"A","prio":2,"start":true,"script":[{"op":"take","obj":"m","ticks":"max"},{"op":"work","n":3},{"op":"give","obj":"m","guard":true}]},
{"id":"B","prio":3,"start":false,"script":[{"op":"notify","to":"A","action":"setbits","value":1,"index":2}]}
],
"isrs":[{"at":4,"ops":[{"op":"give","obj":"b"}],"yield":false}],
"trace":[
{"t":0,"ev":"switch","to":"A"}
]
}`

func TestReadSample(t *testing.T) {
	s, err := Read("sample.json", []byte(sample))
	require.NoError(t, err)
	require.Equal(t, Config{Preemption: true, StartTick: 4294967290, Cores: 1}, s.Config)
	require.Equal(t, uint64(20), s.End)
	require.Equal(t, []string{"mutex", "binary"}, s.Kinds())
	require.Equal(t, Op{Name: "take", To: Self, Wait: Limit{Forever: true}}, s.Tasks[0].Script[0])
	require.Equal(t, Op{Name: "notify", Obj: -1, Action: "setbits", Value: 1, Index: 2}, s.Tasks[1].Script[0])
	require.Equal(t, Interrupt{At: 4, NoYield: true, Ops: []Op{{Name: "give", Obj: 1, To: Self}}}, s.Interrupts[0])
	require.True(t, s.HasTrace)
	require.Equal(t, "A", s.Trace[0].To)
}

// TestReadMalformed changes one thing in the sample and expects the place where
// it is wrong and what is wrong there.
func TestReadMalformed(t *testing.T) {
	for _, c := range []struct{ old, replacement, place, msg string }{
		{`"ticks":20,`, `"ticks":20`, "", "invalid character"},
		{`"ticks":20`, `"ticks":-1`, "ticks", "-1 is not an integer"},
		{`"ticks":20`, `"ticks":1e3`, "ticks", "1e3 is not an integer"},
		{`"ticks":20`, `"ticks":1.5`, "ticks", "1.5 is not an integer"},
		{`"ticks":20`, `"ticks":4294967296`, "ticks", "more than"},
		{`"ticks":20`, `"ticks":99999999999999999999999999`, "ticks", "is not an integer"},
		{`"ticks":20`, `"ticks":"20"`, "ticks", "a string where a number is needed"},
		{`"ticks":20`, `"ticks":20,"ticks":20`, "", `key "ticks" twice`},
		{`"ticks":20`, `"ticks":20,"extra":[]`, "extra", "unknown key"},
		{`"ticks":20,`, ``, "", `no key "ticks"`},
		{`"name":"sample"`, `"name":""`, "name", "a name has"},
		{`"name":"sample"`, `"name":` + nested(1000), "name[0][0]", "nested more than"},
		{`"preemption":1`, `"preemption":2`, "config.preemption", "2 is more than 1"},
		{`"preemption":1`, `"preemption":true`, "config.preemption", "a boolean where a number"},
		{`"timers":0`, `"timers":0,"cores":3`, "config.cores", "3 is not an integer from 1 to 2"},
		{`"kind":"mutex"`, `"kind":"muttex"`, "objects[0]", `unknown kind "muttex"`},
		{`"kind":"mutex"`, `"kind":"mutex","len":3`, "objects[0].len", "unknown key"},
		{`"id":"b"`, `"id":"m"`, "objects[1]", `a second object "m"`},
		{`"initial":1`, `"initial":2`, "objects[1].initial", "2 is more than 1"},
		{`"initial":1`, `"initial":null`, "objects[1].initial", "null where a number"},
		{`"kind":"binary","initial":1`, `"kind":"counting","max":0,"initial":0`, "objects[1].max", "0 is not an integer from 1"},
		{`"kind":"binary","initial":1`, `"kind":"queueset","len":1,"members":["m"]`, "objects[1].members[0]", "cannot be a member"},
		{`"id":"B"`, `"id":"A"`, "tasks[1]", `a second task "A"`},
		{`"id":"B"`, `"id":"idle"`, "tasks[1]", "taken by the kernel"},
		{`"id":"B","prio":3`, `"id":"B","prio":8`, "tasks[1].prio", "8 is not an integer from 1 to 7"},
		{`"id":"B","prio":3`, `"id":"B","prio":0`, "tasks[1].prio", "0 is not an integer from 1 to 7"},
		{`"start":false`, `"start":0`, "tasks[1].start", "a number where a boolean"},
		{`"op":"work"`, `"op":"wrok"`, "tasks[0].script[1]", `unknown op "wrok"`},
		{`"op":"work","n":3`, `"op":"work"`, "tasks[0].script[1]", `no key "n"`},
		{`"op":"work","n":3`, `"op":"work","n":-3`, "tasks[0].script[1].n", "-3 is not an integer"},
		{`"op":"work","n":3`, `"op":"work","n":1000000000000000000`, "tasks[0].script[1].n", "1000000000000000000 is more than 4294967295"},
		{`"op":"work","n":3`, `"op":"work","n":3,"n":3`, "tasks[0].script[1]", `key "n" twice`},
		{`"op":"work","n":3`, `"op":"catchup","n":5000`, "tasks[0].script[1].n", "5000 is more than 4096"},
		{`"op":"work","n":3`, `"op":"work","n":3,"script":[{"op":"work","n":3}]`, "tasks[0].script[1].script", "unknown key"},
		{`"op":"work","n":3`, `"op":"work","n":3,"\u001b[2J":1`, `tasks[0].script[1]."\x1b[2J"`, "unknown key"},
		{`"op":"work","n":3`, `"op":"work","n":3,"to":"A"`, "tasks[0].script[1].to", "unknown key"},
		{`"op":"work","n":3`, `"op":"prioset","n":9`, "tasks[0].script[1].n", "9 is more than 7"},
		{`"op":"work","n":3`, `"op":"delayuntil","n":0`, "tasks[0].script[1]", "less than 1"},
		{`"op":"work","n":3`, `"op":"rtake","obj":"m","ticks":0`, "tasks[0].script[1].obj", "rtake of a mutex"},
		{`"op":"work","n":3`, `"op":"take","obj":"b","ticks":0,"guard":true`, "tasks[0].script[1]", "guard on a binary"},
		{`{"op":"work","n":3}`, `[]`, "tasks[0].script[1]", "a list where an object"},
		{`"ticks":"max"`, `"ticks":"min"`, "tasks[0].script[0].ticks", `"min" is neither`},
		{`"ticks":"max"`, `"ticks":-2`, "tasks[0].script[0].ticks", "-2 is not an integer"},
		{`"obj":"m","ticks"`, `"obj":"x","ticks"`, "tasks[0].script[0].obj", `unknown object "x"`},
		{`"to":"A"`, `"to":"C"`, "tasks[1].script[0].to", `unknown task "C"`},
		{`"to":"A"`, `"to":7`, "tasks[1].script[0].to", "a number where a string"},
		{`"index":2`, `"index":3`, "tasks[1].script[0].index", "3 is not an integer from 0 to 2"},
		{`"setbits"`, `"sethits"`, "tasks[1].script[0]", `unknown action "sethits"`},
		{`"kind":"binary","initial":1`, `"kind":"queueset","len":1,"members":["b"]`, "objects[1].members[0]", "cannot be a member"},
		{`{"id":"m","kind":"mutex"}`, `{"id":"m","kind":"queueset","len":1,"members":["b","b"]}`, "objects[0].members[1]", "is a member already"},
		{`{"id":"m","kind":"mutex"}`, `{"id":"m","kind":"timer","period":1,"auto":true,"do":[{"op":"take","obj":"m","ticks":0}]}`, "objects[0].do[0].obj", "take of a timer"},
		{`"at":4`, `"at":9223372036854775808`, "isrs[0].at", "9223372036854775808 is more than"},
		{`"at":4`, `"at":18446744073709551616`, "isrs[0].at", "is not an integer"},
		{`"sample"`, "\"sam\xffple\"", "", "byte 0xff is not UTF-8"},
		{`"sample"`, "\"sample\xc3\"", "", "byte 0xc3 is not UTF-8"},
		{`"at":4`, `"at":-4`, "isrs[0].at", "-4 is not an integer"},
		{`{"op":"give","obj":"b"}`, `{"op":"delay","n":1}`, "isrs[0].ops[0]", "delay cannot be called in an interrupt"},
		{`{"op":"give","obj":"b"}`, `{"op":"take","obj":"m"}`, "isrs[0].ops[0].obj", "take of a mutex"},
		{`"ev":"switch"`, `"ev":"swatch"`, "trace[0].ev", `unknown event "swatch"`},
		{`"to":"A"}` + "\n]", `"to":"A","who":1}` + "\n]", "trace[0].who", "unknown key"},
	} {
		t.Run(c.replacement[:min(len(c.replacement), 60)], func(t *testing.T) {
			require.Contains(t, sample, c.old)
			_, err := Read("x.json", []byte(strings.Replace(sample, c.old, c.replacement, 1)))
			readErr := new(ReadError)
			require.ErrorAs(t, err, &readErr)
			require.Equal(t, "x.json", readErr.File)
			require.True(t, strings.HasPrefix(readErr.Place, c.place), "place %q", readErr.Place)
			require.Contains(t, readErr.Msg, c.msg)
			require.Contains(t, err.Error(), fmt.Sprintf("x.json:%d:%d: ", readErr.Line, readErr.Column))
		})
	}
}

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

// TestReadHostile: files that are not scenarios at all.
func TestReadHostile(t *testing.T) {
	many := func(where, what string) string {
		return strings.Replace(sample, where, where+strings.Repeat(what+",", 1_000_000), 1)
	}
	for _, c := range []struct{ name, data, msg string }{
		{"empty", "", "unexpected end of file"},
		{"space", " \n\t", "unexpected end of file"},
		{"word", "scenario", "invalid character"},
		{"null", "null", "null where an object is needed"},
		{"list", "[]", "a list where an object is needed"},
		{"open", strings.Repeat("[", 1<<20), "nested more than"},
		{"open objects", strings.Repeat(`{"a":`, 1<<20), "nested more than"},
		{"half", sample[:len(sample)/2], "unexpected end of file"},
		{"twice", sample + sample, "something follows"},
		{"rest", sample + "}", "something follows"},
		{"binary", "\x00\xff\xfe", "byte 0xff is not UTF-8"},
		{"zeros", "\x00\x00", "invalid character"},
		{"byte order mark", "\ufeff" + sample, "invalid character"},
		{"string", `"` + strings.Repeat("x", 1<<20), "unexpected end of file"},
		{"a million tasks", many(`"tasks":[`, "{}"), "tasks: 1000002 elements, more than 256"},
		{"a million objects", many(`"objects":[`, "{}"), "objects: 1000002 elements, more than 256"},
		{"a million interrupts", many(`"isrs":[`, "{}"), "isrs: 1000001 elements, more than 4096"},
		{"a million ops", many(`"script":[`, "{}"), "tasks[0].script: 1000003 elements, more than 4096"},
		{"a million ops in an interrupt", many(`"ops":[`, "{}"), "isrs[0].ops: 1000001 elements, more than 4096"},
		{"a million events", many(`"trace":[`, "{}"), "trace: 1000001 elements, more than 65536"},
		{"a million lists", "[" + strings.Repeat("[],", 2_000_000), "more than 1048576 values in the file"},
		{"huge", strings.Repeat(" ", MaxFile+1), "more than 16777216 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read("x.json", []byte(c.data))
			require.ErrorAs(t, err, new(*ReadError))
			require.ErrorContains(t, err, c.msg)
			require.Less(t, len(err.Error()), 300)
		})
	}
}

func TestReadErrorTellsLineAndColumn(t *testing.T) {
	_, err := Read("x.json", []byte("{\n \"name\": \"n\",\n  \"doc\": 5\n}"))
	require.EqualError(t, err, "conformance: x.json:3:10: doc: a number where a string is needed")
}

// TestEncodeRoundTrip reads every recorded trace and writes it again.
func TestEncodeRoundTrip(t *testing.T) {
	for i, f := range recorded() {
		s := parsed()[i]
		_, want, _ := bytes.Cut(f.Data, []byte("\"trace\":"))
		got := append(bytes.TrimSuffix(appendTrace(nil, s.Trace), []byte("\n")), "\n}\n"...)
		require.Equal(t, string(want), string(got), f.Name)
	}
}
