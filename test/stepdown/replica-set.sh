#!/usr/bin/env bash
# Three mongods in Docker on the host's network, as one replica set; prints its MONGODB_URI. `stop` removes them.
set -euo pipefail

cd "$(dirname "$0")/../.."
image=$(sed -n 's/^ *image: mongo:/mongo:/p' docker-compose.yml | head -n 1)
ports=(27101 27102 27103)

for port in "${ports[@]}"; do docker rm --force --volumes "gdx-mongo-$port" >/dev/null 2>&1 || true; done
[ "${1:-start}" = start ] || exit 0

members=
for id in "${!ports[@]}"; do
  port=${ports[$id]}
  docker run --detach --name "gdx-mongo-$port" --network host "$image" \
    mongod --replSet rs0 --bind_ip 127.0.0.1 --port "$port" --setParameter transactionLifetimeLimitSeconds=30 >/dev/null
  members+="{ _id: $id, host: '127.0.0.1:$port' },"
done

ask() { docker exec "gdx-mongo-${ports[0]}" mongosh --quiet --port "${ports[0]}" --eval "$1"; }
within_a_minute() {
  for _ in $(seq 60); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 1
  done
  echo "the replica set did not come up: $*" >&2
  exit 1
}

within_a_minute ask 'db.adminCommand({ ping: 1 })'
ask "rs.initiate({ _id: 'rs0', members: [$members] })" >/dev/null
within_a_minute ask "quit(rs.status().members.filter(({ state }) => state === 1 || state === 2).length === 3 &&
  rs.status().members.some(({ state }) => state === 1) ? 0 : 1)"
# One address is enough: the others are learnt from it.
echo "mongodb://127.0.0.1:${ports[0]}/?replicaSet=rs0"
