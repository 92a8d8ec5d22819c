/* Two priority-inheriting mutexes, nested, under FreeRTOS's rule (mutex.go, inherit.go), for spin (Debian package "spin").
 *
 *   spin -a mutex2.pml && gcc -O2 -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m3000000
 *   -DN=3 (default) half a minute, with -DHANDOFF (direct hand-over at any give) two minutes.
 *
 * Task 0 (lowest) takes mutex 0, then tries mutex 1, and gives them in any order; the others take one mutex of their choice. Every wait but
 * task 1's on mutex 0 is limited and may end at any moment, by its limit or by an abort (an abort is the same step made by somebody else). Task i has base
 * priority i+1. The priority word of a task holds effective priority, version, and a field `nest`: 0 holds at most one mutex; 1 holds more than one, or is
 * just trying to; 2 waits for a mutex while it holds one. Each access to shared memory is one step. Checked in all interleavings:
 *   - mutual exclusion of both; no lost wake-up (no invalid end state);
 *   - no lost inheritance: when all others are parked or done, every holder has at least the priority of the waiters of all its mutexes;
 *   - a boost ends with its cause while the holder never held more than one, else with the last give; at the end all are at base, all free.
 *
 * Necessary, each found by taking it away (flag in brackets):
 *   [NESTLATE]    `nest` := 1 before the compare-and-swap that takes the second mutex (after it, a timeout on the first mutex may wipe out the boost
 *                 that a waiter of the second has just made);
 *   [NESTEARLY]   at a give that leaves one: owner := 0 first, then `nest` := 0;
 *   [UNNESTLATE]  (HANDOFF) `nest` := 2 before the wait is published, so that nobody waits with `nest` 1 (a giver could not tell whether to change it); the second try
 *                 of a nested waiter is therefore only a look: if the mutex is free it leaves the wait (by compare-and-swap) and starts over;
 *   [NORESETTLE]  a nested try that fails sets `nest` back and then settles the mutex it still holds, as a timeout would (a timeout in between did nothing);
 *   [SIMPLE]      `nest` stays 1 while the task waits for its second mutex: simpler, but a boost whose waiter has given up stays during that wait;
 *   [NOREPAIR]    a pass that follows an own lowering still raises a holder that has begun to nest meanwhile;
 *   [NOADOPT]     (HANDOFF) the new owner settles its priority; if it holds more than one it may only raise it.
 * Free at rest, no error: the granted task itself sets `nest` to 1, when it runs [GRANTPLAIN], instead of the giver before it writes the owner word. But then a timeout on its
 * first mutex may lower it between the grant and its first step, so that it gets to run late: not a property of this model; let the giver do it.
 */
#ifndef N
#define N 3
#endif
#define IDLE 0
#define WAITING 1
#define WOKEN 2
#define TIMEDOUT 3
#define GRANTING 4
#define GRANTED 5
#define W(e,s) ((e)*8+(s))
#define ST(w) ((w)&7)
#define EP(w) ((w)>>3)
#define base(i) ((i)+1)

byte owner[2];
byte bits[2];
byte word[N]; byte wobj[N];
byte eff[N]; byte ver[N]; byte nest[N];        /* one word */
byte ph[N];                                    /* ghost: 0 running 1 parked 2 done */
bit twice[N];                                  /* ghost: has held two since it last held none */
byte incs[2]; byte done;

#define setpw(t, p, n) eff[t] = p; nest[t] = n; ver[t] = (ver[t]+1)%16

inline scan(m) {         /* best waiter of m -> b, its wait word -> wb */
  atomic { snap = bits[m]; b = N; wb = 0; k = 0 };
  do
  :: atomic { (snap >> k) != 0 -> do :: ((snap >> k) & 1) == 0 -> k++ :: else -> break od;
       w = word[k]; if :: ST(w) != WAITING -> k++; w = 0 :: else fi };
     if
     :: atomic { w != 0 -> if :: wobj[k] == m -> b = k; wb = w :: else fi; k++; w = 0 }
     :: else
     fi
  :: else -> break
  od;
  atomic { k = 0; snap = 0 }
}

inline boost(m, prio) {
  do
  :: o = owner[m];
     if :: o == 0 -> break :: else fi;
     atomic { pe = eff[o-1]; pv = ver[o-1] };
     if :: pe >= prio -> break :: else fi;
     if
     :: owner[m] != o
     :: else -> atomic { if :: (eff[o-1]==pe && ver[o-1]==pv) -> setpw(o-1, prio, nest[o-1]); ok = 1 :: else -> ok = 0 fi };
        if :: ok -> break :: else fi
     fi
  od; atomic { o = 0; pe = 0; pv = 0; ok = 0 }
}

inline settle(m) {       /* owner's priority := max(base, top waiter of m), until a pass changes nothing. A holder of more than one is not lowered; */
  low = 0;               /* it is raised by a pass that follows a lowering of ours (somebody may have relied on what we took away), and by itself */
  do
  :: o = owner[m];
     if :: o == 0 -> break :: else fi;
     atomic { pe = eff[o-1]; pv = ver[o-1]; pn = nest[o-1] };
     
#ifdef NOREPAIR
     if :: pn == 1 && o != i+1 -> break :: else fi;
#else
     if :: pn == 1 && o != i+1 && !low -> break :: else fi;
#endif
     scan(m);
     atomic { want = base(o-1); if :: b != N && base(b) > want -> want = base(b) :: else fi;
       if :: pn == 1 && want < pe -> want = pe :: else fi };               
     if
     :: owner[m] != o
     :: else ->
        if
        :: pe == want -> break
        :: else -> atomic { if :: (eff[o-1]==pe && ver[o-1]==pv) -> if :: want < pe -> low = 1 :: else fi; setpw(o-1, want, nest[o-1]) :: else fi }
        fi
     fi
  od; atomic { o = 0; pe = 0; pv = 0; pn = 0; want = 0; b = 0; wb = 0; low = 0 }
}

inline setnest(n) { atomic { setpw(i, eff[i], n) } }       /* a compare-and-swap loop in the code */

inline unnest(m, n) {    /* the nested try has not succeeded (yet) */
  setnest(n);
#ifndef NORESETTLE
  if :: eff[i] != base(i) -> settle(1-(m)) :: else fi
#endif
}

inline wake(m) {
  do
  :: scan(m);
     if
     :: b == N -> break
     :: else -> atomic { if :: word[b] == wb -> assert(wobj[b] == m); word[b] = W(EP(wb), WOKEN); ok = 1 :: else -> ok = 0 fi };
        if :: ok -> break :: else fi
     fi
  od; atomic { b = 0; wb = 0; ok = 0 }
}

inline trytake(m) {
  atomic { if :: owner[m] == 0 -> owner[m] = i+1; got = 1 :: else -> got = 0 fi }
}

inline take(m) {
#ifndef NESTLATE
  if :: held > 0 -> setnest(1) :: else fi;
#endif
  do
  :: trytake(m);
     if :: got -> break :: else fi;
#if !defined(SIMPLE) && !defined(UNNESTLATE)
     if :: held > 0 -> unnest(m, 2) :: else fi;
#endif
     wobj[i] = m; e = (e+1)%16;
     word[i] = W(e, WAITING);
     bits[m] = bits[m] | (1<<i);
#if defined(SIMPLE) || defined(UNNESTLATE)
     trytake(m);
     if :: got -> word[i] = W(e, IDLE); bits[m] = bits[m] & (255 - (1<<i)); break :: else fi;
#ifdef UNNESTLATE
     if :: held > 0 -> unnest(m, 2) :: else fi;
#endif
#else
     if
     :: held == 0 -> trytake(m);
        if :: got -> word[i] = W(e, IDLE); bits[m] = bits[m] & (255 - (1<<i)); break :: else fi
     :: held > 0 && owner[m] == 0 ->           /* only a look: a take needs `nest` 1 */
        atomic { if :: word[i] == W(e, WAITING) -> word[i] = W(e, IDLE); ok = 1 :: else -> ok = 0 fi };
        if
        :: ok -> bits[m] = bits[m] & (255 - (1<<i)); setnest(1); again = 1
        :: else
        fi
     :: else
     fi;
#endif
     if
     :: again -> atomic { again = 0; ok = 0 }
     :: else ->
     boost(m, base(i));
     ph[i] = 1;
     if
     :: atomic { ST(word[i]) != WAITING && ST(word[i]) != GRANTING -> ph[i] = 0 }
     :: atomic { ST(word[i]) == WAITING && !(i == 1 && m == 0) -> word[i] = W(e, TIMEDOUT); ph[i] = 0 }
     fi;
     if
     :: ST(word[i]) == TIMEDOUT ->
        settle(m); bits[m] = bits[m] & (255 - (1<<i)); word[i] = W(e, IDLE);
        break
     :: ST(word[i]) == GRANTED ->
        bits[m] = bits[m] & (255 - (1<<i)); word[i] = W(e, IDLE); got = 1;
#ifdef GRANTPLAIN
        if :: held > 0 -> setnest(1) :: else fi;
#endif
#ifndef NOADOPT
        settle(m);
#endif
        break
     :: else ->
        bits[m] = bits[m] & (255 - (1<<i)); word[i] = W(e, IDLE);
#if !defined(NESTLATE) && !defined(SIMPLE)
        if :: held > 0 -> setnest(1) :: else fi
#endif
     fi
     fi
  od;
  if
  :: got ->
#ifdef NESTLATE
     if :: held > 0 -> setnest(1) :: else fi;
#endif
     atomic { held++; if :: held > 1 -> twice[i] = 1 :: else fi; incs[m]++; assert(incs[m] == 1 && owner[m] == i+1) }
  :: else -> if :: held > 0 -> unnest(m, 0) :: else fi
  fi
}

inline give(m) {
  hand = 0;
  atomic { incs[m]--; held-- };
#ifdef NESTEARLY
  if :: held > 0 -> setnest(0) :: else fi;
#endif
#ifdef HANDOFF
  if
  :: skip
  :: scan(m);
     if
     :: b != N -> atomic { if :: word[b] == wb -> word[b] = W(EP(wb), GRANTING); hand = 1 :: else fi }
     :: else
     fi
  fi;
#endif
  if
  :: hand ->
#ifndef GRANTPLAIN
     atomic { if :: nest[b] == 2 -> setpw(b, eff[b], 1) :: else fi };
#endif
     owner[m] = b+1;
     if :: held == 0 -> atomic { setpw(i, base(i), 0); twice[i] = 0 } :: else -> setnest(0) fi;
     atomic { word[b] = W(EP(wb), GRANTED); ph[b] = 0; b = 0; wb = 0 }
  :: else ->
     owner[m] = 0;
     snap = bits[m];                           /* first the waiters, then the own priority */
     if
     :: held > 0 -> setnest(0); if :: snap != 0 -> wake(m) :: else fi
     :: held == 0 && (snap != 0 || eff[i] != base(i)) -> atomic { setpw(i, base(i), 0); twice[i] = 0 }; wake(m)
     :: else -> twice[i] = 0
     fi
  fi
}

inline check() {         /* all others parked or done: is every holder's priority right? */
  d_step {
    ok = 1; k = 0;
    do :: k < N -> if :: k != i && ph[k] != 2 && !(ph[k] == 1 && ST(word[k]) == WAITING) -> ok = 0 :: else fi; k++ :: else -> break od;
    b = 0;
    do
    :: ok && b < N ->
       want = base(b); k = 0;
       do :: k < N -> if :: ph[k] == 1 && owner[wobj[k]] == b+1 && base(k) > want -> want = base(k) :: else fi; k++ :: else -> break od;
       assert(eff[b] >= want);
       assert(eff[b] == want || twice[b]); b++
    :: else -> break
    od;
    k = 0; b = 0; want = 0; ok = 0 }
}

proctype T(byte i) {
  byte k, b, snap, e, w, wb, o, pe, pv, pn, want, held; bit ok, got, hand, q, low, again;
  if
  :: i == 0 ->
     take(0);
     if
     :: got ->
        check();
        take(1);
        if
        :: got ->
           check();
           if :: q = 0 :: q = 1 fi;
           give(q);
           check();
           give(1-q)
        :: else ->
           check();
           give(0)
        fi
     :: else
     fi
  :: else ->
     if :: q = 0 :: q = 1 fi;
     take(q);
     if :: got -> check(); give(q) :: else fi
  fi;
  atomic { ph[i] = 2; done++ }
}

init {
  byte j;
  atomic { j = 0; do :: j < N -> eff[j] = base(j); j++ :: else -> break od;
    j = 0; do :: j < N -> run T(j); j++ :: else -> break od };
  done == N;
  j = 0;
  do :: j < N -> assert(eff[j] == base(j) && nest[j] == 0); j++ :: else -> break od;
  assert(bits[0] == 0 && bits[1] == 0 && owner[0] == 0 && owner[1] == 0)
}
