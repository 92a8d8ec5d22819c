package porttest_test

import (
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/porttest"
)

// idlePort does no work.
type idlePort struct{ rtos.Port }

func (idlePort) Work(*rtos.Task, time.Duration) {}

const inChild = "PORTTEST_CHILD"

func TestChild(t *testing.T) {
	if os.Getenv(inChild) == "" {
		t.Skip("runs in a process of its own")
	}
	porttest.Run(t, func() rtos.Port { return idlePort{rtos.NewGoroutinePort()} })
}

// Of a port that breaks one promise one subtest fails, and says whose fault that is.
func TestRunNamesWhatIsBroken(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no processes")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$", "-test.v", "-test.short")
	cmd.Env = append(os.Environ(), inChild+"=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, "%s", out)
	assert.Equal(t, 1, exit.ExitCode())

	var failed []string
	for _, m := range regexp.MustCompile(`--- FAIL: TestChild/(\S+)`).FindAllSubmatch(out, -1) {
		failed = append(failed, string(m[1]))
	}
	assert.Equal(t, []string{"Work"}, failed, "%s", out)
	assert.Regexp(t, `Work: has used \S+ instead of 1ms`, string(out))
	assert.Contains(t, string(out), "the contract: Work uses the time it is told to use")
	assert.Contains(t, string(out), "--- SKIP: TestChild/Hold")
	assert.Contains(t, string(out), "the port does not schedule: tasks run in parallel")
}
