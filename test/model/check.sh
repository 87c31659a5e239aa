#!/usr/bin/env bash
# Checks commit-order.pml and sharing.pml: every configuration must be clean, every mutant must be caught. Needs spin
# and gcc.
set -u
cd "$(dirname "$0")" || exit 1

missing=0
for tool in spin gcc; do
  command -v "$tool" >/dev/null && continue
  echo "$tool is missing: install the Debian package \`$tool\` (sudo apt-get install $tool)"
  missing=1
done
[ "$missing" = 0 ] || { echo "0 passed, 1 failed"; exit 1; }

clean=(
  "-DR=1 -DNW=1 -DNR=1"
  "-DR=2 -DNW=3 -DNR=2"
  "-DR=2 -DNW=3 -DNR=2 -DRESET"
  "-DR=2 -DNW=3 -DNR=2 -DGRANT"
  "-DR=3 -DNW=4 -DNR=2"
  "-DR=2 -DNW=3 -DNR=2 -DRESET -DPLANNED"
  "-DR=2 -DNW=2 -DNR=2 -DRESET -DGIVES_BACK"
  "-DR=1 -DNW=2 -DNR=2 -DPULL"
  "-DR=2 -DNW=3 -DNR=2 -DPULL -DRESET -DPLANNED"
  "-DR=2 -DNW=4 -DNR=2 -DRESET" # 75 million states: 4 GB and the longest of all
)
mutants=(
  "-DOUTSIDE" "-DLATE_CEILING" "-DNO_CEILING" "-DADV_EARLY"
  "-DNO_FENCE -DRESET" "-DSKIP_RESET_FENCE -DRESET" "-DGRANT -DGRANT_REVERSED"
  "-DGIVES_BACK -DGIVEN_BACK_LATE"
  "-DPULL -DLATE_CEILING" "-DPULL -DNO_FENCE -DRESET" "-DPULL -DSKIP_RESET_FENCE -DRESET" "-DPULL -DCONFIRM_ANY"
  "-DPULL -DSAME_ID -DRESET" "-UR -DR=1 -DPULL -DGIVEN_IN_ANY_EPOCH"
)

sharing_clean=(
  "" "-DREGRANT" "-DRESET" "-DAS_BUILT" "-DAS_BUILT -DREGRANT" "-DAS_BUILT -DRESET"
  "-DAS_BUILT -DA=2" "-UNR -DNR=1 -DAS_BUILT -DA=2 -DREGRANT" "-UNR -DNR=1 -DAS_BUILT -DA=2 -DRESET"
  "-UNW -UNR -DNW=3 -DNR=1 -DAS_BUILT -DA=2"
  "-DAS_BUILT -DONLY_NEW" "-UNR -DNR=1 -DAS_BUILT -DONLY_NEW -DREGRANT" "-UNR -DNR=1 -DAS_BUILT -DONLY_NEW -DRESET"
  "-UNR -DNR=1 -DAS_BUILT -DA=2 -DONLY_NEW"
)
sharing_mutants=(
  "-DEND_BEFORE" "-DNO_EPOCH" "-DEARLY" "-DSTALE_SELECTION" "-DSELECTION_FIRST" "-DNO_GENERATION -DREGRANT"
  "-DEND_BEFORE -DREGRANT" "-DNO_EPOCH -DREGRANT" "-DEARLY -DREGRANT" "-DSTALE_SELECTION -DREGRANT"
  "-DSELECTION_FIRST -DREGRANT" "-DEND_BEFORE -DRESET" "-DNO_EPOCH -DRESET" "-DEARLY -DRESET"
  "-DSTALE_SELECTION -DRESET" "-DSELECTION_FIRST -DRESET" "-DAS_BUILT -DNO_EPOCH -DREGRANT" "-DAS_BUILT -DSELECTION_FIRST -DRESET"
  "-DAS_BUILT -DEND_BEFORE" "-DAS_BUILT -DNO_EPOCH" "-DAS_BUILT -DSTALE_SELECTION" "-DAS_BUILT -DSELECTION_FIRST"
  "-DAS_BUILT -DNO_GENERATION -DREGRANT"
  "-DAS_BUILT -DONLY_NEW -DNO_CATCH_UP" "-DAS_BUILT -DONLY_NEW -DFROM_MARKER" "-DAS_BUILT -DONLY_NEW -DNO_EPOCH"
  "-UNR -DNR=1 -DAS_BUILT -DONLY_NEW -DRESET -DFROM_EVERYWHERE" "-DAS_BUILT -DONLY_NEW -DFROM_EVERYWHERE"
  "-DAS_BUILT -DA=2 -DENDS_BY_THE_FIRST" "-DAS_BUILT -DA=2 -DENDS_PENDING" "-DAS_BUILT -DA=2 -DLEAST_END"
  "-DAS_BUILT -DA=2 -DNO_EPOCH" "-DAS_BUILT -DA=2 -DSTALE_SELECTION"
  "-UNR -DNR=1 -DAS_BUILT -DA=2 -DREGRANT -DNO_GENERATION"
)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp ./*.pml "$work" && cd "$work" || exit 1

# Prints `clean` or `caught`; `unfinished` when the search was cut short and so proves nothing.
check() { # model, options
  # shellcheck disable=SC2086 # the options are words
  spin -a $2 "$1" >/dev/null && gcc -O2 -DSAFETY -DCOLLAPSE -w -o pan pan.c || { echo unbuilt; return; }
  ./pan -m300000 >out 2>&1
  if grep -q 'assertion violated' out; then echo caught
  elif grep -qE 'depth too small|out of memory|search not completed|not enough memory' out; then echo unfinished
  elif grep -q 'errors: 0$' out; then echo clean
  else echo unfinished; fi
}

passed=0 failed=0
expect() { # wanted, model, options
  local got
  got=$(check "$2" "$3")
  if [ "$got" = "$1" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  echo "$got (expected $1): $2 $3 $(sed -n 's/ *\([0-9]*\) states, stored.*/\1 states/p' out)"
}

for options in "${clean[@]}"; do expect clean commit-order.pml "$options"; done
for options in "${mutants[@]}"; do expect caught commit-order.pml "-DR=2 -DNW=2 -DNR=2 $options"; done
for options in "${sharing_clean[@]}"; do expect clean sharing.pml "-DNW=2 -DNR=2 $options"; done
for options in "${sharing_mutants[@]}"; do expect caught sharing.pml "-DNW=2 -DNR=2 $options"; done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
