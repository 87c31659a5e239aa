#!/usr/bin/env bash
# The image that deploy/Dockerfile is built on, where no registry of images is reached: Debian by debootstrap, Node and npm by npm,
# and this machine's certificates and npm registry, so that `npm ci` in the build reaches what it reaches here.
set -euo pipefail
image=${1:?usage: test/image/make-node-image.sh localhost/node:24.21.0-bookworm-slim}
[[ $image =~ :([0-9.]+)-([a-z]+)-slim$ ]]
version=${BASH_REMATCH[1]} suite=${BASH_REMATCH[2]}
certificates=/etc/ssl/certs/ca-certificates.crt

"$(dirname "$0")/../docker/need.sh" debootstrap debootstrap
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=$folder/root
debootstrap --variant=minbase "$suite" "$root" >"$folder/log" || { cat "$folder/log" >&2; exit 1; }

node=node-linux-$(node -p process.arch)
npm install --silent --no-save --ignore-scripts --prefix "$folder" "$node@$version" "npm@$(npm --version)"
install "$folder/node_modules/$node/bin/node" "$root/usr/local/bin/node"
mkdir -p "$root/usr/local/lib/node_modules" "$root/usr/local/etc" "$root$(dirname $certificates)"
cp -r "$folder/node_modules/npm" "$root/usr/local/lib/node_modules/npm"
for program in npm npx; do ln -s "../lib/node_modules/npm/bin/$program-cli.js" "$root/usr/local/bin/$program"; done
cp "$certificates" "$root$certificates"
printf '%s\n' "registry=$(npm config get registry)" "cafile=$certificates" >"$root/usr/local/etc/npmrc"
useradd --root "$root" --uid 1000 --create-home node

tar --create --directory "$root" --exclude './var/cache/apt/*' --exclude './var/lib/apt/lists/*' . |
  docker import - "$image" >/dev/null
