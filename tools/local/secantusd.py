"""Starts secantusd-py 0.7.0b3, without its deadlock.

There, whoever looks up a transaction first ends the expired ones, and waits for each while holding the lock of all
transactions. A transaction whose statement waits for a record that another transaction holds is waited for, too, so the
other one can never commit, and the server answers nobody again.
"""

import sys
import threading

from secantus.cli import main
from secantus.transactions import TransactionRegistry, TxnState


def prune(registry):
    cutoff = registry._time() - registry._lifetime
    expired = 0
    for txn in registry._txns.values():
        if txn.last_use >= cutoff or not txn.mutex.acquire(blocking=False):
            continue  # alive, or busy with a statement
        try:
            if txn.state is TxnState.IN_PROGRESS and txn.last_use < cutoff:
                registry._rollback_quietly(txn)
                txn.state = TxnState.ABORTED
                expired += 1
        finally:
            txn.mutex.release()
    return expired


def abort(registry, txn):
    if txn.state is not TxnState.IN_PROGRESS:
        return
    if txn.mutex.acquire(blocking=False):
        txn.mutex.release()
        registry.abort_in_progress(txn)
    else:  # as soon as its statement has ended
        threading.Thread(target=registry.abort_in_progress, args=(txn,), daemon=True).start()


TransactionRegistry._prune_locked = prune
TransactionRegistry._abort_locked = abort
sys.exit(main())
