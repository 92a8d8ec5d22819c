package conformance

import "strings"

// opSpec says what an operation looks like in a file.
type opSpec struct {
	args  string // keys; a trailing ? marks one that may be left out
	kinds string // the kinds of object it may name, if it has an obj
	isr   string // keys of the interrupt form; "-" if there is none
}

const (
	semaphores = "mutex binary counting"
	mutexes    = "mutex recursive"
	streams    = "stream batch"
	notifyArgs = "to action value index"
)

// opSpecs lists every operation of the format.
var opSpecs = map[string]opSpec{
	"take":     {"obj ticks guard?", semaphores, "obj ticks?"},
	"give":     {"obj guard?", semaphores, "obj"},
	"rtake":    {"obj ticks", "recursive", "-"},
	"rgive":    {"obj", "recursive", "-"},
	"semcount": {"obj", "mutex recursive binary counting", "-"},
	"holder":   {"obj", mutexes, "obj"},

	"notify":           {notifyArgs, "", notifyArgs},
	"notifyquery":      {notifyArgs, "", notifyArgs},
	"notifygive":       {"to index", "", "to index"},
	"notifytake":       {"index clear ticks", "", "-"},
	"notifywait":       {"index entry exit ticks", "", "-"},
	"notifystateclear": {"to? index", "", "-"},
	"notifyvalueclear": {"to? index bits", "", "-"},

	"qsend":      {"obj value ticks", "queue", "obj value ticks?"},
	"qsendfront": {"obj value ticks", "queue", "obj value ticks?"},
	"qoverwrite": {"obj value", "queue", "obj value"},
	"qrecv":      {"obj ticks", "queue", "obj ticks?"},
	"qpeek":      {"obj ticks", "queue", "obj ticks?"},
	"qreset":     {"obj", "queue", "-"},
	"qwaiting":   {"obj", "queue", "obj"},
	"qspaces":    {"obj", "queue", "-"},
	"qselect":    {"obj ticks", "queueset", "obj ticks?"},

	"egset":   {"obj bits", "eventgroup", "obj bits"},
	"egclear": {"obj bits", "eventgroup", "obj bits"},
	"egget":   {"obj", "eventgroup", "obj"},
	"egwait":  {"obj bits all clear ticks", "eventgroup", "-"},
	"egsync":  {"obj set bits ticks", "eventgroup", "-"},

	"ssend":    {"obj data ticks", streams, "obj data ticks?"},
	"srecv":    {"obj max ticks", streams, "obj max ticks?"},
	"sreset":   {"obj", streams, "obj"},
	"savail":   {"obj", streams, "-"},
	"sspaces":  {"obj", streams, "-"},
	"strigger": {"obj n", streams, "-"},

	"msend":   {"obj data ticks", "message", "obj data ticks?"},
	"mrecv":   {"obj max ticks", "message", "obj max ticks?"},
	"mreset":  {"obj", "message", "-"},
	"mnext":   {"obj", "message", "-"},
	"mspaces": {"obj", "message", "-"},

	"delay":       {"n", "", "-"},
	"delayuntil":  {"n", "", "-"},
	"wakemark":    {"", "", "-"},
	"work":        {"n", "", "-"},
	"yield":       {"", "", "-"},
	"tickcount":   {"", "", ""},
	"catchup":     {"n", "", "-"},
	"suspend":     {"to?", "", "-"},
	"resume":      {"to", "", "to"},
	"prioset":     {"to? n", "", "-"},
	"prioget":     {"to?", "", "to"},
	"baseprioget": {"to?", "", "-"},
	"create":      {"to", "", "-"},
	"delete":      {"to?", "", "-"},
	"abortdelay":  {"to", "", "-"},
	"state":       {"to", "", "-"},
	"suspendall":  {"", "", "-"},
	"resumeall":   {"", "", "-"},

	"tstart":  {"obj ticks", "timer", "obj ticks?"},
	"tstop":   {"obj ticks", "timer", "obj ticks?"},
	"treset":  {"obj ticks", "timer", "obj ticks?"},
	"tperiod": {"obj n ticks", "timer", "obj n ticks?"},
	"tactive": {"obj", "timer", "-"},
	"texpiry": {"obj", "timer", "-"},
	"treload": {"obj auto", "timer", "-"},

	"affinity": {"to? mask", "", "-"},
	"core":     {"", "", "-"},
}

// kindArgs lists the parameters of every kind of object.
var kindArgs = map[string]string{
	"mutex":      "",
	"recursive":  "",
	"binary":     "initial",
	"counting":   "max initial",
	"queue":      "len",
	"queueset":   "len members",
	"eventgroup": "",
	"stream":     "size trigger",
	"batch":      "size trigger",
	"message":    "size",
	"timer":      "period auto do",
}

// notifyActions lists the actions of notify and notifyquery.
const notifyActions = "none setbits increment overwrite nooverwrite"

// interruptKinds is the kinds an operation may name in an interrupt. The reference has
// no interrupt form of taking a mutex; giving one is there to be asserted.
func (o opSpec) interruptKinds(name string) string {
	if name == "take" {
		return "binary counting"
	}
	return o.kinds
}

// Args lists the arguments of an operation, in order, and whether there is such an
// operation. A trailing ? marks what may be left out.
func Args(op string, isr bool) (args []string, known bool) {
	spec, known := opSpecs[op]
	switch {
	case !known, isr && spec.isr == "-":
		return nil, false
	case isr:
		return strings.Fields(spec.isr), true
	}
	return strings.Fields(spec.args), true
}

// IsKind tells whether there is such a kind of object.
func IsKind(name string) bool {
	_, known := kindArgs[name]
	return known
}

// listed reports whether word is one of the words of list.
func listed(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}
