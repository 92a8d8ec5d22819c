/* The priority-inheriting mutex of package rtos (mutex.go, inherit.go), for spin (Debian package "spin").
 *
 *   spin -a -DN=2 -DR=2 mutex.pml && gcc -O2 -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m3000000     seconds
 *   spin -a -DN=3 -DR=1 mutex.pml && ...                                                             a minute
 *
 * N tasks take and give one mutex R times each; task i has base priority i+1; every task but task 0 may give up waiting at any
 * moment. Each access to shared memory is one step. Checked in all interleavings:
 *   - mutual exclusion;
 *   - no lost wake-up (no invalid end state: a task parked for ever would be one);
 *   - no lost inheritance: when all other tasks are parked or done, the owner runs at the highest parked priority, or at its own;
 *   - no boost left behind: at the end every task is at its base priority, the mutex free and the waiter set empty.
 * -DADOPT adds: a new owner adopts the priority of those that still wait (the chained policy). Also without error.
 * -DHANDOFF adds: at any give the mutex may be handed directly to the best waiter. Also without error (100 million states), but only
 *   because the claim is made first (waiting -> granting, so that the waiter can no longer time out), then the owner word is written, then the
 *   waiter is told, and because the new owner adopts the priority of those that came meanwhile and boosted the old owner: -DNOADOPT
 *   leaves that out and finds the lost inheritance.
 *
 * -DSTOPPED adds: a woken task may be deleted or suspended before it tries. It passes the wake on, and settles the priority of whoever has
 *   taken the mutex meanwhile, to whom those behind it have lent nothing: -DNOSETTLE leaves that out and finds a failing run (N 3).
 *
 * Orders that the model proved necessary: change any of them and it finds the failing run.
 *   give:     owner := 0, then read the waiter set, then read the own priority.
 *   timeout:  leave `waiting`, look at the mutex once more, settle the owner's priority until a pass changes nothing, then clear the own bit
 *             [BITFIRST]. The bit stays set from the first wait of a call until its end.
 *   boost:    read the owner's priority word, then check that it still owns, then compare-and-swap with a version.
 */
#ifndef N
#define N 3
#endif
#ifndef R
#define R 2
#endif
#define IDLE 0
#define WAITING 1
#define WOKEN 2
#define TIMEDOUT 3
#define GRANTING 4   /* claimed by the giver, not yet owner: can no longer time out */
#define GRANTED 5

byte owner;            /* 0 free, else task+1 */
byte bits;             /* waiter set */
byte waits[N];         /* wait state; epoch folded in: */
byte epoch[N];
byte eff[N]; byte ver[N];
byte incs; byte done; byte ph[N]; /* 0 running 1 parked 2 done */

#define base(i) ((i)+1)

/* best waiting task -> b (N = none), reading only tasks whose wait word says WAITING; e = its epoch */
inline scan() {
  b = N; k = 0; snap = bits;
  do
  :: k < N ->
     if
     :: (snap & (1<<k)) ->
        if
        :: atomic { waits[k] == WAITING -> if :: (b == N || base(k) > base(b)) -> b = k; e = epoch[k] :: else -> skip fi }
        :: else -> skip
        fi
     :: else -> skip
     fi; k++
  :: else -> break
  od
}

inline boost(prio) {    /* raise the owner to prio */
  do
  :: o = owner;
     if :: o == 0 -> break :: else -> skip fi;
     atomic { pe = eff[o-1]; pv = ver[o-1] };
     if :: pe >= prio -> break :: else -> skip fi;
     if :: owner != o -> skip
        :: else -> atomic { if :: (eff[o-1]==pe && ver[o-1]==pv) -> eff[o-1]=prio; ver[o-1]=(ver[o-1]+1)%16; ok=1 :: else -> ok=0 fi };
           if :: ok -> break :: else -> skip fi
     fi
  od
}

inline settle() {       /* after a timeout: owner's priority := max(base, top waiter), repeated until it is stable */
  do
  :: o = owner;
     if :: o == 0 -> break :: else -> skip fi;
     atomic { pe = eff[o-1]; pv = ver[o-1] };
     scan();
     want = base(o-1);
     if :: (b != N && base(b) > want) -> want = base(b) :: else -> skip fi;
     if :: owner != o -> goto_again = 1 :: else -> goto_again = 0 fi;
     if
     :: goto_again -> skip
     :: else ->
        if
        :: pe == want -> break
        :: else -> atomic { if :: (eff[o-1]==pe && ver[o-1]==pv) -> eff[o-1]=want; ver[o-1]=(ver[o-1]+1)%16 :: else -> skip fi }
           /* loop: scan again */
        fi
     fi
  od
}

proctype T(byte i) {
  byte r, k, b, snap, e, o, pe, pv, want; bit ok, goto_again, got, hand, over;
  r = 0;
  do
  :: r < R ->
     got = 0; over = 0;
     do
     :: /* fast path, the try of a woken task, and the last look of one whose limit is over */
        atomic { if :: owner == 0 -> owner = i+1; got = 1 :: else -> skip fi };
        if :: got -> break :: else -> skip fi;
        /* a limit that ended while parked, or after a wake that came to nothing: settle while the own bit is set */
        if
        :: over || (i != 0 && (bits & (1<<i))) ->
#ifdef BITFIRST
           bits = bits & (255 - (1<<i));
#endif
           settle(); break
        :: !over -> skip
        fi;
        /* publish the wait */
        atomic { epoch[i] = (epoch[i]+1)%8; waits[i] = WAITING };
        bits = bits | (1<<i);
        atomic { if :: owner == 0 -> owner = i+1; got = 1 :: else -> skip fi };
        if
        :: got -> waits[i] = IDLE; break
        :: else -> skip
        fi;
        boost(base(i));
        /* park */
        ph[i] = 1;
        if
        :: atomic { (waits[i] != WAITING && waits[i] != GRANTING) -> ph[i] = 0 }
        :: atomic { waits[i] == WAITING && i != 0 -> waits[i] = TIMEDOUT; ph[i] = 0 }
        fi;
        ph[i] = 0;
        if
        :: waits[i] == TIMEDOUT -> waits[i] = IDLE; over = 1
        :: waits[i] == GRANTED ->
           waits[i] = IDLE; got = 1;
#ifndef NOADOPT
           settle();           /* those who came meanwhile may have boosted the old owner */
#endif
           break
        :: else -> waits[i] = IDLE;                      /* woken: tries again, the bit stays */
#ifdef STOPPED
           if                                            /* ... or is deleted (suspended) first: passes the wake on */
           :: skip
           :: i != 0 ->
              if
              :: owner == 0 ->
                 do
                 :: scan();
                    if
                    :: b == N -> break
                    :: else -> atomic { if :: (waits[b]==WAITING && epoch[b]==e) -> waits[b]=WOKEN; ok=1 :: else -> ok=0 fi };
                       if :: ok -> break :: else -> skip fi
                    fi
                 od
              :: else -> skip
              fi;
#ifndef NOSETTLE
              settle();
#endif
              break
           fi
#endif
        fi
     od;
     if :: bits & (1<<i) -> bits = bits & (255 - (1<<i)) :: else -> skip fi;
     if
     :: got ->
#ifdef ADOPT
        /* a new owner adopts the priority of those that still wait */
        if :: bits != 0 -> settle() :: else -> skip fi;
#endif
        assert(owner == i+1);
        incs++;
        assert(incs == 1);
        /* quiescent: every other task is parked and still waiting, or done: the owner must run at the top waiter's priority */
        d_step { k = 0; ok = 1; want = 0;
          do :: k < N -> if :: k == i -> skip :: else -> if :: (ph[k] == 1 && waits[k] == WAITING) -> if :: base(k) > want -> want = base(k) :: else -> skip fi :: ph[k] == 2 -> skip :: else -> ok = 0 fi fi; k++ :: else -> break od;
          assert(!ok || eff[i] >= want);
          assert(!ok || eff[i] == base(i) || eff[i] == want) };
        incs--;
        /* give: hand over directly to the best waiter (any time, or never), else free the mutex */
        hand = 0;
#ifdef HANDOFF
        if
        :: skip
        :: scan();
           if
           :: b != N -> atomic { if :: (waits[b]==WAITING && epoch[b]==e) -> waits[b]=GRANTING; hand=1 :: else -> skip fi }
           :: else -> skip
           fi
        fi;
#endif
        if
        :: hand -> owner = b+1;
           atomic { eff[i] = base(i); ver[i] = (ver[i]+1)%16 };
           waits[b] = GRANTED; ph[b] = 0; goto given
        :: else -> owner = 0
        fi;
        snap = bits;            /* first the waiters, then the own priority */
        if
        :: snap != 0 || eff[i] != base(i) ->
           atomic { eff[i] = base(i); ver[i] = (ver[i]+1)%16 };
           do
           :: scan();
              if
              :: b == N -> break
              :: else -> atomic { if :: (waits[b]==WAITING && epoch[b]==e) -> waits[b]=WOKEN; ok=1 :: else -> ok=0 fi };
                 if :: ok -> break :: else -> skip fi
              fi
           od
        :: else -> skip
        fi;
given:  skip
     :: else -> skip
     fi;
     r++
  :: else -> break
  od;
  ph[i] = 2; done++
}

init {
  byte j;
  atomic { j = 0; do :: j < N -> eff[j] = base(j); j++ :: else -> break od;
    j = 0; do :: j < N -> run T(j); j++ :: else -> break od };
  done == N;
  j = 0;
  do :: j < N -> assert(eff[j] == base(j)); j++ :: else -> break od;
  assert(bits == 0 && owner == 0)
}
