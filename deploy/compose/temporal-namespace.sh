#!/bin/sh
# The namespace, with closed workflows kept 90 days (docs/operator.md). Running it again changes nothing.
set -eu
# By number: with a name the CLI waits for a DNS answer that not every Docker gives (temporalio/samples-server issue 136).
number=$(getent ahosts "${TEMPORAL_ADDRESS%:*}" | awk '/STREAM/ && $1 ~ /[.]/ { print $1; exit }')
export TEMPORAL_ADDRESS="$number:${TEMPORAL_ADDRESS##*:}"
tries=0
until temporal operator cluster health; do
  tries=$((tries + 1))
  [ "$tries" -lt 30 ] || exit 1
  sleep 2
done
temporal operator namespace describe --namespace "$NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$NAMESPACE" --retention 90d
