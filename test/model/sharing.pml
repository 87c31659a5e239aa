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
   granted and not begun is not selected.
   -DA=2: two accounts with a record each, and a farmer each. A catch-up attempt takes their epochs one after the other, sends all
   that both have left on one page, and then ends each by its own. Its mutants: -DENDS_BY_THE_FIRST (where the first one's still
   holds, all end), -DENDS_PENDING (whatever is pending ends, begun since or not), -DLEAST_END (the page is read up to the least end).
   -DONLY_NEW (with AS_BUILT): the grant is without the earlier records. It reads the counter within its transaction, at any point
   of it; what lies up to there is never sent, and what lies above is, whether the marker has passed it before the plan or not. Its
   mutants: -DNO_CATCH_UP (the plan begins none, as there are no earlier records to send), -DFROM_MARKER (what is new begins at
   the marker's position when the plan begins it), -DFROM_EVERYWHERE (a window sends what lies below too).
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
#ifndef A
#define A 1
#endif
#define INF 100
#define OF(r) ((r) % A)              /* the account of a record */

byte counter = 0; bool locked = false;
byte pos[R]; byte ver[R]; byte got[R];
byte marker = 0; byte epoch = 0;
bool shared[A];                      /* subscription and shares_version: one transaction */
byte grant[A];                       /* version of the subscription: counts grants */
byte begun[A];                       /* the grant that a plan has begun; its catch-up ends at: */
byte until[A]; bool pending[A];
#if A == 1
#define READ_SELECTED sel[0] = SELECTED(0)
#define READ_DUE sel[0] = DUE(0)
#define ANY_DUE DUE(0)
#define ANY sel[0]
#else
#define READ_SELECTED sel[0] = SELECTED(0); sel[1] = SELECTED(1)
#define READ_DUE sel[0] = DUE(0); sel[1] = DUE(1)
#define ANY_DUE (DUE(0) || DUE(1))
#define ANY (sel[0] || sel[1])
#endif
#define DUE(a) (shared[a] && begun[a] != grant[a])
#ifdef AS_BUILT
#define SELECTED(a) (shared[a] && begun[a] == grant[a])
#else
#define SELECTED(a) shared[a]
#endif
byte from[A]; byte asked[A];         /* ONLY_NEW: what lies up to there is not sent; the counter as the grant saw it */
#ifdef ONLY_NEW
#define GRANT(a) shared[a] = true; grant[a]++; from[a] = c; asked[a] = c
#else
#define GRANT(a) shared[a] = true; grant[a]++
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
  byte e; byte m; byte ceil; byte at; byte i; byte best; byte bv; byte bi; bool sel[A]; byte g; byte e0; byte a;
#ifdef AS_BUILT
  ceil = counter;
  atomic { e0 = epoch; m = marker; READ_DUE };
  if :: (!clean) -> if :: goto out :: skip fi :: else fi;
  if
  :: ANY -> atomic {
       if
       :: epoch == e0 && ANY_DUE ->
#ifndef NO_EPOCH
          epoch++;
#endif
          a = 0;
          do
          :: a < A ->
             if
             :: DUE(a) ->
                begun[a] = grant[a];
#ifdef END_BEFORE
                until[a] = m;
#else
                until[a] = marker;
#endif
#ifdef FROM_MARKER
                from[a] = marker;
#endif
#ifdef NO_CATCH_UP
                pending[a] = false
#else
                pending[a] = until[a] > from[a] || (from[a] == 0)
#endif
             :: else
             fi;
             a++
          :: else -> a = 0; break
          od
       :: else -> goto out
       fi
     }
  :: else
  fi;
  if :: (!clean) -> if :: goto out :: skip fi :: else fi;
#ifdef SELECTION_FIRST
  atomic { READ_SELECTED };
#endif
  atomic { e0 = epoch; m = marker };
#ifndef SELECTION_FIRST
  atomic { READ_SELECTED };
#endif
#else
#ifdef SELECTION_FIRST
  atomic { sel[0] = shared[0]; g = grant[0] };
#endif
  ceil = counter;                                          /* ceiling first (docs/architecture.md#commit-order, rule 2) */
  atomic { e0 = epoch; m = marker };
#ifndef SELECTION_FIRST
  atomic { sel[0] = shared[0]; g = grant[0] };
#endif
  if :: (!clean) -> if :: goto out :: skip fi :: else fi;
  if
  :: sel[0] && begun[0] != g ->                                  /* a grant that no plan has begun */
#ifdef EARLY
     atomic { if :: grant[0] == g && shared[0] -> begun[0] = g; until[0] = frozen; pending[0] = true :: else -> goto out fi }
#else
#ifdef END_BEFORE
     atomic { if :: epoch == e0 && grant[0] == g && shared[0] -> epoch++; begun[0] = g; until[0] = m; pending[0] = true :: else -> goto out fi }
#else
#ifdef NO_EPOCH
     atomic { if :: grant[0] == g && shared[0] -> begun[0] = g; until[0] = marker; pending[0] = true :: else -> goto out fi }
#else
     atomic { if :: epoch == e0 && grant[0] == g && shared[0] -> epoch++; begun[0] = g; until[0] = marker; pending[0] = true :: else -> goto out fi }
#endif
#endif
#endif
  :: else
  fi;
  if :: (!clean) -> if :: goto out :: skip fi :: else fi;
#endif
  if                                                       /* nothing of the window is shared: the plan passes over it; */
  :: !ANY -> skip                                          /* or other accounts have something in it */
  :: !ANY -> atomic { if :: epoch == e0 && marker == m && m < ceil -> marker = ceil; epoch++ :: else fi }; goto out
  :: else
  fi;
  atomic { epoch++; e = epoch; at = marker };              /* the attempt */
#ifndef STALE_SELECTION
  atomic { READ_SELECTED };                                /* read after the epoch is taken */
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
     if :: skip :: atomic { READ_SELECTED } fi;            /* later pages may see a newer one */
     if :: !sel[OF(bi)] -> skip
        :: sel[OF(bi)] && !clean -> goto out
#ifndef FROM_EVERYWHERE
        :: sel[OF(bi)] && best <= from[OF(bi)] -> skip
        :: sel[OF(bi)] && best > from[OF(bi)] -> got[bi] = (bv > got[bi] -> bv : got[bi])
#else
        :: sel[OF(bi)] -> got[bi] = (bv > got[bi] -> bv : got[bi])
#endif
     fi;
     if :: !clean -> if :: goto out :: skip fi :: else fi;
     atomic { if :: epoch == e -> marker = best :: else -> goto out fi };
     at = best
  od;
  atomic { if :: epoch == e && marker < ceil -> marker = ceil :: else fi };
out: skip
}

/* one attempt at the catch-ups that are pending: all that they have left is one page, which ends each that is still the same */
proctype CatchUp(bool clean) {
  byte i = 0; byte a = 0; byte u[A]; byte f[A]; byte g[A]; bool taken[A]; byte page[R]; byte any = 0;
  do
  :: a < A -> atomic {
       if :: pending[a] -> u[a] = until[a]; f[a] = from[a]; g[a] = begun[a]; taken[a] = true; any = 1 :: else fi;
       a++
     }
  :: else -> break
  od;
  if :: any == 0 -> goto out :: else fi;
#ifdef LEAST_END
  atomic { if :: taken[0] && taken[A - 1] -> u[0] = (u[0] < u[A - 1] -> u[0] : u[A - 1]); u[A - 1] = u[0] :: else fi };
#endif
  do
  :: i < R ->
     atomic { if :: taken[OF(i)] && pos[i] > f[OF(i)] && pos[i] <= u[OF(i)] -> page[i] = ver[i] :: else fi; i++ };
  :: else -> break
  od;
  if :: (!clean) -> if :: goto out :: skip fi :: else fi;
  atomic { i = 0; do :: i < R -> got[i] = (page[i] > got[i] -> page[i] : got[i]); i++ :: else -> i = 0; break od };
  if :: (!clean) -> if :: goto out :: skip fi :: else fi;
#ifdef NO_GENERATION
  pending[0] = false;
#else
#ifdef ENDS_BY_THE_FIRST
  atomic {
    if :: taken[0] && pending[0] && begun[0] == g[0] -> pending[0] = false; if :: taken[A - 1] -> pending[A - 1] = false :: else fi
       :: else
    fi
  };
#else
#ifdef ENDS_PENDING
  atomic { pending[0] = false; pending[A - 1] = false };
#else
  a = 0;
  do
  :: a < A -> atomic { if :: taken[a] && pending[a] && begun[a] == g[a] -> pending[a] = false :: else fi; a++ }
  :: else -> break
  od;
#endif
#endif
#endif
out: skip
}

proctype Farmer(byte a) {
#ifdef EARLY
  byte c;
  c = counter; atomic { shared[0] = true; grant[0]++; frozen = c };
#else
#ifdef ONLY_NEW
  byte c;
  c = counter;
#endif
  atomic { GRANT(a) };
#endif
#ifdef REGRANT
  /* what the customer got before the revoke is forgotten there: all must come again */
  if
  :: a < A - 1                       /* of two the second one */
  :: else ->
     atomic {
       shared[a] = false; pending[a] = false; got[R - 1] = 0;
#if A == 1
       got[0] = 0
#endif
     };
#ifdef ONLY_NEW
     c = counter;
#endif
     atomic { GRANT(a) }
  fi
#endif
}

#ifdef RESET
/* Leaves the catch-ups as they are: what they have left and lies above the marker is sent twice */
proctype Reset() { atomic { marker = 0; epoch++ } }
#endif

init {
  byte i = 0;
  atomic {
    do :: i < NW -> run Writer(i % R); i++ :: else -> break od; i = 0;
    do :: i < NR -> run Run(false); i++ :: else -> break od;
    run CatchUp(false);
    run Farmer(0);
#if A == 2
    run Farmer(1);
#endif
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
#ifdef ONLY_NEW
#ifdef REGRANT                       /* a page of the first grant may still come in after the second */
  do :: i < R -> assert(pos[i] <= asked[OF(i)] || got[i] == ver[i]); i++ :: else -> break od;
#else
  do :: i < R -> assert(got[i] == (pos[i] > asked[OF(i)] -> ver[i] : 0)); i++ :: else -> break od;
#endif
#else
  do :: i < R -> assert(got[i] == ver[i]); i++ :: else -> break od;
#endif
  assert(!pending[0]); assert(!pending[A - 1]); assert(marker <= counter)
}
