/* Counting and binary semaphores on the waiting protocol of package rtos (wait.go, semaphore.go), for spin (Debian package "spin").
 *
 *   spin -a -DNT=2 -DR=2 -DNG=1 -DNA=0 sem.pml && gcc -O2 -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m3000000       seconds: two objects
 *   spin -a -DNT=2 -DR=1 -DNO=1 -DNG=2 -DNA=1 sem.pml && ...        seconds: two tokens, an abort; -DMAX=1: binary
 *   spin -a -DNT=3 -DR=1 -DNO=1 -DNG=2 -DNA=0 sem.pml && ...        five minutes, 6 GB: three tasks
 *
 * NT tasks take R times from a semaphore they choose (there are NO, so a task moves from the wait of one to the wait of another);
 * a wait is for ever or limited, and a limited one may end at any moment. NG givers (tasks or interrupts: a give never waits) give
 * one token each. An aborter ends NA waits at any moment. A task that was woken may be deleted (or aborted) before it tries again.
 * Each access to shared memory is one step; task k has priority k. Checked in all interleavings:
 *   - tokens are conserved: given = taken + left;
 *   - no lost wake-up: when nothing can move any more, no task waits on a semaphore that has a token;
 *   - no wake of a task that waits on another object, and none of a later wait (at the waker's compare-and-swap);
 *   - no dangling bit: at rest a bit is set exactly for the tasks that wait there;
 *   - a limit that is over is not reported if a token was there from the end of the wait until the return.
 *
 * Necessary, each found by taking it away (the flag in brackets; every one of them gives a failing run):
 *   waiter:  [NORETRY]     try the object once more after the bit is set;
 *            [WORDFIRST]   write the wait object before the wait word that makes it valid;
 *            [PLAINLEAVE]  a second try that succeeds leaves `waiting` by compare-and-swap, and if the word says `woken` (a wake for another
 *                          token has reached this task meanwhile) passes the wake on. Not needed for a mutex, whose give wakes again;
 *            [NOPASS]      a woken task that ends without taking passes the wake on;
 *            [LOOKFIRST]   the last look at the object comes after the wait word has left `waiting`.
 *   giver:   [SCANFIRST]   change the object, then read the waiter bits;
 *            [OBJFIRST]    read the wait word, then the wait object, then compare-and-swap the whole wait word;
 *            [NOOBJ]       compare the wait object at all;
 *            [NOEPOCH]     the compare-and-swap includes the epoch;
 *            [NORESCAN]    a compare-and-swap that fails starts the scan over;
 *            [WAKERCLEARS] only the waiter clears its bit, never the waker.
 * Free, no error: a set of several words, read one after the other [WORDS]; bit before wait word [BITFIRST]; bit cleared before or after the last look
 * [CLEARFIRST]; pass on only if a token is there or always [PASSALWAYS] (but always costs the woken waiter its place among equals).
 */
#ifndef NT
#define NT 3
#endif
#ifndef R
#define R 1
#endif
#ifndef NO
#define NO 2
#endif
#ifndef NG
#define NG 2
#endif
#ifndef NA
#define NA 1
#endif
#ifndef MAX
#define MAX 2         /* 1: binary */
#endif
#define IDLE 0
#define WAITING 1
#define WOKEN 2
#define TIMEDOUT 3
#define ABORTED 4
#define W(e,s) ((e)*8+(s))
#define ST(w) ((w)&7)
#define EP(w) ((w)>>3)

byte count[NO];        /* tokens */
byte bits[NO];         /* waiter sets */
byte word[NT];         /* wait word: epoch, state */
byte wobj[NT];         /* the object waited on: valid while the word says WAITING */
byte given, taken;     /* ghosts */
bit stays[NT];         /* ghost: a token has been there ever since this wait ended */

inline try(q) {        /* one compare-and-swap loop on the count */
  atomic {
    if
    :: count[q] > 0 -> count[q]--; taken++; got = 1;
       if :: count[q] == 0 -> k = 0; do :: k < NT -> if :: wobj[k] == q -> stays[k] = 0 :: else fi; k++ :: else -> break od; k = 0 :: else fi
    :: else -> got = 0
    fi }
}

inline look(q) {       /* waiter k: is it waiting, and on q? */
#ifdef OBJFIRST
  ob = wobj[k];
  atomic { w = word[k]; if :: ST(w) == WAITING && ob == q -> b = k; wb = w :: else fi; k++; w = 0; ob = 0 }
#else
  atomic { w = word[k]; if :: ST(w) != WAITING -> k++; w = 0 :: else fi };
  if
  :: atomic { w != 0 -> if
#ifndef NOOBJ
       :: wobj[k] != q
#endif
       :: else -> b = k; wb = w
       fi; k++; w = 0 }
  :: else
  fi
#endif
}

inline wake(q) {       /* wake the best waiter of q */
  do
  :: atomic { snap = bits[q]; b = NT; k = 0 };
#ifdef SCANFIRST
     atomic { if :: first -> snap = early; first = 0 :: else fi };
#endif
     do
#ifdef WORDS
     :: k < NT ->                                                    /* a set of several words: each is read when the scan comes to it */
        if
        :: (bits[q] >> k) & 1 -> look(q)
        :: else -> k++
        fi
#else
     :: atomic { (snap >> k) != 0 -> do :: ((snap >> k) & 1) == 0 -> k++ :: else -> break od }; look(q)
#endif
     :: else -> break
     od;
     if
     :: b == NT -> break
     :: else ->
        atomic {
          if
#ifdef NOEPOCH
          :: ST(word[b]) == WAITING ->
#else
          :: word[b] == wb ->
#endif
             assert(wobj[b] == q && word[b] == wb);
             word[b] = W(EP(wb), WOKEN); ok = 1
          :: else -> ok = 0
          fi; k = b; b = 0; wb = 0; snap = 0 };
#ifdef WAKERCLEARS
        if :: ok -> bits[q] = bits[q] & (255 - (1<<k)) :: else fi;
#endif
#ifdef NORESCAN
        break
#else
        if :: ok -> break :: else fi
#endif
     fi
  od;
  atomic { b = 0; wb = 0; k = 0; w = 0; ok = 0; snap = 0 }
}

inline pass(q) {       /* what a giver does, without the give */
#ifdef PASSALWAYS
  wake(q)
#else
  if :: count[q] > 0 -> wake(q) :: else fi
#endif
}

proctype T(byte i) {
  byte r, q, k, b, w, wb, snap, e, ob; bit ok, got, lim, first; byte early;
  do
  :: r < R ->
     if :: q = 0 :: NO > 1 -> q = 1 fi;
     if :: lim = 0 :: lim = 1 fi;
     do
     :: try(q);
        if :: got -> break :: else fi;
        e = (e+1)%32;
#ifdef WORDFIRST
        word[i] = W(e, WAITING); wobj[i] = q;
        bits[q] = bits[q] | (1<<i);
#else
        wobj[i] = q;
#ifdef BITFIRST
        bits[q] = bits[q] | (1<<i); word[i] = W(e, WAITING);
#else
        word[i] = W(e, WAITING); bits[q] = bits[q] | (1<<i);
#endif
#endif
#ifndef NORETRY
        try(q);
        if
        :: got ->
#ifdef PLAINLEAVE
           word[i] = W(e, IDLE); bits[q] = bits[q] & (255 - (1<<i))
#else
           atomic { w = ST(word[i]); word[i] = W(e, IDLE) };           /* a swap */
           bits[q] = bits[q] & (255 - (1<<i));
           if :: w == WOKEN -> pass(q) :: else fi
#endif
           break
        :: else
        fi;
#endif
#ifdef LOOKFIRST
        got = 0;
        if :: lim -> try(q) :: else fi;
        if :: got -> atomic { w = ST(word[i]); word[i] = W(e, IDLE) }; bits[q] = bits[q] & (255 - (1<<i)); if :: w == WOKEN -> pass(q) :: else fi; break :: else fi;
#endif
endpark:
        if                                                           /* park */
        :: ST(word[i]) != WAITING
        :: lim -> atomic { if :: ST(word[i]) == WAITING -> word[i] = W(e, TIMEDOUT); stays[i] = (count[q] > 0) :: else fi }
        fi;
        if
        :: ST(word[i]) == WOKEN ->
           bits[q] = bits[q] & (255 - (1<<i)); word[i] = W(e, IDLE);
           if
           :: skip                                                   /* tries again */
           :: r == R-1 ->                                            /* deleted or aborted before it could */
#ifndef NOPASS
              pass(q);
#endif
              break
           fi
        :: else ->                                                   /* limit over, or aborted */
#ifdef CLEARFIRST
           bits[q] = bits[q] & (255 - (1<<i));
#endif
#ifdef LOOKFIRST
           got = 0;
#else
           try(q);
#endif
           atomic { assert(got || !stays[i]); stays[i] = 0 }
#ifndef CLEARFIRST
           bits[q] = bits[q] & (255 - (1<<i));
#endif
           word[i] = W(e, IDLE); break
        fi
     od;
     atomic { r++; got = 0; lim = 0; w = 0 }
  :: else -> break
  od
}

proctype G() {         /* a task or an interrupt: never waits */
  byte q, k, b, w, wb, snap, ob; bit ok, first; byte early;
  if :: q = 0 :: NO > 1 -> q = 1 fi;
#ifdef SCANFIRST
  d_step { early = bits[q]; first = 1 }
#endif
  if
  :: d_step { count[q] < MAX -> count[q]++; given++ }; wake(q)
  :: else                                                            /* full: whoever filled it wakes */
  fi
}

proctype A() {         /* aborts any wait */
  byte n, t, w;
  do
  :: n < NA ->
     if :: t = 0 :: t = 1 :: NT > 2 -> t = 2 fi;
     if
     :: d_step { ST(word[t]) == WAITING -> w = word[t] };
        atomic { if :: word[t] == w -> word[t] = W(EP(w), ABORTED); stays[t] = (count[wobj[t]] > 0) :: else fi }
     :: else
     fi;
     atomic { n++; t = 0; w = 0 }
  :: else -> break
  od
}

init {
  byte j, q;
  atomic {
    j = 0; do :: j < NT -> run T(j); j++ :: else -> break od;
    j = 0; do :: j < NG -> run G(); j++ :: else -> break od;
    if :: NA > 0 -> run A() :: else fi; j = 0
  };
  timeout;             /* nothing can move any more */
  atomic {
    do
    :: q < NO ->
       j = 0;
       do
       :: j < NT ->
          assert(!(ST(word[j]) == WAITING && wobj[j] == q && count[q] > 0));
          assert(((bits[q]>>j)&1) == (ST(word[j]) == WAITING && wobj[j] == q));
          j++
       :: else -> break
       od; q++
    :: else -> break
    od;
    assert(given == taken + count[0] + (NO > 1 -> count[NO-1] : 0))
  }
}
