//go:build !linux

package realtime

import (
	"errors"
	"os"
	"time"
)

// Nothing of this is called: New refuses.

const (
	supported = false
	bare      = false
)

var began = time.Now()

func nanotime() int64                            { return int64(time.Since(began)) }
func (w *wait) call()                            {}
func (w *wait) block(_, _, _ int64) int64        { return 0 }
func demote()                                    {}
func systemPolicy(Policy) uint32                 { return 0 }
func (g *guard) run()                            {}
func (l *timerLoop) run()                        {}
func (l *spinLoop) run(int64)                    {}
func sleep(*uint32, uint32, *instant) error      { return errors.ErrUnsupported }
func wakeAll(*uint32)                            {}
func wake(*uint32)                               {}
func gettid() int                                { return 0 }
func isInitial() bool                            { return false }
func schedule(int, Policy, int) error            { return errors.ErrUnsupported }
func scheduled(int) (Policy, int, error)         { return Other, 0, errors.ErrUnsupported }
func niceness(int) (int, bool, error)            { return 0, false, errors.ErrUnsupported }
func setNiceness(int, int) error                 { return errors.ErrUnsupported }
func affinity(int) (mask, error)                 { return mask{}, errors.ErrUnsupported }
func setAffinity(int, mask) error                { return errors.ErrUnsupported }
func sharpen() error                             { return errors.ErrUnsupported }
func cede()                                      {}
func lockMemory(bool) error                      { return errors.ErrUnsupported }
func unlockMemory()                              {}
func memoryIsLocked() bool                       { return false }
func openLatency() (*os.File, error)             { return nil, errors.ErrUnsupported }
func threadIDs() ([]int, error)                  { return nil, errors.ErrUnsupported }
func missing(what string, _ int, _ error) string { return what }
