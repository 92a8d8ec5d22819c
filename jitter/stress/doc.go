// Package stress keeps the processors and the memory of a machine busy with processes of
// their own, as the command stress does, so that something can be measured under load:
//
//	load, err := stress.Start(stress.Options{CPU: 10, Memory: 4}) // stress -c 10 -m 4
//	if err != nil {
//		return err
//	}
//	defer load.Stop()
//
// A [Load] is a [github.com/tickwake/rtos/jitter.Load]: it counts operations. An operation
// of a processor worker is a thousand square roots of random numbers, one of a memory
// worker a page that is written and read.
//
// # Workers
//
// A worker is the same program, started once more with the environment variable
// RTOS_STRESS set. This package sees that when it is initialized and never gets to main,
// so any program or test that imports it can start workers. A worker starts none.
//
// A worker runs with the ordinary scheduling policy and may use the processors that the
// program could use when it began, whatever the thread that called Start has been given
// since.
//
// # Ending
//
// Workers do not outlive the program, however that ends: [Load.Stop] ends them and waits;
// each holds a pipe from the program and ends when it is closed; on Linux the kernel kills
// them when the program dies.
//
// Where processes cannot be started, as in WebAssembly, Start answers
// [errors.ErrUnsupported].
package stress
