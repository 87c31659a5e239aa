# Checks that a page comes from the service. Standard library only, Python 3.8 or later.
#   SIGNING_SECRET=whsec_... python3 verify-signature.py <webhook-id> <webhook-timestamp> <webhook-signature> < body
import base64
import hashlib
import hmac
import os
import re
import sys
import time

TOLERANCE_S = 5 * 60


def why_not_genuine(secret, webhook_id, timestamp, signature, body, now=None):
    """None when the page is genuine and fresh, else why not.

    body: the bytes as they came, before anything parses, unpacks or reformats them.
    """
    if not re.fullmatch(r"[0-9]{1,12}", timestamp or ""):  # anybody may send a request without the headers
        return "webhook-timestamp is no number of seconds"
    try:
        key = base64.b64decode(secret[len("whsec_"):] if secret.startswith("whsec_") else secret)
    except ValueError:
        key = b""
    if len(key) < 24:
        return "the signing secret is missing or cut off"  # with an empty one, anybody could sign
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # While the secret is being changed there are two signatures: one that fits is enough.
    fits = [hmac.compare_digest(one.encode(), expected) for one in (signature or "").split(" ")]
    if not any(fits):
        return "no signature fits"
    # An old page, signed by us, must not be played to you again by somebody else.
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE_S:
        return "the signature fits, but webhook-timestamp is not of these 5 minutes"
    return None


if __name__ == "__main__":
    if len(sys.argv) != 4:
        print("usage: python3 verify-signature.py <webhook-id> <webhook-timestamp> <webhook-signature> < body")
        sys.exit(2)
    problem = why_not_genuine(os.environ.get("SIGNING_SECRET", ""), *sys.argv[1:], sys.stdin.buffer.read())
    print(problem or "genuine")
    sys.exit(1 if problem else 0)
