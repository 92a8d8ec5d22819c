/* Parking on a channel of capacity one with time.AfterFunc as the alarm (port_goroutine.go), for spin (Debian package "spin").
 *
 *   spin -a park.pml && gcc -O2 -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m3000000          (a second)
 *
 * A task waits R times, for ever or limited. A waker ends a wait by compare-and-swap on the wait word and then sends a token (the send does not block:
 * a full channel is enough); it may come so late that the token reaches a later wait. A timer that has fired runs its callback in a goroutine of its own, at any later
 * moment, and Stop does not wait for it. The callback is allocated once per task, so it cannot carry the epoch of the wait it was armed for.
 * Checked in all interleavings: no limited wait ends by its limit before its own deadline; no wait for ever ends by a limit; a task whose wait has ended does not stay
 * parked; one outcome per wait.
 *
 * default        the callback only sends a token; the task, after any token, looks at the wait word, then at its own clock, and parks again if neither is over
 * -DCASCB        the callback reads the wait word, then checks that the deadline of the task has passed, then ends the wait by compare-and-swap. No error either:
 *                the deadline is written before the wait word of its wait.
 * Necessary, each found by taking it away (flag in brackets):
 *   [NOLOOP]     after a token look again: the token may be stale;
 *   [CBBLIND]    (CASCB) a callback that ends whatever wait it finds ends the next one;
 *   [CBFIRST]    (CASCB) the wait word is read before the deadline, not after;
 *   [DLLATE]     (CASCB) the deadline is written before the wait word;
 *   [SENDFIRST]  the waker ends the wait, then sends the token;
 *   [DRAIN]      emptying the channel is only allowed before the wait word is published (and never needed).
 */
#ifndef R
#define R 3
#endif
#define IDLE 0
#define WAITING 1
#define WOKEN 2
#define TIMEDOUT 3
#define W(e,s) ((e)*8+(s))
#define ST(w) ((w)&7)
#define EP(w) ((w)>>3)

byte word; bit token;
byte dl;               /* deadline of the present wait: the number of the wait, 255 none */
byte now;              /* deadlines up to this number have passed: the clock moves from one to the next */
bit armed;             /* the runtime timer */
byte cbs;              /* callbacks that are still to run */
bit fin;

#define passed(d) ((d) != 255 && (d) <= now)

proctype T() {
  byte r; bit lim;
  r = 1;
  do
  :: r <= R ->
     if :: lim = 0 :: lim = 1 fi;
#ifdef DLLATE
     word = W(r, WAITING);
     if :: lim -> dl = r :: else -> dl = 255 fi;
#else
     if :: lim -> dl = r :: else -> dl = 255 fi;
     word = W(r, WAITING);
#endif
#ifdef DRAIN
     if :: ST(word) != WAITING -> goto over :: else fi;
     token = 0;
#endif
     armed = lim;
     do
     :: skip;
#ifndef DRAIN
        if :: ST(word) != WAITING -> break :: else fi;
#endif
#ifndef CASCB
        if :: lim && passed(r) -> atomic { if :: ST(word) == WAITING -> word = W(r, TIMEDOUT) :: else fi }; break :: else fi;
#endif
endpark:
        atomic { token -> token = 0 };
#ifdef NOLOOP
        atomic { if :: ST(word) == WAITING -> word = W(r, TIMEDOUT) :: else fi }; break
#endif
#ifdef DRAIN
        if :: ST(word) != WAITING -> break :: else fi;
#endif
     od;
over:
     armed = 0;                                                            /* Stop: does not wait for a callback that runs */
     atomic { assert(ST(word) != WAITING); assert(ST(word) != TIMEDOUT || (lim && passed(r))) };
     word = W(r, IDLE);
     /* the next wait begins before or after the next deadline would come */
     atomic { r++; lim = 0 }
  :: else -> break
  od;
  fin = 1
}

proctype Clock() {
  do
  :: atomic { now < R -> now++ }                                           /* time passes */
  :: atomic { armed && passed(dl) -> armed = 0; cbs++ }                    /* the timer fires */
  :: fin && now == R -> break
  od
}

proctype Callback() {
  byte w, d; 
endcb:
  do
  :: atomic { cbs > 0 -> cbs-- };
#ifdef CASCB
#ifdef CBFIRST
     d = dl; w = word;
#else
     w = word; d = dl;
#endif
     if
#ifdef CBBLIND
     :: ST(w) == WAITING ->
#else
     :: ST(w) == WAITING && passed(d) ->
#endif
        atomic { if :: word == w -> word = W(EP(w), TIMEDOUT) :: else fi }
     :: else
     fi;
#endif
     token = 1; w = 0; d = 0
  od
}

proctype Waker() {
  byte n, w;
  do
  :: n < R ->
     atomic { ST(word) == WAITING || fin -> w = word };
#ifdef SENDFIRST
     token = 1;
     atomic { if :: word == w && ST(w) == WAITING -> word = W(EP(w), WOKEN) :: else fi };
#else
     atomic { if :: word == w && ST(w) == WAITING -> word = W(EP(w), WOKEN) :: else fi };
     token = 1;
#endif
     n++
  :: else -> break
  od
}

init { atomic { dl = 255; run T(); run Clock(); run Callback(); run Waker() };
  timeout;
  assert(fin || ST(word) == WAITING) }
