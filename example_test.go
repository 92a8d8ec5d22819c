package rtos_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// Two tasks take turns by notification.
func Example() {
	k, _ := rtos.New(rtos.Config{})
	var ping, pong *rtos.Task
	ping, _ = k.Spawn("ping", 1, func(t *rtos.Task) {
		for i := range 3 {
			fmt.Println("ping", i)
			pong.NotifyGive()
			t.NotifyTake(true, rtos.Forever)
		}
	})
	pong, _ = k.Spawn("pong", 1, func(t *rtos.Task) {
		for i := range 3 {
			t.NotifyTake(true, rtos.Forever)
			fmt.Println("pong", i)
			ping.NotifyGive()
		}
	})
	if err := k.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ping 0
	// pong 0
	// ping 1
	// pong 1
	// ping 2
	// pong 2
}

// In a simulation time is virtual and scheduling is exact, so a test can ask for both:
// the task of higher priority preempts the other at the tick at which its delay ends.
func Example_simulation() {
	k, _ := rtos.New(rtos.Config{Port: sim.New(sim.Options{})})
	k.Spawn("urgent", 2, func(t *rtos.Task) {
		t.Delay(3 * time.Millisecond)
		fmt.Println(k.Now(), "urgent")
	})
	k.Spawn("steady", 1, func(t *rtos.Task) {
		t.Work(5 * time.Millisecond)
		fmt.Println(k.Now(), "steady has worked for 5ms")
		t.Delay(time.Hour) // takes no time in the real world
		fmt.Println(k.Now(), "an hour later")
	})
	k.Run(context.Background())
	// Output:
	// 3ms urgent
	// 5ms steady has worked for 5ms
	// 1h0m0.005s an hour later
}

// A waiter lends its priority to the holder of the mutex: without that the middle task
// would keep the low one, and so the high one, from running.
func ExampleMutex() {
	k, _ := rtos.New(rtos.Config{Port: sim.New(sim.Options{})})
	m := rtos.NewMutex("bus")
	var low *rtos.Task
	low, _ = k.Spawn("low", 1, func(t *rtos.Task) {
		m.Lock(t)
		t.Work(5 * time.Millisecond)
		m.Unlock(t)
	})
	k.Spawn("middle", 2, func(t *rtos.Task) {
		t.Delay(2 * time.Millisecond)
		t.Work(100 * time.Millisecond)
		fmt.Println(k.Now(), "middle is done")
	})
	k.Spawn("high", 3, func(t *rtos.Task) {
		t.Delay(time.Millisecond)
		fmt.Println(k.Now(), "high wants the mutex of", m.Holder().Name())
		m.Lock(t)
		fmt.Println(k.Now(), "high has it")
		m.Unlock(t)
	})
	k.Spawn("observer", 4, func(t *rtos.Task) {
		t.Delay(2 * time.Millisecond)
		fmt.Println(k.Now(), "low has priority", low.Priority())
	})
	k.Run(context.Background())
	// Output:
	// 1ms high wants the mutex of low
	// 2ms low has priority 3
	// 5ms high has it
	// 105ms middle is done
}

// Low holds two mutexes, high waits for one of them. With FreeRTOS's policy low keeps the
// loan until it has given both, with the chained one until it has given that one.
func ExampleInheritance() {
	for _, policy := range []rtos.Inheritance{rtos.InheritFreeRTOS, rtos.InheritChained} {
		k, _ := rtos.New(rtos.Config{Port: sim.New(sim.Options{}), Inheritance: policy})
		var a, b rtos.Mutex
		k.Spawn("low", 1, func(t *rtos.Task) {
			a.Lock(t)
			b.Lock(t)
			t.Work(3 * time.Millisecond)
			lent := t.Priority()
			a.Unlock(t)
			fmt.Println("lent", lent, "and after the first give", t.Priority())
			b.Unlock(t)
		})
		k.Spawn("high", 5, func(t *rtos.Task) {
			t.Delay(time.Millisecond)
			a.Lock(t)
			a.Unlock(t)
		})
		k.Run(context.Background())
	}
	// Output:
	// lent 5 and after the first give 5
	// lent 5 and after the first give 1
}

// Two tasks take two mutexes in different order. The one that would complete the deadlock is
// told, and gives way.
func ExampleCycleError() {
	k, _ := rtos.New(rtos.Config{Port: sim.New(sim.Options{}), Inheritance: rtos.InheritChained})
	bus, heap := rtos.NewMutex("bus"), rtos.NewMutex("heap")
	both := func(first, second *rtos.Mutex) func(*rtos.Task) {
		return func(t *rtos.Task) {
			first.Lock(t)
			defer first.Unlock(t)
			t.Delay(time.Millisecond)
			if err := second.Lock(t); err != nil {
				fmt.Println(errors.Is(err, rtos.ErrDeadlock), err)
				return
			}
			defer second.Unlock(t)
			fmt.Println(t, "has both")
		}
	}
	k.Spawn("logger", 1, both(heap, bus))
	k.Spawn("driver", 2, both(bus, heap))
	k.Run(context.Background())
	// Output:
	// true rtos: deadlock: task "logger" waits for mutex "bus" of "driver", which waits for mutex "heap" of "logger"
	// driver has both
}

// A limit of 0 polls; a limit that ends is rtos.ErrTimeout.
func ExampleMutex_LockFor() {
	k, _ := rtos.New(rtos.Config{Port: sim.New(sim.Options{})})
	var m rtos.Mutex
	k.Spawn("holder", 1, func(t *rtos.Task) {
		m.Lock(t)
		t.Work(10 * time.Millisecond)
		m.Unlock(t)
	})
	k.Spawn("client", 2, func(t *rtos.Task) {
		t.Delay(time.Millisecond)
		for _, limit := range []time.Duration{0, 2 * time.Millisecond, 20 * time.Millisecond} {
			err := m.LockFor(t, limit)
			fmt.Println(k.Now(), err)
		}
		m.Unlock(t)
	})
	k.Run(context.Background())
	// Output:
	// 1ms rtos: would block
	// 3ms rtos: timeout
	// 10ms <nil>
}

// Locker makes a sync.Locker of a mutex and a task.
func ExampleMutex_Locker() {
	k, _ := rtos.New(rtos.Config{})
	var m rtos.Mutex
	var stock int
	k.Spawn("main", 1, func(t *rtos.Task) {
		add := func(l sync.Locker) { // knows nothing of tasks
			l.Lock()
			defer l.Unlock()
			stock++
			fmt.Println("stock", stock, "held by", m.Holder().Name())
		}
		add(m.Locker(t))
	})
	k.Run(context.Background())
	// Output: stock 1 held by main
}

func ExampleRecursiveMutex() {
	k, _ := rtos.New(rtos.Config{})
	m := rtos.NewRecursiveMutex("tree")
	var visit func(t *rtos.Task, depth int)
	visit = func(t *rtos.Task, depth int) {
		m.Lock(t)
		defer m.Unlock(t)
		if depth < 3 {
			visit(t, depth+1)
			return
		}
		fmt.Println("taken", m.Info().Depth, "times")
	}
	k.Spawn("walker", 1, func(t *rtos.Task) {
		visit(t, 1)
		fmt.Println("free again:", m.Holder() == nil)
		fmt.Println("once more:", m.Unlock(t))
	})
	k.Run(context.Background())
	// Output:
	// taken 3 times
	// free again: true
	// once more: rtos: not owner
}

// A counting semaphore guards a number of equal things.
func ExampleSemaphore() {
	k, _ := rtos.New(rtos.Config{Port: sim.New(sim.Options{})})
	channels := rtos.NewCounting("DMA channels", 2, 2)
	for prio, name := range []string{"low", "middle", "high"} {
		k.Spawn(name, 1+prio, func(t *rtos.Task) {
			channels.Take(t)
			fmt.Println(k.Now(), name, "has a channel")
			t.Delay(10 * time.Millisecond)
			channels.Give()
		})
	}
	k.Run(context.Background())
	// Output:
	// 0s high has a channel
	// 0s middle has a channel
	// 10ms low has a channel
}

// A binary semaphore tells a task that something happened. It holds one token: a second
// give before the take is refused.
func ExampleSemaphore_binary() {
	k, _ := rtos.New(rtos.Config{})
	ready := rtos.NewBinary("ready")
	fmt.Println(ready.Give(), ready.Give())
	k.Spawn("task", 1, func(t *rtos.Task) {
		fmt.Println(ready.Take(t))
		fmt.Println(ready.TakeFor(t, time.Millisecond))
	})
	k.Run(context.Background())
	// Output:
	// true false
	// <nil>
	// rtos: timeout
}

// A spinlock is for sections of a few instructions. Bare is the form for code without a
// task.
func ExampleSpinlock() {
	k, _ := rtos.New(rtos.Config{})
	var l rtos.Spinlock
	var sum int
	for range 4 {
		k.Spawn("adder", 1, func(t *rtos.Task) {
			for range 1000 {
				l.Lock(t)
				sum++
				l.Unlock(t)
			}
		})
	}
	k.Run(context.Background())
	bare := l.Bare()
	bare.Lock()
	fmt.Println(sum)
	bare.Unlock()
	// Output: 4000
}

// Gives that nobody has taken yet add up: a notification is a counting semaphore of
// one task's own.
func ExampleTask_NotifyGive() {
	k, _ := rtos.New(rtos.Config{})
	worker, _ := k.Spawn("worker", 1, func(t *rtos.Task) {
		n, err := t.NotifyTake(true, rtos.Forever)
		fmt.Println(n, err)
	})
	for range 3 {
		worker.NotifyGive() // from any goroutine
	}
	k.Run(context.Background())
	fmt.Println(errors.Is(worker.NotifyGive(), rtos.ErrDeleted))
	// Output:
	// 3 <nil>
	// true
}

// With clear the whole count is taken, without it one of it.
func ExampleTask_NotifyTake() {
	k, _ := rtos.New(rtos.Config{})
	worker, _ := k.Spawn("worker", 1, func(t *rtos.Task) {
		for range 2 {
			n, _ := t.NotifyTake(false, rtos.Forever)
			fmt.Println("there were", n)
		}
		n, _ := t.NotifyTake(true, rtos.Forever)
		fmt.Println("took all", n)
		_, err := t.NotifyTake(true, 0)
		fmt.Println(err)
		_, err = t.NotifyTake(true, time.Millisecond)
		fmt.Println(err)
	})
	for range 5 {
		worker.NotifyGive()
	}
	k.Run(context.Background())
	// Output:
	// there were 5
	// there were 4
	// took all 3
	// rtos: would block
	// rtos: timeout
}

// Senders set bits in the value; the task gets and clears them in one step.
func ExampleTask_NotifyWait() {
	const rx, tx = 1 << 0, 1 << 1
	k, _ := rtos.New(rtos.Config{})
	driver, _ := k.Spawn("driver", 1, func(t *rtos.Task) {
		all := rtos.NotifyWait{ClearOnExit: ^uint32(0)}
		events, err := t.NotifyWait(all, rtos.Forever)
		fmt.Printf("rx %v, tx %v, %v\n", events&rx != 0, events&tx != 0, err)
		events, err = t.NotifyWait(all, time.Millisecond)
		fmt.Printf("%#b, %v\n", events, err)
	})
	driver.Notify(rx, rtos.SetBits)
	driver.Notify(tx, rtos.SetBits)
	k.Run(context.Background())
	// Output:
	// rx true, tx true, <nil>
	// 0b0, rtos: timeout
}

// A slot can be a mailbox that refuses to lose a value.
func ExampleTask_Notify() {
	k, _ := rtos.New(rtos.Config{})
	box, _ := k.Spawn("box", 1, func(t *rtos.Task) {
		v, _ := t.NotifyWait(rtos.NotifyWait{}, rtos.Forever)
		fmt.Println("got", v)
	})
	fmt.Println(box.Notify(1, rtos.SetIfClear))
	fmt.Println(box.Notify(2, rtos.SetIfClear))
	k.Run(context.Background())
	// Output:
	// <nil>
	// rtos: notification pending
	// got 1
}

// Run ends when all tasks have ended or its context is done; tasks that wait are ended
// then, with their deferred functions.
func ExampleKernel_Run() {
	k, _ := rtos.New(rtos.Config{
		Port:   sim.New(sim.Options{}),
		Logger: slog.New(slog.DiscardHandler), // it would name the tasks that were blocked
	})
	ctx, cancel := context.WithCancelCause(context.Background())
	k.Spawn("listener", 1, func(t *rtos.Task) {
		defer fmt.Println("listener ends")
		t.NotifyTake(true, rtos.Forever) // nobody gives
		fmt.Println("never printed")
	})
	k.Spawn("supervisor", 2, func(t *rtos.Task) {
		t.Delay(time.Millisecond)
		cancel(errors.New("shut down"))
	})
	fmt.Println(k.Run(ctx))
	// Output:
	// listener ends
	// shut down
}

// A panic in a task ends the run and is returned.
func ExampleKernel_Run_panic() {
	k, _ := rtos.New(rtos.Config{})
	k.Spawn("faulty", 1, func(*rtos.Task) { panic("out of range") })
	var p *rtos.PanicError
	if errors.As(k.Run(context.Background()), &p) {
		fmt.Printf("task %q: %v\n", p.Task, p.Value)
	}
	// Output: task "faulty": out of range
}

// A goroutine that already runs can be a task for a while.
func ExampleKernel_Adopt() {
	k, _ := rtos.New(rtos.Config{})
	me, err := k.Adopt("main", 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	worker, _ := k.Spawn("worker", 1, func(t *rtos.Task) {
		me.NotifyGive()
		t.NotifyTake(true, rtos.Forever)
	})
	ended := make(chan error)
	go func() { ended <- k.Run(context.Background()) }()

	n, err := me.NotifyTake(true, rtos.Forever)
	fmt.Println(n, err)
	fmt.Println(me.Release()) // before the last spawned task ends
	worker.NotifyGive()
	fmt.Println(<-ended)
	// Output:
	// 1 <nil>
	// <nil>
	// <nil>
}

// An interrupt wakes a task. On the goroutine port any goroutine may be one.
func ExampleKernel_Interrupt() {
	k, _ := rtos.New(rtos.Config{})
	edge := rtos.NewBinary("edge")
	k.Spawn("handler", 1, func(t *rtos.Task) {
		fmt.Println("edge:", edge.Take(t))
	})
	go k.Interrupt(func(isr *rtos.ISR) { edge.GiveFromISR(isr) })
	k.Run(context.Background())
	// Output: edge: <nil>
}

// The report says who waits for what, and who holds that.
func ExampleKernel_WriteTo() {
	k, _ := rtos.New(rtos.Config{Port: sim.New(sim.Options{})})
	m := rtos.NewMutex("bus")
	k.Spawn("low", 1, func(t *rtos.Task) {
		m.Lock(t)
		t.Delay(2 * time.Millisecond)
		m.Unlock(t)
	})
	k.Spawn("high", 2, func(t *rtos.Task) {
		t.Delay(time.Millisecond)
		m.Lock(t)
		m.Unlock(t)
	})
	k.Spawn("reporter", 3, func(t *rtos.Task) {
		t.Delay(time.Millisecond)
		t.SetPriority(1) // let high run first
		k.WriteTo(os.Stdout)
	})
	k.Run(context.Background())
	// Output:
	// task             state     prio base  waits for
	// low              Blocked      2    1  time
	// high             Blocked      2    2  mutex "bus", held by "low"
	// reporter         Running      1    1
}
