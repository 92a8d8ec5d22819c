/* Inheritance and the reuse of a slot (mutex.go, inherit.go), for spin (Debian package "spin").
 *
 *   spin -a slot.pml && gcc -O2 -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m3000000          (under a second)
 *
 * Task 0 holds the mutex, gives it and ends; its slot is reused by task 1, which may take the mutex. Task 2 (higher) waits for the mutex and boosts the owner.
 * Checked when nothing can move: if task 1 holds the mutex it has the priority of task 2 who waits; if it does not, it is at its base priority.
 *
 *   default                  the owner word names the task: an id that is never reused (a generation beside the slot)      no error
 *   -DSLOTWORD               the owner word holds slot + 1: "check that o still owns" may be fooled, but the give in between has woken the booster,
 *                            which boosts again: no error
 *   -DSLOTWORD -DSLOTPW      ... and the priority word belongs to the slot: no error as long as a new task goes on with the version
 *   -DSLOTWORD -DSLOTPW -DVERRESET    ... but starts the version over: a late boost lands on the new task and stays: error
 *   -DSLOTWORD -DORPHAN      task 0 ends without giving: the new task in its slot is the owner, as far as anyone can see: error. With an id: no error.
 */
byte owner; byte table;      /* table: the one slot -> task */
byte eff[3]; byte ver[3]; bit bits; bit woken; bit parked;

#ifdef SLOTWORD
#define name(t) 1
#define task(o) table
#ifdef SLOTPW
#define P(t) 0
#endif
#else
#define name(t) ((t)+1)
#define task(o) ((o)-1)
#endif
#ifndef P
#define P(t) (t)
#endif

proctype Old() {
#ifndef ORPHAN
  bit s;
  owner = 0; s = bits;
  if :: s || eff[0] != 1 -> atomic { eff[0] = 1; ver[0]++ }; woken = 1 :: else fi;
#endif
#ifdef SLOTPW
#ifdef VERRESET
  atomic { eff[0] = 1; ver[0] = 0 };
#else
  atomic { eff[0] = 1; ver[0]++ };
#endif
#endif
  atomic { table = 1; run New() }
}

proctype New() {
#ifdef ORPHAN
  assert(owner != name(1));                                              /* a give by the new task would pass as a give by the owner */
#endif
  if
  :: atomic { if :: owner == 0 -> owner = name(1) :: else fi }
  :: skip
  fi
}

proctype High() {
  byte o, t, pe, pv; bit ok;
  bits = 1;
  do
  :: o = owner;
     if :: o == 0 -> break :: else fi;                                   /* free: tries again */
     t = task(o);
     atomic { pe = eff[P(t)]; pv = ver[P(t)] };
     
     if
     :: owner != o
     :: else ->
        atomic { if :: eff[P(t)] == pe && ver[P(t)] == pv -> eff[P(t)] = 3; ver[P(t)]++; ok = 1 :: else fi };
        if :: ok -> parked = 1;
endpark:      atomic { woken -> woken = 0; parked = 0; ok = 0 }          /* woken: tries again */
           :: else
        fi
     fi
  od
}

init {
  atomic { eff[0] = 1; eff[1] = 1; eff[2] = 3; table = 0; owner = name(0); run Old(); run High() };
  timeout;
  assert(!(parked && owner == name(1) && table == 1 && eff[P(1)] < 3));
  assert(owner == name(1) || table != 1 || eff[P(1)] == 1)
}
