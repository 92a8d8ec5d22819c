//go:build !linux

package realtime_test

func asked() bool { return false }
func helper()     {}
