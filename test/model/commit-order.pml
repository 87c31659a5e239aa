/* Commit-ordered positions and the fenced marker.
   A push is one MongoDB transaction whose first write increments the entity's
   counter: the write lock on that one document makes commit order and position
   order the same. A run reads the counter (the ceiling) BEFORE it reads records,
   reads only positions in (marker, ceiling], posts, and moves the marker by
   compare-and-set on the epoch after a 2xx only.

   A record that has not changed gives its position back in the same transaction, under the same lock: to all others such a
   push has changed nothing, as one that was aborted. -DGIVES_BACK: each push takes two positions and gives one back.

   -DPLANNED: the ceiling is read before the attempt takes its epoch, as plan-run and deliver-pages do.
   -DPULL: an attempt lays its page out and ends; the customer is given it by the API, and its confirmation moves the marker there.

   spin -a -DR=2 -DNW=2 -DNR=1 -DRESET commit-order.pml && gcc -O2 -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m300000
   Mutants, each must fail: -DOUTSIDE (position taken outside the transaction), -DLATE_CEILING,
   -DNO_CEILING, -DADV_EARLY, -DNO_FENCE -DRESET, -DSKIP_RESET_FENCE -DRESET, -DGRANT -DGRANT_REVERSED,
   -DGIVES_BACK -DGIVEN_BACK_LATE (outside the transaction).
   With -DPULL: -DNO_FENCE -DRESET (a confirmation moves the marker in any epoch), -DGIVEN_IN_ANY_EPOCH (a page is given out although
   a newer attempt has begun), -DCONFIRM_ANY (a confirmation is of the page that lies there, whichever was given out),
   -DSAME_ID -DRESET (a page keeps its id over a reset), -DSKIP_RESET_FENCE -DRESET.
   check.sh runs them all.                                                                      */
#ifndef R
#define R 2
#endif
#ifndef NW
#define NW 2
#endif
#ifndef NR
#define NR 1
#endif
#define INF 100
#ifdef GIVES_BACK
#define LAST (NW + NW)
#else
#define LAST NW
#endif

byte counter = 0;              /* committed position counter */
bool locked = false;           /* write lock a live transaction holds on it */
byte pos[R]; byte ver[R];      /* committed records; ver counts committed changes */
byte got[R];                   /* newest version the customer has answered 2xx for */
byte marker = 0; byte epoch = 0;
byte working = 0;              /* pushes not finished */
bool shared = true;            /* GRANT: the farmer's account starts unshared */
byte until = INF;              /* GRANT: end of the catch-up window */
bool resetDone = false; byte again[R];   /* versions sent after the reset */
#ifdef PULL
#define TAKE_GENERATION g = resetDone
#else
#define TAKE_GENERATION skip
#endif
#ifdef PULL
bool laid = false;             /* a page waits: made in this epoch, by which its confirmation moves the marker */
byte pageEpoch; byte pageTo; byte pageRec; byte pageVer; bool pageGen;
byte last[R];                  /* the version of a record that was given out last */
#endif

/* ---- one push of one record ---- */
proctype Writer(byte r) {
  byte p;
#ifdef OUTSIDE
  atomic { counter++; p = counter }            /* $inc committed on its own */
  if :: skip :: goto done fi;                  /* may crash: a gap */
  atomic { pos[r] = (p > pos[r] -> p : pos[r]); ver[r]++ };
#else
  atomic { !locked; locked = true };           /* others get WriteConflict and retry */
  if
  :: atomic { locked = false; goto done }      /* crash or abort: nothing is visible */
#ifdef GIVEN_BACK_LATE
  :: atomic { counter = counter + 2; p = counter - 1; pos[r] = p; ver[r]++; locked = false };
     counter--
#else
#ifdef GIVES_BACK
  :: atomic { counter = counter + 2; counter--; p = counter; pos[r] = p; ver[r]++; locked = false }
#else
  :: atomic { counter++; p = counter; pos[r] = p; ver[r]++; locked = false }   /* commit */
#endif
#endif
  fi;
#endif
done:
  working--
}

/* ---- one delivery attempt; pages of one record; may die at any step ---- */
proctype Run(bool clean) {
  byte e; byte m; byte ceil; byte at; byte i; byte best; byte bv; byte bi;
#ifdef PULL
  bool g;
  if :: laid && pageEpoch == epoch -> goto out    /* it may still be given out: left alone, and so is its epoch */
     :: else fi;
#endif
#ifdef PLANNED
  ceil = counter;                               /* as the code has it: the plan reads it, the attempt begins later */
  atomic { epoch++; e = epoch; m = marker; TAKE_GENERATION };
#else
  atomic { epoch++; e = epoch; m = marker; TAKE_GENERATION };
  ceil = counter;
#endif
#ifdef LATE_CEILING
  ceil = INF;
#endif
#ifdef NO_CEILING
  ceil = INF;
#endif
  at = m;
  do
  :: best = INF; i = at + 1;                    /* an index scan is not a snapshot: one step a key */
     do
     :: (i <= ceil && i <= LAST) ->
        d_step {
          bi = 0;
          do :: (bi < R && pos[bi] != i) -> bi++ :: else -> break od;
          if :: bi < R -> best = i; bv = ver[bi] :: else -> i++ fi
        }
        if :: best != INF -> break :: else fi
     :: else -> break
     od;
     if :: best == INF -> break :: else fi;
#ifdef PULL
     if :: !clean -> if :: goto out :: skip fi :: else fi;    /* dies before it has laid the page out */
     atomic { laid = true; pageEpoch = e; pageTo = best; pageRec = bi; pageVer = bv; pageGen = g };
     goto out;
#endif
#ifdef ADV_EARLY
     atomic { if :: epoch == e -> marker = best :: else -> goto out fi };
#endif
     if :: !shared -> skip                      /* not shared: passed over, the marker still moves */
        :: shared && !clean -> goto out         /* dies, or the post is refused */
        :: shared -> atomic { got[bi] = (bv > got[bi] -> bv : got[bi]);
                    if :: resetDone -> again[bi] = (bv > again[bi] -> bv : again[bi]) :: else fi }
     fi;
     if :: !clean -> goto out :: skip fi;       /* the answer was lost */
#ifndef ADV_EARLY
#ifdef NO_FENCE
     atomic { marker = best };
#else
     atomic { if :: epoch == e -> marker = best :: else -> goto out fi };
#endif
#endif
     at = best
  od;
#ifdef LATE_CEILING
  ceil = counter;
#endif
#ifndef NO_CEILING
#ifdef NO_FENCE
  atomic { marker = ceil };
#else
  atomic { if :: epoch == e && marker < ceil -> marker = ceil :: else fi };
#endif
#endif
out: skip
}

#ifdef PULL
#ifdef GIVEN_IN_ANY_EPOCH
#define GIVEN_OUT true
#else
#define GIVEN_OUT pageEpoch == epoch
#endif
#ifdef CONFIRM_ANY
#define SAME_PAGE true
#else
#ifdef SAME_ID
#define SAME_PAGE pageTo == to && pageRec == r && pageVer == v
#else
#define SAME_PAGE pageTo == to && pageRec == r && pageVer == v && pageGen == gen
#endif
#endif
#ifdef NO_FENCE
#define CURRENT true
#else
#define CURRENT pageEpoch == epoch
#endif
/* one question, and the confirmation of its page; customer and API may end between them, and the confirmation may be late */
proctype Customer(bool clean) {
  byte to; byte r; byte v; bool gen;
  atomic {
    if
    :: laid && GIVEN_OUT ->
       to = pageTo; r = pageRec; v = pageVer; gen = pageGen;
       assert(v >= last[r]);                    /* no old version behind a newer one */
       last[r] = v;
       got[r] = (v > got[r] -> v : got[r]);
       if :: resetDone -> again[r] = (v > again[r] -> v : again[r]) :: else fi
    :: else -> goto out
    fi
  };
  if :: !clean -> if :: goto out :: skip fi :: else fi;
  atomic {                                      /* one transaction */
    if
    :: laid && SAME_PAGE && CURRENT -> marker = pageTo; laid = false
    :: else
    fi
  };
out: skip
}
#endif

#ifdef RESET
proctype Reset() {                              /* one document update: back to 0, new epoch */
  atomic { marker = 0; resetDone = true;
#ifndef SKIP_RESET_FENCE
    epoch++
#endif
  }
}
#endif

#ifdef GRANT
proctype Grant() {                              /* opt-in: first make it visible, then read the ceiling */
#ifdef GRANT_REVERSED
  until = counter; shared = true
#else
  shared = true; until = counter
#endif
}
proctype CatchUp() {                            /* the account's own marker: from 0 to until */
  byte i = 0;
  do
  :: i < R -> atomic { if :: pos[i] > 0 && pos[i] <= until -> got[i] = (ver[i] > got[i] -> ver[i] : got[i]) :: else fi }; i++
  :: else -> break
  od
}
#endif

init {
  byte i = 0;
  atomic {
    working = NW;
    do :: i < NW -> run Writer(i % R); i++ :: else -> break od; i = 0;
    do :: i < NR -> run Run(false); i++ :: else -> break od;
#ifdef PULL
    run Customer(false); run Customer(false);
#endif
#ifdef RESET
    run Reset();
#endif
#ifdef GRANT
    shared = false; run Grant();
#endif
  }
  (_nr_pr == 1);                                /* faults stop; one clean run follows */
#ifdef GRANT
  run CatchUp();
#endif
#ifdef PULL
  i = 0;
  do
  :: i <= NW -> run Run(true); (_nr_pr == 1); run Customer(true); (_nr_pr == 1); i++
  :: else -> break
  od;
#endif
  run Run(true);
  (_nr_pr == 1);
  i = 0;
  do
  :: i < R -> assert(got[i] == ver[i]);         /* nothing acknowledged is missing at the customer */
#ifdef RESET
              assert(again[i] == ver[i]);       /* everything went out again after the reset */
#endif
              i++
  :: else -> break
  od;
  assert(marker <= counter)
}
