"""Starts secantusd-py 0.7.0b3, without its deadlocks and five of its waits.

There, whoever looks up a transaction first ends the expired ones, and waits for each while holding the lock of all
transactions. A transaction whose statement waits for a record that another transaction holds is waited for, too, so the
other one can never commit, and the server answers nobody again. Nor does it while a collection or an index is dropped
whose entries a transaction has written: WiredTiger tries a removal by key until it goes, and everybody's lock is held.

An expired transaction was ended only when somebody else began one. So what a killed process had open kept its records for
good on a server that is otherwise quiet, and a drop waited for it. They are ended now without being asked, as mongod does.

And every single write looks twice through the answers to up to 10,000 earlier ones for those that are too old, and sorts
them all once there are more. They lie in the order in which they came, so that the oldest is the first.

Whether a value of a unique index is taken it asked by walking on to the next entry, over all that were deleted behind it
since a page of the index was written last: 1.9 ms for each record beside 15,000 deleted ones. The walk ends now where the
entries of the value end.

Every findAndModify read all records of its collection: `_id` in its filter was seen only where nothing stood beside it.

Each statement read and decoded the indexes of its collection several times, a fifth of all its time. They are kept now
while nothing changes them.

With `--without-journal` it keeps no journal, for data that nobody reads after a crash. At the end of each 10 MB of it the
server takes no write until the disk has confirmed them, however long that takes.
"""

import functools
import sys
import threading
import time

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


start_registry = TransactionRegistry.__init__


def start_registry_that_prunes(registry, *args, **kwargs):
    start_registry(registry, *args, **kwargs)

    def prune_by_itself():
        while True:
            time.sleep(1)
            registry.prune_expired()

    threading.Thread(target=prune_by_itself, daemon=True).start()


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


read_indexes = storage.Storage._iter_indexes
indexes = {}  # of a collection: what read_indexes gives
unsettled = {}  # until when others may still read a collection's indexes as they were before a change
TRANSACTION_SECONDS = 60
INDEX_CHANGES = (
    "create_index",
    "drop_index",
    "drop_all_indexes",
    "set_index_expiry",
    "set_index_options",
    "drop_collection",
    "drop_database",
)


def known_indexes(store, db, coll):
    known = indexes.get((db, coll))
    if known is not None:
        return known
    began = time.monotonic()
    read = list(read_indexes(store, db, coll))
    if began > unsettled.get((db, coll), 0) and in_transaction(store) is None:
        indexes[db, coll] = read
    return read


def in_transaction(store):
    return getattr(store._tls, "user_txn", None)


def unsettle(store, db, coll=None):
    until = time.monotonic() + (1 if in_transaction(store) is None else TRANSACTION_SECONDS)
    for key in [(db, coll)] if coll else [key for key in indexes if key[0] == db]:
        unsettled[key] = until
        indexes.pop(key, None)


def changing(change):
    @functools.wraps(change)
    def changed(store, db, *args, **kwargs):
        coll = args[0] if args else None
        unsettle(store, db, coll)
        try:
            return change(store, db, *args, **kwargs)
        finally:
            unsettle(store, db, coll)

    return changed


mark_multikey = storage.Storage._maybe_mark_multikey


def marked_multikey(store, db, coll, doc, all_indexes, already):
    before = set(already)
    after = mark_multikey(store, db, coll, doc, all_indexes, already)
    if after != before:
        unsettle(store, db, coll)
    return after


def without_journal(open_files):
    return lambda home, config: open_files(home, config.replace("log=(enabled=true", "log=(enabled=false"))


TransactionRegistry._prune_retryable_locked = forget_answers
TransactionRegistry._prune_locked = prune
TransactionRegistry.__init__ = start_registry_that_prunes
TransactionRegistry._abort_locked = abort
storage.Storage._delete_keys = delete_keys
storage.Storage._candidates_iter = candidates
swig_wiredtiger.pack, swig_wiredtiger.unpack = wiredtiger_columns.pack, wiredtiger_columns.unpack
storage.Storage._entry_taken = staticmethod(entry_taken)
for drop in ("drop_collection", "drop_database", "drop_index", "drop_all_indexes"):
    setattr(storage.Storage, drop, storage._retry_write_conflicts(getattr(storage.Storage, drop)))
storage.Storage._iter_indexes = known_indexes
storage.Storage._maybe_mark_multikey = marked_multikey
for change in INDEX_CHANGES:
    setattr(storage.Storage, change, changing(getattr(storage.Storage, change)))
transactions._strip_per_attempt_fields = lambda reply: {
    field: value for field, value in reply.items() if field not in ("writeConcernError", "errorLabels")
}  # a copy of the answer's own fields is enough: nothing changes what they hold
if "--without-journal" in sys.argv:
    sys.argv.remove("--without-journal")
    storage.wt.wiredtiger_open = without_journal(storage.wt.wiredtiger_open)
sys.exit(main())
