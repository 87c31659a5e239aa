# Keeps the feed in SQLite: a table for each entity type, a row for each record. Needs verify-signature.py beside it, and
# nothing else but Python 3.8 or later.
#   SIGNING_SECRET=whsec_... python3 feed-to-table.py serve 9000
#   SIGNING_SECRET=whsec_... GDX_URL=https://grain.example GDX_TOKEN=gdx_channel_... python3 feed-to-table.py collect acme
import contextlib
import gzip
import http.client
import http.server
import importlib
import json
import os
import sqlite3
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

why_not_genuine = importlib.import_module("verify-signature").why_not_genuine

SECRET = os.environ.get("SIGNING_SECRET", "")
FILE = os.environ.get("FEED_DB", "feed.db")
TABLES = {"account": "accounts", "contract": "contracts", "ticket": "tickets", "settlement": "settlements"}
COLUMNS = "id TEXT PRIMARY KEY, updated_at TEXT NOT NULL, deleted_at TEXT, record TEXT NOT NULL"
MAX_BYTES = 32 * 1024 * 1024
TOO_LARGE = "more than 32 MiB"


def flaw_of(headers, body):
    # Python leaves the blanks behind a value where a proxy has put some.
    signed = (headers.get(name, "").strip() for name in ("webhook-id", "webhook-timestamp", "webhook-signature"))
    return why_not_genuine(SECRET, *signed, body)


def store(body):
    """All of a page or nothing. A page that comes twice changes nothing: a row gives way only to what is not older.

    Returns the number of records.
    """
    data = json.loads(body)["data"]
    with contextlib.closing(sqlite3.connect(FILE, timeout=20)) as db, db:
        for table in TABLES.values():
            db.execute(f"CREATE TABLE IF NOT EXISTS {table} ({COLUMNS})")
        for wrapper in data:
            kind, record = next(iter(wrapper.items()))
            row = (record["id"], record["updated_at"], record["deleted_at"], json.dumps(record, ensure_ascii=False))
            db.execute(
                f"INSERT INTO {TABLES[kind]} AS held VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE"
                " SET updated_at = excluded.updated_at, deleted_at = excluded.deleted_at, record = excluded.record"
                " WHERE excluded.updated_at >= held.updated_at",
                row,
            )
    return len(data)


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # a connection serves many pages, and a proxy that expects 100 gets it
    timeout = 30

    def do_GET(self):
        self.answer(200)  # a proxy asks whether this is up

    do_HEAD = do_GET

    def do_POST(self):
        try:
            body = self.read_body()
        except ValueError as error:
            self.close_connection = True  # where the next request begins is not known
            self.log_error("%s", error)
            return self.answer(413 if error.args == (TOO_LARGE,) else 400)
        try:
            status = self.take(body)
        except Exception as error:  # a disk that is full: the page comes again
            self.log_error("%s", error)
            status = 503
        self.answer(status)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def read_body(self):
        """A proxy may send the body in chunks, without a length."""
        if "Transfer-Encoding" not in self.headers:
            return self.read(int(self.headers.get("Content-Length", 0)))
        body = bytearray()
        while size := int(self.rfile.readline(1000).split(b";")[0], 16):
            body += self.read(size, len(body))
            self.rfile.readline(1000)
        while self.rfile.readline(1000).strip():
            pass  # what may follow the last chunk
        return bytes(body)

    def read(self, size, before=0):
        if not 0 <= size <= MAX_BYTES - before:
            raise ValueError(TOO_LARGE)
        return self.rfile.read(size)

    def take(self, body):
        if urllib.parse.urlsplit(self.path).path != "/feed":  # a proxy may write the whole address
            return 404
        flaw = flaw_of(self.headers, body)
        if flaw:
            self.log_error("%s", flaw)
            return 401
        if not self.headers["webhook-id"].strip().startswith("test_"):  # the operator's test: the id is signed
            store(gzip.decompress(body) if "gzip" in self.headers.get("Content-Encoding", "").lower() else body)
        return 200


def ask(url, document=None):
    """Asks again for as long as the service says so. Returns status, headers and body."""
    while True:
        asked = urllib.request.Request(url, document and json.dumps(document).encode())
        asked.add_header("Authorization", os.environ["GDX_TOKEN"])
        asked.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(asked, timeout=60) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            said = error.read()
            if b'"PAGE_NOT_WAITING"' in said:
                return error.code, error.headers, said  # it has changed: the next one is another
            if error.code not in (429, 503):
                sys.exit(f"{url} answered {error.code} {said.decode()}")
            time.sleep(int(error.headers.get("Retry-After", 1)))
        except (OSError, http.client.HTTPException) as error:
            sys.exit(f"{url} does not answer: {getattr(error, 'reason', error)}. What was stored is kept: collect again later")


def collect(channel):
    """Everything that waits for the channel."""
    base = f"{os.environ['GDX_URL'].rstrip('/')}/api/v1/channels/{channel}"
    _, _, markers = ask(f"{base}/markers")
    for entity_type in [marker["entity_type"] for marker in json.loads(markers)["data"]]:
        while True:
            status, headers, page = ask(f"{base}/feed?entity_type={entity_type}")
            if status == 204:
                break
            flaw = flaw_of(headers, page)
            if flaw:
                sys.exit(flaw)
            count = store(page)
            ask(f"{base}/feed/confirm", {"page": headers["webhook-id"].strip()})
            print(f"{count} {entity_type}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "serve":
        with http.server.ThreadingHTTPServer(("", int(sys.argv[2])), Receiver) as server:
            print(f"listening on {server.server_port}", flush=True)
            server.serve_forever()
    elif len(sys.argv) == 3 and sys.argv[1] == "collect":
        missing = [name for name in ("SIGNING_SECRET", "GDX_URL", "GDX_TOKEN") if not os.environ.get(name)]
        if missing:
            sys.exit(f"set {', '.join(missing)}: the operator has given them to you")
        collect(sys.argv[2])
    else:
        sys.exit("feed-to-table.py serve <port> | feed-to-table.py collect <channel>")
