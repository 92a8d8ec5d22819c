package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// object is a kernel object of a scenario that runs.
type object interface {
	// end tells the state of the object for the last event of a trace.
	end() []Field
}

// objectKinds says how the supported kinds are made. A kind that is not here is
// known to the reader and skipped by [Check].
var objectKinds = map[string]func(def *Object) object{
	"mutex":     newMutex,
	"recursive": newRecursive,
	"binary":    newSemaphore,
	"counting":  newSemaphore,
	"queue":     newQueue,
}

// coreKinds is what the selection "core" stands for.
var coreKinds = []string{"mutex", "recursive", "binary", "counting"}

// featureKinds are the needs of a scenario that are not kinds of object.
var featureKinds = []string{"timers", "smp"}

// Unsupported returns the first kind the runner does not have yet, or "".
func (s *Scenario) Unsupported() string {
	for _, kind := range s.Kinds() {
		if objectKinds[kind] == nil {
			return kind
		}
	}
	return ""
}

// A Selection is the set of kinds scenarios may use; nil admits all.
type Selection map[string]bool

// ParseSelection reads a list such as "core,queue": kinds of object, "timers" for
// the timer service, "smp" for more than one core, "core" for mutexes and semaphores
// alone. The empty string and "all" select everything.
func ParseSelection(list string) (Selection, error) {
	if list == "" || list == "all" {
		return nil, nil
	}
	s := Selection{}
	for word := range strings.SplitSeq(list, ",") {
		switch _, known := kindArgs[word]; {
		case word == "core":
			for _, k := range coreKinds {
				s[k] = true
			}
		case known, slices.Contains(featureKinds, word):
			s[word] = true
		default:
			names := append(slices.Sorted(maps.Keys(kindArgs)), featureKinds...)
			return nil, fmt.Errorf("conformance: unknown kind %q, want core, all or some of %s",
				word, strings.Join(names, ", "))
		}
	}
	return s, nil
}

// Excludes returns the first kind of the scenario that is not selected, or "".
func (sel Selection) Excludes(s *Scenario) string {
	for _, kind := range s.Kinds() {
		if sel != nil && !sel[kind] {
			return kind
		}
	}
	return ""
}
