#!/usr/bin/env bash
# A Docker engine for tests: prints its DOCKER_HOST when it answers, and ends with standard input, so that it never outlives
# whoever started it. Images and layers stay in the cache folder. It is for one run at a time: the next one waits.
# `engine.sh --networks` makes networks for containers: for whoever runs it in a network of its own, whose firewall it changes.
set -euo pipefail

folder=${XDG_CACHE_HOME:-$HOME/.cache}/grain-data-exchange/docker
export DOCKER_HOST=unix://$folder/docker.sock

# What a killed run has left. A number that another process has by now is only removed.
end_leftover() {
  local file pid
  for file in "$folder/docker.pid" "$folder/exec/containerd/containerd.pid"; do
    pid=$(cat "$file" 2>/dev/null) || continue
    if grep -qF "$folder" "/proc/$pid/cmdline" 2>/dev/null; then
      kill "$pid"
      timeout 30 tail --pid "$pid" -f /dev/null || kill -KILL "$pid"
    fi
    rm -f "$file"
  done
}

stop() {
  docker ps --all --quiet | xargs --no-run-if-empty docker rm --force >/dev/null || true
  docker image prune --force >/dev/null || true # what the tags of this run have left nameless
  docker network prune --force >/dev/null || true
  docker volume prune --force >/dev/null || true
  kill "$server"
  wait "$server" || true
}

"$(dirname "$0")/need.sh" dockerd docker.io
[ "$(id -u)" = 0 ] || { echo 'no Docker engine answers, and only root can start one; start one' >&2; exit 1; }
mkdir -p "$folder"
exec 9>"$folder/lock"
flock --nonblock 9 || { echo 'another run has the Docker engine for tests: waiting for its end' >&2; flock 9; }
end_leftover

# Its mounts go with it, and on the host's network alone it touches no firewall.
networks=(--bridge none --iptables=false --ip6tables=false)
[ "${1-}" != --networks ] || networks=()
unshare --mount dockerd --data-root "$folder/data" --exec-root "$folder/exec" --pidfile "$folder/docker.pid" \
  --host "$DOCKER_HOST" "${networks[@]}" </dev/null >"$folder/engine.log" 2>&1 9>&- &
server=$!
until docker version >/dev/null 2>&1; do
  kill -0 "$server" 2>/dev/null || { echo "the Docker engine ended; its log is $folder/engine.log" >&2; exit 1; }
  sleep 0.2
done
echo "$DOCKER_HOST"
cat >/dev/null
stop
