package realtime_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/porttest"
	"github.com/tickwake/rtos/realtime"
)

func TestContract(t *testing.T) {
	newPort(t, usual()) // or skip
	porttest.Run(t, func() rtos.Port {
		p, err := realtime.New(usual())
		require.NoError(t, err)
		return p
	})
}
