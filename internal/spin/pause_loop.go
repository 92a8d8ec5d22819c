//go:build (!gc || tinygo || rtos_purego || !(386 || amd64 || arm64)) && !explore

package spin

import "sync/atomic"

// Pause passes the time of about n processor pauses, none if n is not positive.
func Pause(n int) {
	var fence atomic.Uint32
	x := uint32(1)
	for ; n > 0; n-- {
		for range 8 { // xorshift: six dependent steps, no closed form
			x ^= x << 13
			x ^= x >> 17
			x ^= x << 5
		}
		fence.Store(x)
	}
}
