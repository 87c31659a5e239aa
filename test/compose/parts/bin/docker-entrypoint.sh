#!/usr/bin/env bash
# As that of MongoDB's image: makes root on 127.0.0.1 alone where the database is new, then starts it with access control.
set -euo pipefail
as_mongodb=(setpriv --reuid mongodb --regid mongodb --clear-groups)
if [ ! -e /data/db/has-root ]; then
  chown mongodb:mongodb /data/db
  "${as_mongodb[@]}" "$1" --new &
  until mongosh --quiet --host 127.0.0.1 --eval 'db.adminCommand("ping").ok' 2>/dev/null; do sleep 0.2; done
  mongosh --quiet --host 127.0.0.1 --eval 'db.getSiblingDB("admin").createUser({
    user: process.env.MONGO_INITDB_ROOT_USERNAME, pwd: process.env.MONGO_INITDB_ROOT_PASSWORD, roles: ["root"] })'
  kill %1
  wait %1 || true
  touch /data/db/has-root
fi
exec "${as_mongodb[@]}" "$@"
