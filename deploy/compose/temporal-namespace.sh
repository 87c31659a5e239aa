#!/bin/sh
# The namespace, with closed workflows kept 90 days (docs/operator.md). Running it again changes nothing.
set -eu
tries=0
until temporal operator cluster health; do
  tries=$((tries + 1))
  [ "$tries" -lt 30 ] || exit 1
  sleep 2
done
temporal operator namespace describe --namespace "$NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$NAMESPACE" --retention 90d
