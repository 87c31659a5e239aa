/* Sharing: a grant is one transaction and knows no positions. The first plan that sees it gives its catch-up an end:
   the marker's position, taken in one transaction with a new epoch of the marker. Commit order and fences as in
   commit-order.pml; here pages are one record, and the selection is read once a run and may be newer for later pages.

   spin -a -DNW=2 -DNR=2 -DREGRANT sharing.pml && gcc -O2 -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m300000
   Mutants, each must fail: -DEND_BEFORE (the end is the marker as it was read before the transaction), -DNO_EPOCH (the
   plan leaves the epoch as it is), -DEARLY (the grant itself takes the counter, in its transaction's snapshot),
   -DSTALE_SELECTION (an attempt goes by the plan's selection, not by one read after it has taken its epoch),
   -DSELECTION_FIRST (the plan reads the selection before the epoch that its passing over is fenced by),
   -DNO_GENERATION -DREGRANT (a catch-up of an older grant that is through removes the new one).
   -DAS_BUILT: as the code has it. The plan begins what is due before it reads the marker and the selection; what is
   granted and not begun is not selected; a reset cuts the catch-up after it has moved the marker, and only one begun by
   the shares_version that it has read before. Its mutant: -DCUTS_ALL, it cuts any.
   check.sh runs them all.                                                                                      */
#ifndef R
#define R 2
#endif
#ifndef NW
#define NW 2
#endif
#ifndef NR
#define NR 2
#endif
#define INF 100

byte counter = 0; bool locked = false;
byte pos[R]; byte ver[R]; byte got[R];
byte marker = 0; byte epoch = 0;
bool shared = false;                 /* subscription and shares_version: one transaction */
byte grant = 0;                      /* version of the subscription: counts grants */
byte begun = 0;                      /* the grant that a plan has begun; its catch-up ends at: */
byte until = 0; bool pending = false;
byte shares = 0; byte begunAt = 0;   /* AS_BUILT: shares_version, and the one that the plan took which began the catch-up */
#ifdef AS_BUILT
#define SELECTED (shared && begun == grant)
#else
#define SELECTED shared
#endif
byte frozen = INF;                   /* EARLY: the counter as the grant's snapshot saw it */

proctype Writer(byte r) {
  byte p;
  atomic { !locked; locked = true };
  if
  :: atomic { locked = false; goto done }
  :: atomic { counter++; p = counter; pos[r] = p; ver[r]++; locked = false }
  fi;
done: skip
}

/* plan and deliver one window; may die at any step unless clean */
proctype Run(bool clean) {
  byte e; byte m; byte ceil; byte at; byte i; byte best; byte bv; byte bi; bool sel; byte g; byte e0;
#ifdef AS_BUILT
  ceil = counter;
  atomic { e0 = epoch; m = marker; sel = (shared && begun != grant) };
  if :: (!clean) -> if :: goto out :: skip fi :: else fi;
  if
  :: sel -> atomic {
       if
       :: epoch == e0 && shared && begun != grant ->
#ifndef NO_EPOCH
          epoch++;
#endif
          begun = grant; shares++; begunAt = shares; pending = true;
#ifdef END_BEFORE
          until = m
#else
          until = marker
#endif
       :: else -> goto out
       fi
     }
  :: else
  fi;
  if :: (!clean) -> if :: goto out :: skip fi :: else fi;
#ifdef SELECTION_FIRST
  sel = SELECTED;
#endif
  atomic { e0 = epoch; m = marker };
#ifndef SELECTION_FIRST
  sel = SELECTED;
#endif
#else
#ifdef SELECTION_FIRST
  atomic { sel = shared; g = grant };
#endif
  ceil = counter;                                          /* ceiling first (docs/architecture.md#commit-order, rule 2) */
  atomic { e0 = epoch; m = marker };
#ifndef SELECTION_FIRST
  atomic { sel = shared; g = grant };
#endif
  if :: (!clean) -> if :: goto out :: skip fi :: else fi;
  if
  :: sel && begun != g ->                                  /* a grant that no plan has begun */
#ifdef EARLY
     atomic { if :: grant == g && shared -> begun = g; until = frozen; pending = true :: else -> goto out fi }
#else
#ifdef END_BEFORE
     atomic { if :: epoch == e0 && grant == g && shared -> epoch++; begun = g; until = m; pending = true :: else -> goto out fi }
#else
#ifdef NO_EPOCH
     atomic { if :: grant == g && shared -> begun = g; until = marker; pending = true :: else -> goto out fi }
#else
     atomic { if :: epoch == e0 && grant == g && shared -> epoch++; begun = g; until = marker; pending = true :: else -> goto out fi }
#endif
#endif
#endif
  :: else
  fi;
  if :: (!clean) -> if :: goto out :: skip fi :: else fi;
#endif
  if                                                       /* nothing of the window is shared: the plan passes over it; */
  :: !sel -> skip                                          /* or other accounts have something in it */
  :: !sel -> atomic { if :: epoch == e0 && marker == m && m < ceil -> marker = ceil; epoch++ :: else fi }; goto out
  :: else
  fi;
  atomic { epoch++; e = epoch; at = marker };              /* the attempt */
#ifndef STALE_SELECTION
  sel = SELECTED;                                          /* read after the epoch is taken */
#endif
  do
  :: best = INF; i = at + 1;
     do
     :: (i <= ceil && i <= NW) ->
        d_step {
          bi = 0;
          do :: (bi < R && pos[bi] != i) -> bi++ :: else -> break od;
          if :: bi < R -> best = i; bv = ver[bi] :: else -> i++ fi
        }
        if :: best != INF -> break :: else fi
     :: else -> break
     od;
     if :: best == INF -> break :: else fi;
     if :: skip :: sel = SELECTED fi;                      /* later pages may see a newer one */
     if :: !sel -> skip
        :: sel && !clean -> goto out
        :: sel -> got[bi] = (bv > got[bi] -> bv : got[bi])
     fi;
     if :: !clean -> if :: goto out :: skip fi :: else fi;
     atomic { if :: epoch == e -> marker = best :: else -> goto out fi };
     at = best
  od;
  atomic { if :: epoch == e && marker < ceil -> marker = ceil :: else fi };
out: skip
}

/* one attempt at the catch-up that is pending; removes it when it is through */
proctype CatchUp(bool clean) {
  byte i = 0; byte u; byte g; byte p; byte v;
  atomic { if :: pending -> u = until; g = begun :: else -> goto out fi };
  do
  :: i < R ->
     atomic { p = pos[i]; v = ver[i] };
     if :: (!clean) -> if :: goto out :: skip fi :: else fi;
     if :: p > 0 && p <= u -> got[i] = (v > got[i] -> v : got[i]) :: else fi;
     i++
  :: else -> break
  od;
#ifdef NO_GENERATION
  pending = false;
#else
  atomic { if :: pending && begun == g -> pending = false :: else fi };
#endif
out: skip
}

proctype Farmer() {
#ifdef EARLY
  byte c;
  c = counter; atomic { shared = true; grant++; frozen = c };
#else
  atomic { shared = true; grant++; shares++ };
#endif
#ifdef REGRANT
  /* what the customer got before the revoke is forgotten there: all must come again */
  atomic { shared = false; pending = false; shares++; got[0] = 0; got[1] = 0 };
  atomic { shared = true; grant++; shares++ };
#endif
}

#ifdef RESET
proctype Reset() {
#ifdef AS_BUILT
  byte seen;
  seen = shares;
  atomic { marker = 0; epoch++ };
#ifdef CUTS_ALL
  until = 0
#else
  atomic { if :: begunAt <= seen -> until = 0 :: else fi }
#endif
#else
  atomic { marker = 0; epoch++;
    until = 0                        /* what lies above is the main window's again: saves repeats, loses nothing */
  }
#endif
}
#endif

init {
  byte i = 0;
  atomic {
    do :: i < NW -> run Writer(i % R); i++ :: else -> break od; i = 0;
    do :: i < NR -> run Run(false); i++ :: else -> break od;
    run CatchUp(false);
    run Farmer();
#ifdef RESET
    run Reset();
#endif
  }
  (_nr_pr == 1);
  run Run(true);
  (_nr_pr == 1);
  run CatchUp(true);
  (_nr_pr == 1);
  i = 0;
  do :: i < R -> assert(got[i] == ver[i]); i++ :: else -> break od;
  assert(!pending); assert(marker <= counter)
}
