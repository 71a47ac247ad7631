#!/usr/bin/env bash
# Runs the regression tests (*.tst beside this script) with gogui-regress.
#
# usage: regress.sh [PATH_TO_GOTHELLO]      (default: gothello in PATH)
#
# The reports stay in a temporary folder, which is printed.
# Exit status: 0 if all tests passed, 1 if one failed or the program crashed,
# 2 if the tests could not be run.
set -euo pipefail

fail() {
    printf 'regress.sh: %s\n' "$*" >&2
    exit 2
}

(($# <= 1)) || fail 'usage: regress.sh [PATH_TO_GOTHELLO]'
gothello=$(command -v -- "${1:-gothello}") ||
    fail "no program ${1:-gothello}: give its path, as in regress.sh /path/to/gothello"
[[ -f $gothello && -x $gothello ]] || fail "$gothello is no program"
command -v gogui-regress >/dev/null ||
    fail 'gogui-regress is not installed: it is part of GoGui, and must be in PATH'

# The tests run where they are, and write a file: give them a folder of theirs.
gothello=$(realpath -- "$gothello")
here=$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")
work=$(mktemp -d "${TMPDIR:-/tmp}/gothello-regress.XXXXXX")
cp -- "$here"/*.tst "$here"/game.sgf "$work"
cd -- "$work"

# gogui-regress takes apart the command itself: quotes keep spaces together.
# Its exit status says nothing of unexpected passes, here errors that were not
# reported, nor of errors outside tests. Its table of sums does.
failures=0
regress() {
    local report=$1 command=$2 status=0
    shift 2
    gogui-regress -output "$report" "$command" "$@" || status=$?
    local summary=$report/summary.dat
    if ((status > 1)) || [[ ! -s $summary ]]; then
        printf 'regress.sh: gogui-regress gave up (status %d); output in %s\n' "$status" "$work" >&2
        exit 1
    fi
    local tests failed expected unexpected passed errors
    IFS=$'\t' read -r tests failed expected unexpected passed errors _ < <(tail -n 1 "$summary")
    printf '%d tests: %d passed, %d refused as they should be, %d failed; %d other errors\n' \
        "$tests" "$passed" "$expected" $((failed + unexpected)) "$errors"
    printf 'report: %s/%s/index.html\n' "$work" "$report"
    ((status == 0 && tests > 0 && failed + unexpected + errors == 0)) || failures=1
}

shopt -s extglob
regress report "\"$gothello\"" ./!(awari).tst
regress report-awari "\"$gothello\" --game awari" ./awari.tst
exit "$failures"
