#!/bin/sh
# Makes Temporal's two databases, or brings them up to this version of the server. Running it again changes nothing.
set -eu
for database in temporal:temporal temporal_visibility:visibility; do
  name=${database%%:*}
  tool="temporal-sql-tool --plugin postgres12 --ep postgresql --port 5432 --user temporal --db $name"
  $tool create
  $tool setup-schema -v 0.0
  $tool update-schema -d "/etc/temporal/schema/postgresql/v12/${database##*:}/versioned"
done
