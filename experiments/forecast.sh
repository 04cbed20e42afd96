#!/bin/sh
# Writes the table behind `privdpr plan` again: src/method/forecast_table.c and the runs behind it, experiments/forecast.csv.
#   experiments/forecast.sh [SEEDS]       then build again; `build/release/experiments/forecast -c` checks it on the held-out kinds
# To be run after every change of the blueprint's plan, measurements, fit or builder. Same commit, same table.
set -eu
cd "$(dirname "$0")/.."
sh scripts/build.sh release -DPRIVDPR_BENCH=ON
draft=$(mktemp)
trap 'rm -f "$draft"' EXIT
build/release/experiments/forecast -s "${1:-3}" -r experiments/forecast.csv >"$draft"
cp "$draft" src/method/forecast_table.c
