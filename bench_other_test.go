//go:build !linux

package rtos_test

import (
	"runtime"
	"time"
)

const haveCPUTime = false

func cpus() []int                { return nil }
func pin(int)                    {}
func yieldThread()               { runtime.Gosched() }
func threadTime() time.Duration  { return 0 }
func processTime() time.Duration { return 0 }
