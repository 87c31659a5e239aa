# Makes a signed link for a farmer. Standard library only, Python 3.8 or later.
#   LINK_KEY=gdx_link_... python3 sign-link.py <page> <callback_url> <display_name> <partner_id> <partner_slug> <phone> <expires>
import hashlib
import hmac
import os
import sys
from urllib.parse import urlencode

NAMES = ["callback_url", "display_name", "partner_id", "partner_slug", "phone", "expires"]


def signed_link(page, key, values):
    """page: as in https://grain.example/subscriptions; values: in the order of NAMES, expires in seconds since 1970."""
    if len(values) != len(NAMES) or any("\n" in value for value in values):
        raise ValueError("five parameters and the expiry, without line feeds")
    text = "\n".join(["gdx-link-v1", *values])
    signature = hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()
    return page + "?" + urlencode([*zip(NAMES, values), ("signature", signature)])


if __name__ == "__main__":
    key = os.environ.get("LINK_KEY", "")
    if len(sys.argv) != 2 + len(NAMES) or not key:
        print("usage: LINK_KEY=gdx_link_... python3 sign-link.py <page> <callback_url> <display_name> <partner_id> <partner_slug> <phone> <expires>", file=sys.stderr)
        sys.exit(2)
    print(signed_link(sys.argv[1], key, sys.argv[2:]))
