#!/usr/bin/env bash
# `npm run proof -- NAME [OPTION]...`: what takes long, or needs more than this machine may have (test/README.md).
set -euo pipefail
cd "$(dirname "$0")/.."

list() {
  cat <<'LIST'
cluster      applies the manifests to a Kubernetes API server
compose      brings up docker-compose.yml in containers, upgrades and kills them
engine       plays the tests on PostgreSQL with DocumentDB
faults       kills, freezes, wipes and fills real parts under load
fuzz         5,000 bad inputs to each route
histories    records the histories of workflows again
image        builds the image, and runs it in containers
model        model-checks commit order and sharing
mutation     changes domain/ one expression at a time
planted      breaks one rule at a time, in a copy
production   plays a first day in production
screenshots  takes the pictures of docs/ again
soak         faults at random for an hour
stepdown     lets the primary of MongoDB step down under load
strict       plays the tests in front of a MongoDB as strict as mongod
tools        what only programs of others can check
LIST
}

built() {
  npm run -s build
  exec "$@"
}

name=${1-}
shift || true
case $name in
  cluster) GDX_TIER=cluster exec npx jest "$@" ;;
  compose | engine | faults | planted | production | soak | stepdown) built node --import tsx "test/$name/main.ts" "$@" ;;
  fuzz)
    npm run -s build
    export GDX_FUZZ_INPUTS="${GDX_FUZZ_INPUTS:-5000}"
    GDX_TIER=slow npx jest test/fuzz "$@"
    GDX_TIER=nightly npx jest test/api/small-heap "$@"
    ;;
  histories) GDX_TIER=nightly built npx jest --testMatch "$PWD/test/replay/record-histories.ts" "$@" ;;
  image) GDX_TIER=image exec npx jest "$@" ;;
  model) exec test/model/check.sh ;;
  mutation) GDX_TIER=mutation exec npx stryker run "$@" ;;
  screenshots)
    npm run -s build
    for taker in screenshots ops customer-page farmer; do npx tsx "test/$taker/take-screenshots.ts"; done
    ;;
  strict)
    export GDX_STRICT=1
    [ $# -gt 0 ] || set -- test/store/ test/commit-order/ test/sharing/ test/workflows/ test/api/
    built npx jest --selectProjects parts --testPathPatterns "$@"
    ;;
  tools) GDX_TIER=tools built npx jest "$@" ;;
  --list) list ;;
  '')
    echo "no proof is named; choose one of these" >&2
    list >&2
    exit 2
    ;;
  *)
    echo "there is no proof named $name; choose one of these" >&2
    list >&2
    exit 2
    ;;
esac
