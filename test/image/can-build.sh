#!/usr/bin/env bash
# Whether this machine can build and run the image: a Docker engine answers or can be started, there is an image to build on, and
# in a container of it npm reaches its registry.
set -euo pipefail
cd "$(dirname "$0")"
if ! docker version >/dev/null 2>&1; then
  coproc engine { ../docker/engine.sh; }
  trap 'exec {engine[1]}>&-; wait "$engine_PID"' EXIT
  read -r DOCKER_HOST <&"${engine[0]}"
  export DOCKER_HOST
fi
docker run --rm --network host "$(./node-image.sh)" npm view commander version >/dev/null
