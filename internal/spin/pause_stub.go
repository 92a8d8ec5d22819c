//go:build !explore && gc && !tinygo && !rtos_purego && (386 || amd64 || arm64)

package spin

// Pause executes n processor pauses, none if n is not positive.
func Pause(n int)
