#!/usr/bin/env bash
# need.sh PROGRAM PACKAGE: installs Debian's package where the program is missing and this is root in CI. Elsewhere it says so and fails.
set -euo pipefail
program=$1 package=$2

if command -v "$program" >/dev/null; then exit; fi
if [ "${CI:-}" != true ] || [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "$program is not installed; install it (on Debian: apt-get install $package)" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt=(apt-get -qq -o DPkg::Lock::Timeout=300)
"${apt[@]}" update >&2
"${apt[@]}" install -y --no-install-recommends "$package" >&2
