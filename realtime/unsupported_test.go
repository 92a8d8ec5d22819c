package realtime_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos/realtime"
)

func TestOtherSystemsAreToldSo(t *testing.T) {
	if runtime.GOOS == "linux" {
		t.Skip("it is supported")
	}
	for _, o := range []realtime.Options{{}, {BestEffort: true}} {
		p, err := realtime.New(o)
		assert.Nil(t, p)
		assert.ErrorIs(t, err, errors.ErrUnsupported)
		assert.ErrorContains(t, err, runtime.GOOS)
	}
	_, err := realtime.MeasureFloor(context.Background(), realtime.FloorOptions{})
	assert.ErrorIs(t, err, errors.ErrUnsupported)
}
