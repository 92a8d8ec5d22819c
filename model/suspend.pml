/* Suspending, resuming and deleting a task that is about to wait, waits, or has been woken, and the reuse of its slot
 * (wait.go, task.go), for spin (Debian package "spin").
 *
 *   spin -a suspend.pml && gcc -O2 -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m3000000          a minute; also -DSUSPEND
 *
 * A task in slot 0 takes from semaphore 0; a task in slot 1 does too; NG tokens are given. At any moment the task in slot 0 is deleted (or, with
 * -DSUSPEND, suspended, and later perhaps resumed): the request is stored, then a wait that is found is ended; a running task sees the request at its next kernel
 * call. When the task has ended, a new one gets slot 0 and takes from one of the two semaphores. Checked in all interleavings:
 *   - tokens are conserved; when nothing can move nobody waits on a semaphore that has a token, and no request is left unheard by a parked task;
 *   - no wake and no delete of the new task by those who meant the old one; no dangling bit: at rest a bit is set exactly for those who wait there.
 *
 * Necessary, each found by taking it away (flag in brackets):
 *   [ASKFIRST]    the task reads the request after it has published its wait (before it too, if you like), as it looks at the object once more after it;
 *                 the requester stores the request, then reads the wait word;
 *   [NOPASS]      a woken task that finds a request passes the wake on (delete: ends; suspend: parks) before it obeys;
 *   [HEADASK]     the wake is owed until the task has tried: a request that is found between the end of the wait and the try is obeyed only with the pass
 *                 (here: looked for once after a wait ends, not again before the try);
 *   [PLAINOBEY]   a task that finds a request before it parks leaves `waiting` by swap, and if the swap yields `woken` passes the wake on;
 *   [FREEEARLY]   a slot is freed by the ended task itself, after its last access to any waiter set: never by the one who deletes it;
 *   [EPOCHRESET]  the epoch of a slot goes on when the slot is reused (or the wait word lives in the task object, and task objects are not reused).
 */
#ifndef NG
#define NG 2
#endif
#define NT 2
#define IDLE 0
#define WAITING 1
#define WOKEN 2
#define ASKED 3        /* the wait was ended by a delete or a suspend */
#define W(e,s) ((e)*8+(s))
#define ST(w) ((w)&7)
#define EP(w) ((w)>>3)

byte count[2]; byte bits[2];
byte word[NT]; byte wobj[NT];
byte inc[NT];          /* ghost: which incarnation of the slot published the wait */
byte req;              /* request to the (first) task of slot 0: 0 none, 1 delete or suspend */
bit free0; bit ended;
byte given, taken;

inline try(q) { atomic { if :: count[q] > 0 -> count[q]--; taken++; got = 1 :: else -> got = 0 fi } }

inline wake(q) {
  do
  :: atomic { snap = bits[q]; b = NT; k = 0 };
     do
     :: atomic { (snap >> k) != 0 -> do :: ((snap >> k) & 1) == 0 -> k++ :: else -> break od;
          w = word[k]; n = inc[k]; if :: ST(w) != WAITING -> k++; w = 0 :: else fi };
        if
        :: atomic { w != 0 -> if :: wobj[k] == q && b == NT -> b = k; wb = w; nb = n :: else fi; k++; w = 0; n = 0 }   /* slot 0 is the best */
        :: else
        fi
     :: else -> break
     od;
     if
     :: b == NT -> break
     :: else ->
        atomic { if :: word[b] == wb -> assert(wobj[b] == q && inc[b] == nb); word[b] = W(EP(wb), WOKEN); ok = 1 :: else -> ok = 0 fi;
          b = 0; wb = 0; k = 0; snap = 0; nb = 0; n = 0 };
        if :: ok -> break :: else fi
     fi
  od; atomic { ok = 0; b = 0; wb = 0; k = 0; snap = 0; nb = 0; n = 0 }
}

inline pass(q) { if :: count[q] > 0 -> wake(q) :: else fi }
inline clear(q) { bits[q] = bits[q] & (255 - (1<<i)) }

#define asked (me == 0 && req == 1)

proctype T(byte i; byte me) {     /* slot, incarnation: 0 the first task of slot 0, 1 the task of slot 1, 2 the new task of slot 0 */
  byte q, k, b, w, wb, snap, e, n, nb; bit ok, got;
  if :: me == 2 -> if :: q = 0 :: q = 1 fi :: else fi;
  e = EP(word[i]);
#ifdef EPOCHRESET
  e = 0;
#endif
  if :: asked -> goto hear :: else fi;              /* a kernel call begins: obey */
  do
  ::
#ifdef HEADASK
     if :: asked -> goto hear :: else fi;
#endif
back:
     try(q);
     if :: got -> break :: else fi;
     e++;
     wobj[i] = q;
     atomic { word[i] = W(e, WAITING); inc[i] = me };
     bits[q] = bits[q] | (1<<i);
     try(q);
     if
     :: got -> atomic { w = ST(word[i]); word[i] = W(e, IDLE) }; clear(q); if :: w == WOKEN -> pass(q) :: else fi; break
     :: else
     fi;
#ifndef ASKFIRST
     if
     :: asked ->
#ifdef PLAINOBEY
        word[i] = W(e, IDLE); clear(q);
#else
        atomic { w = ST(word[i]); word[i] = W(e, IDLE) }; clear(q);
        if :: w == WOKEN -> pass(q) :: else fi;
#endif
        w = 0; goto hear
     :: else
     fi;
#endif
endpark:
     ST(word[i]) != WAITING;
     w = ST(word[i]);
     clear(q); word[i] = W(e, IDLE);
     if
     :: asked ->
#ifndef NOPASS
        if :: w == WOKEN -> pass(q) :: else fi;
#endif
        w = 0;
hear:
#ifdef SUSPEND
endhear: req == 0;                                  /* parked, not in any waiter set */
        goto back
#else
        break                                      /* unwinds and ends */
#endif
     :: else -> w = 0
     fi
  od;
  atomic { if :: i == 0 && me == 0 -> free0 = 1; ended = 1 :: else fi }
}

proctype D() {                                     /* deletes (or suspends, and resumes) the first task of slot 0 */
  byte w; bit ok, hit;
  if :: atomic { !ended -> req = 1 } :: else -> goto out fi;
  do
  :: atomic { w = word[0]; hit = (inc[0] == 0 && !ended) };
     if
     :: ST(w) != WAITING -> break
     :: else -> atomic { if :: word[0] == w && hit -> assert(inc[0] == 0); word[0] = W(EP(w), ASKED); ok = 1 :: else fi };
        if :: ok -> break :: !hit -> break :: else fi
     fi
  od;
#ifdef FREEEARLY
  free0 = 1;
#endif
#ifdef SUSPEND
  if :: req = 0 :: skip fi;                        /* resume, or not */
#endif
out: skip
}

proctype New() {
endnew: free0;
  run T(0, 2)
}

proctype G() {
  byte q, k, b, w, wb, snap, n, nb; bit ok;
  if :: q = 0 :: q = 1 fi;
  atomic { count[q]++; given++ };
  wake(q)
}

init {
  byte j, q;
  atomic { inc[0] = 0; inc[1] = 1; run T(0, 0); run T(1, 1); run D(); run New();
    do :: j < NG -> run G(); j++ :: else -> break od; j = 0 };
  timeout;
  atomic {
    do
    :: q < 2 -> j = 0;
       do
       :: j < NT ->
          assert(!(ST(word[j]) == WAITING && wobj[j] == q && count[q] > 0));
          assert(((bits[q]>>j)&1) == (ST(word[j]) == WAITING && wobj[j] == q)); j++
       :: else -> break
       od; q++
    :: else -> break
    od;
#ifndef SUSPEND
    assert(!(req == 1 && ST(word[0]) == WAITING && inc[0] == 0));
#endif
    assert(given == taken + count[0] + count[1])
  }
}
