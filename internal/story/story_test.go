package story

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAStoryIsTold(t *testing.T) {
	s, err := Read("story", `
# A gives to B twice.
no timeslicing
tick0 4294967295
binary S initial=0
task A 1
  repeat 2
    delay 1
    give S
task B 2
  take S forever
  suspend      # the caller
at 3 no yield
  resume B
end 5`)
	require.NoError(t, err)
	told, err := s.Run()
	require.NoError(t, err)
	assert.Equal(t, `     0  -> B
     0  -> A
     0  -> idle
     1  -> A
     1  A: delay 1
     1  -> B
     1  B: take S forever = 1
     1  -> A
     1  A: give S = 1
     1  -> idle
     2  -> A
     2  A: delay 1
     2  A: give S = 1
     2  A: done
     2  -> idle
     3  interrupt: resume B = 1
     4  -> B
     4  B: suspend
     4  B: done
     4  -> idle
     5  A Suspended, done, e1/b1
     5  B Suspended, done, e2/b2
`, told)
}

func TestBadStoriesAreRefusedWithTheirPlace(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing known":         {"task A 1\nfrog\n", `f:2: "frog" is neither`},
		"indented first":        {"  take A 1\n", `f:1: "take A 1" belongs to nothing`},
		"unknown operation":     {"task A 1\n  jump\n", `f:2: unknown operation "jump"`},
		"not in an interrupt":   {"task A 1\nat 3\n  delay 1\n", `f:3: unknown operation "delay"`},
		"argument missing":      {"task A 1\n  take S\n", "f:2: take: ticks is missing"},
		"argument too many":     {"task A 1\n  yield 3\n", `f:2: yield: "3" is too much`},
		"unknown object":        {"task A 1\n  take S 1\nend 1\n", `unknown object "S"`},
		"priority":              {"task A x\n", "f:1: "},
		"object's argument":     {"counting C max\n", `f:1: "max": want key=number`},
		"interrupt for ever":    {"at 1 every 0 until 9\n", "f:1: too many interrupts"},
		"interrupt's words":     {"at 1 each 2\n", "f:1: want: at TICK"},
		"repeated for ever":     {"task A 1\n  repeat 5000\n    yield\n", "f:2: repeat 5000"},
		"end":                   {"end soon\n", `f:1: "soon" is no number`},
		"tick":                  {"tick0 -1\n", `f:1: "-1" is no number`},
		"an object named twice": {"mutex A\nmutex A\nend 1\n", `a second object "A"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read("f", c.text)
			assert.ErrorContains(t, err, c.want)
		})
	}
}
