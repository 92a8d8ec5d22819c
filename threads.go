//go:build !js && !wasip1

package rtos

// threads tells whether goroutines can own threads here.
const threads = true
