//go:build !race

package realtime_test

import (
	"os"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/realtime"
)

// What is mapped during the run is locked when it is used: a stack of 8 MB for a new thread
// would otherwise take milliseconds.
func TestMemoryIsBroughtIn(t *testing.T) {
	newPort(t, usual()) // or skip
	const pages = 256
	size := pages * os.Getpagesize()
	pagesOf := func() []byte {
		m, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		require.NoError(t, err)
		t.Cleanup(func() { _ = unix.Munmap(m) })
		return m
	}
	before := pagesOf()
	o := usual()
	o.Memory = realtime.LockAll
	inTask(t, o, func(*rtos.Task, *realtime.Port) {
		assert.Equal(t, pages, resident(t, before))
		during := pagesOf()
		assert.Equal(t, 0, resident(t, during))
		locked := status(t, "VmLck")
		during[0] = 1
		assert.Equal(t, 1, resident(t, during))
		assert.NotEqual(t, "0 kB", locked)
	})
}

// resident is how many pages are in memory.
func resident(t *testing.T, m []byte) (n int) {
	t.Helper()
	is := make([]byte, (len(m)+os.Getpagesize()-1)/os.Getpagesize())
	_, _, e := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&m[0])), uintptr(len(m)), uintptr(unsafe.Pointer(&is[0])))
	require.Zero(t, e)
	for _, b := range is {
		n += int(b & 1)
	}
	return n
}
