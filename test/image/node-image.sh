#!/usr/bin/env bash
# Prints the image to build deploy/Dockerfile on: the one it names, or where no registry is reached a likeness of it, made once.
# Only the named one has its digest.
set -euo pipefail
cd "$(dirname "$0")"
named=$(sed -n 's/^FROM \(.*\) AS node$/\1/p' ../../deploy/Dockerfile)
likeness=localhost/${named%@*}
for image in "$named" "$likeness"; do
  if docker image inspect "$image" >/dev/null 2>&1; then echo "$image"; exit; fi
done
if docker pull --quiet "$named" >/dev/null 2>&1; then echo "$named"; exit; fi
./make-node-image.sh "$likeness" >&2
echo "$likeness"
