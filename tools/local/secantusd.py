"""Starts secantusd-py 0.7.0b3, without its deadlocks and four of its waits.

There, whoever looks up a transaction first ends the expired ones, and waits for each while holding the lock of all
transactions. A transaction whose statement waits for a record that another transaction holds is waited for, too, so the
other one can never commit, and the server answers nobody again. Nor does it while a collection or an index is dropped
whose entries a transaction has written: WiredTiger tries a removal by key until it goes, and everybody's lock is held.

And every single write looks twice through the answers to up to 10,000 earlier ones for those that are too old, and sorts
them all once there are more. They lie in the order in which they came, so that the oldest is the first.

Whether a value of a unique index is taken it asked by walking on to the next entry, over all that were deleted behind it
since a page of the index was written last: 1.9 ms for each record beside 15,000 deleted ones. The walk ends now where the
entries of the value end.

Every findAndModify read all records of its collection: `_id` in its filter was seen only where nothing stood beside it.

With `--without-journal` it keeps no journal, for data that nobody reads after a crash. At the end of each 10 MB of it the
server takes no write until the disk has confirmed them, however long that takes.
"""

import sys
import threading

from secantus import storage, transactions
from secantus.cli import main
from secantus.transactions import TransactionRegistry, TxnState

import swig_wiredtiger  # which wiredtiger makes importable
import wiredtiger_columns


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


def forget_answers(registry):
    answers = registry._retryable
    cutoff = registry._time() - transactions._RETRYABLE_RECORD_LIFETIME_SECONDS
    while answers:
        key = next(iter(answers))
        _answer, at, _command = answers[key]
        if at >= cutoff and len(answers) <= transactions._RETRYABLE_RECORD_MAX:
            return
        del answers[key]


def delete_keys(store, table, keys):
    for key in keys:
        cursor = store._cursor(table)
        cursor.set_key(*key)
        if cursor.search() == 0:
            cursor.remove()  # where a cursor stands it fails at once, and is tried again without the lock


def entry_taken(cursor, db, coll, index, key, but):
    start = storage._escape_kb(key) + storage._ENTRY_SEP
    cursor.reset()
    for bound, entry in (("lower", start), ("upper", start + b"\xff" * 9)):  # above any record's number
        cursor.set_key(db, coll, index, entry)
        cursor.bound(f"action=set,bound={bound}")
    try:
        while cursor.next() == 0:
            _key, number = storage._unpack_entry(bytes(cursor.get_key()[3]))
            if but is None or number != but:
                return True
        return False
    finally:
        cursor.reset()  # forgets the bounds


all_candidates = storage.Storage._candidates_iter


def candidates(store, db, coll, query):
    named = {"_id": query["_id"]} if query and set(query) == {"_id", "$and"} else query
    return all_candidates(store, db, coll, named)  # whoever asks compares them with the whole filter


def without_journal(open_files):
    return lambda home, config: open_files(home, config.replace("log=(enabled=true", "log=(enabled=false"))


TransactionRegistry._prune_retryable_locked = forget_answers
TransactionRegistry._prune_locked = prune
TransactionRegistry._abort_locked = abort
storage.Storage._delete_keys = delete_keys
storage.Storage._candidates_iter = candidates
swig_wiredtiger.pack, swig_wiredtiger.unpack = wiredtiger_columns.pack, wiredtiger_columns.unpack
storage.Storage._entry_taken = staticmethod(entry_taken)
for drop in ("drop_collection", "drop_database", "drop_index", "drop_all_indexes"):
    setattr(storage.Storage, drop, storage._retry_write_conflicts(getattr(storage.Storage, drop)))
if "--without-journal" in sys.argv:
    sys.argv.remove("--without-journal")
    storage.wt.wiredtiger_open = without_journal(storage.wt.wiredtiger_open)
sys.exit(main())
