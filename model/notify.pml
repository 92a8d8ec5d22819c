/* One notification slot of package rtos (notify.go) in one atomic word {value, epoch of the wait, state}, for spin (Debian package "spin").
 *
 *   spin -a notify.pml && gcc -O2 -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m3000000               seconds; also with
 *   -DTOLERANT   no epoch in the slot word: the giver wakes whatever wait of this slot it finds, the taker looks and waits again
 *   -DTOKEN      no wait word: the taker parks on a channel of capacity one and loops on the slot word
 *   -DSUM        only takes and increments: checks the exact count
 *
 *   -DSTOPS      a giver may stop for ever between changing the slot and waking (with -DK=1): the next giver wakes in its place
 *   -DSUSPEND    somebody suspends the taker NS times: ends the wait it finds, then makes the slot of that wait say nothing
 *
 * A taker makes K calls (take-and-clear, take-and-decrement, wait), each for ever or limited; a limited wait may end at any moment. NG givers
 * notify once each (increment, overwrite, without-overwrite); one aborter. Each access to shared memory is one step. Checked in all interleavings:
 *   - no lost give: when nothing can move the taker is not parked with a notification in the slot; with -DSUM given = taken + left;
 *   - no double count: a pending notification is reported by one call only, and a without-overwrite that succeeded is not written over by another;
 *   - a give that happened before the taker looked again is taken by it, also after a timeout or an abort;
 *   - a wait ends only for its own give, its own limit or an abort of it, never for a wake that was meant for an earlier wait.
 *
 * Necessary, each found by taking it away (flag in brackets):
 *   taker:  [SLOTFIRST]  publish the wait word (new epoch) before the slot says `waiting`;
 *           [PLAINEND]   end the call by compare-and-swap on the slot word, also after a timeout, and take what it says then;
 *           [NOLOOK]     ... the slot alone decides success: a wait word that says timed out or aborted proves nothing;
 *           [NOLOOP]     (TOKEN, TOLERANT) after any wake look at the slot: still `waiting` and the limit not over = wait again;
 *           [NORELOOK]   (TOLERANT) and look at it once more after the new wait word is published;
 *           [DRAIN]      (TOKEN) do not empty the channel once the slot says `waiting` without looking at the slot again.
 *           [ABORTFLAG]  (TOKEN) an abort names the epoch of the wait it means: a bare flag may hit the next wait;
 *   giver:  [NOEPOCH]    compare-and-swap the wait word with the epoch that was in the slot word (else as TOLERANT);
 *           [WAKEFIRST]  change the slot word, then wake;
 *           [NOHELP]     (STOPS) leave the epoch in the slot word, so that a later giver wakes whom an earlier one, stopped in between, has not.
 *   suspender (SUSPEND): [ANYSLOT]  only a slot that waits in the epoch of the wait it has ended: another one may have resumed the taker, which waits anew.
 */
#ifndef K
#define K 2
#endif
#ifndef NG
#define NG 2
#endif
#ifndef NA
#define NA 1
#endif
#ifndef NS
#define NS 2
#endif
#define NOTWAITING 0
#define SWAITING 1
#define RECEIVED 2
#define S(v,e,s) ((v)*64+(e)*4+(s))
#define SV(x) ((x)/64)
#define SE(x) (((x)/4)%16)
#define SS(x) ((x)%4)
#define IDLE 0
#define WAITING 1
#define WOKEN 2
#define TIMEDOUT 3
#define ABORTED 4
#define W(e,s) ((e)*8+(s))
#define ST(w) ((w)&7)
#define EP(w) ((w)>>3)
#define TAKECLEAR 0
#define TAKEDEC 1
#define WAIT 2

short slot;              /* value, epoch, state: one word */
byte word;               /* the taker's wait word */
bit token;               /* TOKEN: the channel */
byte abep;               /* TOKEN: the abort mark: the epoch of the wait that is to end */
bit pend;                /* ghost: a notification nobody has reported yet */
bit nov;                 /* ghost: its value came from without-overwrite */
byte given, taken;       /* ghosts for SUM */
bit stopped;             /* ghost: a giver stopped before it woke anybody */
bit mywake, myabort;     /* ghosts: this wait has been given to / aborted */

#define there(s) ((ty == WAIT && SS(s) == RECEIVED) || (ty != WAIT && SV(s) > 0))
#define after(s) (ty == TAKEDEC && SV(s) > 0 -> SV(s)-1 : 0)      /* wait clears on exit here; but only if it succeeds */

inline finish() {        /* end the call on slot value s: state not waiting, outcome got */
  got = there(s);
  if :: ty == WAIT && !got -> ns = S(SV(s), 0, NOTWAITING) :: else -> ns = S(after(s), 0, NOTWAITING) fi
}

#define report() if :: ty == WAIT -> assert(got == (SS(slot) == RECEIVED)); assert(!got || pend) \
                    :: else -> assert(got == (SV(slot) > 0)); taken = taken + (ty == TAKEDEC -> (got -> 1 : 0) : SV(slot)) fi; \
                 pend = 0; nov = 0; mywake = 0

proctype Taker() {
  byte c, ty, e; short s, ns; bit got, lim, ok, over, pub;
  do
  :: c < K ->
     if :: ty = TAKECLEAR :: ty = TAKEDEC
#ifndef SUM
        :: ty = WAIT
#endif
     fi;
     if :: lim = 0 :: lim = 1 fi;
     over = 0; e = (e+1)%16;
#ifdef TOKEN
     myabort = 0;
#ifdef ABORTFLAG
     abep = 0;
#endif
#endif
     do                                                    /* is it there? else say that we wait */
     :: atomic { s = slot;
          if :: there(s) -> finish() :: else -> ns = S(SV(s), e, SWAITING) fi };
        if
        :: there(s) -> atomic { if :: slot == s -> report(); slot = ns; ok = 1 :: else -> ok = 0 fi };
           if :: ok -> goto done :: else fi
        :: else ->
#if !defined(TOKEN) && !defined(SLOTFIRST)
           atomic { if :: !pub -> word = W(e, WAITING); pub = 1; myabort = 0 :: else fi };   /* once: an abort may have come */
#endif
           atomic { if :: slot == s -> slot = ns; ok = 1; pend = 0; nov = 0; mywake = 0 :: else -> ok = 0 fi };
           if :: ok -> break :: else fi
        fi
     od;
#ifdef SLOTFIRST
     word = W(e, WAITING);
#endif
#ifdef DRAIN
     token = 0;
#endif
     do                                                    /* park */
     :: skip;
#ifdef TOKEN
#ifndef DRAIN
        if :: SS(slot) != SWAITING -> break :: else fi;
#endif
endpark:
        if
        :: atomic { token -> token = 0 };
#ifdef NOLOOP
           break
#endif
        :: lim -> over = 1; break
        fi;
        
#ifdef ABORTFLAG
        if :: abep != 0 -> break :: else fi
#else
        if :: abep == e -> break :: else fi
#endif
#ifdef DRAIN
        if :: SS(slot) != SWAITING -> break :: else fi;
#endif
#else
endpark:
        if
        :: ST(word) != WAITING
        :: lim -> atomic { if :: ST(word) == WAITING -> word = W(e, TIMEDOUT); over = 1 :: else fi }
        fi;
#if defined(TOLERANT) && !defined(NOLOOP)
        if
        :: ST(word) == WOKEN && SS(slot) == SWAITING ->    /* meant for an earlier wait: wait again */
           e = (e+1)%16; word = W(e, WAITING);
#ifndef NORELOOK
           if :: SS(slot) != SWAITING -> break :: else fi
#endif
        :: else -> break
        fi
#else
        break
#endif
#endif
     od;
     do                                                    /* end: look again, whatever ended the wait */
     :: atomic { s = slot; finish() };
#ifdef NOLOOK
        if :: over || ST(word) == ABORTED -> atomic { got = 0; ns = S(SV(s), 0, NOTWAITING) } :: else fi;
#endif
#ifdef PLAINEND
        atomic { report(); slot = ns; ok = 1 };
#else
        atomic { if :: slot == s -> assert(got || over || mywake || myabort); report(); slot = ns; ok = 1 :: else -> ok = 0 fi };
#endif
        if :: ok -> break :: else fi
     od;
done:
#ifndef TOKEN
     word = W(e, IDLE);
#endif
     atomic { c++; ty = 0; got = 0; lim = 0; ok = 0; s = 0; ns = 0; over = 0; pub = 0 }
  :: else -> break
  od
}

#ifdef SUSPEND
proctype Suspender() {
  byte w; short s; bit ok;
  if
  :: atomic { ST(word) == WAITING -> w = word };
     atomic { if :: word == w -> word = W(EP(w), ABORTED); myabort = 1; ok = 1 :: else fi };
     do
     :: ok -> s = slot;
        if
#ifdef ANYSLOT
        :: SS(s) == SWAITING ->
#else
        :: SS(s) == SWAITING && SE(s) == EP(w)%16 ->
#endif
           atomic { if :: slot == s -> slot = S(SV(s), 0, NOTWAITING); ok = 0 :: else fi }
        :: else -> break
        fi
     :: else -> break
     od
  :: else
  fi
}
#endif

#if defined(TOKEN) || defined(TOLERANT) || defined(NOEPOCH) || defined(NOHELP)
#define KEPT(s) 0
#define WAKES(s) (SS(s) == SWAITING)
#else
#define KEPT(s) SE(s)                                      /* waiting, or received from a wait that has not ended */
#define WAKES(s) (SE(s) != 0)
#endif

#define INC 0
#define OVER 1
#define NOVER 2

proctype Giver() {       /* a task or an interrupt: never waits */
  byte act, w; short s, ns; bit ok;
  if :: act = INC
#ifndef SUM
     :: act = OVER :: act = NOVER
#endif
  fi;
#ifdef WAKEFIRST
  if :: SS(slot) == SWAITING -> atomic { w = word; if :: ST(w) == WAITING -> word = W(EP(w), WOKEN) :: else fi; token = 1 } :: else fi;
#endif
  do
  :: atomic { s = slot;
       if :: act == INC -> ns = S(SV(s)+1, KEPT(s), RECEIVED)
          :: act == OVER -> ns = S(3, KEPT(s), RECEIVED)
          :: act == NOVER && SS(s) != RECEIVED -> ns = S(2, KEPT(s), RECEIVED)
          :: else -> break                                 /* refused: one is pending */
       fi };
     atomic {
       if
       :: slot == s ->
          assert(!(act == NOVER && nov));
          slot = ns; given++; ok = 1; pend = 1; nov = (act == NOVER);
          if :: SS(s) == SWAITING -> mywake = 1 :: else fi
       :: else -> ok = 0
       fi };
     if
     :: !ok
     :: else ->
#ifdef STOPS
        if :: atomic { !stopped -> stopped = 1 }; break :: skip fi;
#endif
#ifndef WAKEFIRST
        if
        :: WAKES(s) ->
#ifdef TOKEN
           token = 1                                       /* non-blocking send: a token that is there is enough */
#else
#if defined(TOLERANT) || defined(NOEPOCH)
           do
           :: w = word;
              if :: ST(w) != WAITING -> break :: else fi;
              atomic { if :: word == w -> word = W(EP(w), WOKEN); ok = 0 :: else fi };
              if :: !ok -> break :: else fi
           od
#else
           atomic { if :: word == W(SE(s), WAITING) -> word = W(SE(s), WOKEN) :: else fi }
#endif
#endif
        :: else
        fi;
#endif
        break
     fi
  od
}

proctype Aborter() {
  byte n, w;
  do
  :: n < NA ->
#ifdef TOKEN
     if
     :: atomic { SS(slot) == SWAITING -> w = SE(slot) };
        atomic { abep = w; if :: SS(slot) == SWAITING && SE(slot) == w -> myabort = 1 :: else fi };
        token = 1
     :: else
     fi;
#else
     if
     :: atomic { ST(word) == WAITING -> w = word };
        atomic { if :: word == w -> word = W(EP(w), ABORTED); myabort = 1 :: else fi }
     :: else
     fi;
#endif
     atomic { n++; w = 0 }
  :: else -> break
  od
}

init {
  byte j;
  atomic {
    run Taker();
    do :: j < NG -> run Giver(); j++ :: else -> break od;
    if :: NA > 0 -> run Aborter() :: else fi; j = 0;
#ifdef SUSPEND
    do :: j < NS -> run Suspender(); j++ :: else -> break od; j = 0
#endif
  };
  timeout;
  atomic {
    assert(SS(slot) != SWAITING || !pend);
    assert(SS(slot) == SWAITING || _nr_pr == 1 || stopped && given < 2);    /* parked only while the slot says so */
#ifdef SUM
    assert(given == taken + SV(slot));
#endif
    assert(SS(slot) != RECEIVED || pend)
  }
}
