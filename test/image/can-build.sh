#!/usr/bin/env bash
# Whether this machine can build the image: a Docker engine answers or can be started, and there is an image to build on.
set -euo pipefail
cd "$(dirname "$0")"
if ! docker version >/dev/null 2>&1; then
  coproc engine { ../docker/engine.sh; }
  trap 'exec {engine[1]}>&-; wait "$engine_PID"' EXIT
  read -r DOCKER_HOST <&"${engine[0]}"
  export DOCKER_HOST
fi
./node-image.sh
