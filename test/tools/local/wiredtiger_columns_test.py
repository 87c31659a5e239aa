"""Packs and unpacks chosen and random values both ways: says the first that differs, and exits with 1."""

import random
import sys

import wiredtiger_columns
from wiredtiger_columns import slow_pack, slow_unpack

INTEGERS = [sign * (1 << bits) + more for bits in range(63) for sign in (-1, 1) for more in (-1, 0, 1)]
TEXTS = ["", "42-1001", "Müller \U0001f33e", "cut\0off", "x" * 300]
BYTES = [b"", b"\0", bytes(range(256))]
chance = random.Random(20261126)


def values_of(fmt):
    return [chance.choice({"S": TEXTS, "q": INTEGERS, "u": BYTES}[column]) for column in fmt]


for fmt in sorted(wiredtiger_columns.fast) + ["SuS", "qq", "SB"]:
    for _ in range(500):
        values = values_of(fmt.replace("B", "q")) if "B" not in fmt else ["x", chance.randrange(256)]
        packed = slow_pack(fmt, *values)
        if wiredtiger_columns.pack(fmt, *values) != packed:
            sys.exit(f"packed otherwise: {fmt} {values}")
        if list(wiredtiger_columns.unpack(fmt, packed)) != list(slow_unpack(fmt, packed)):
            sys.exit(f"unpacked otherwise: {fmt} {packed}")
