#!/usr/bin/env bash
# Plays a match with gogui-twogtp and prints who won.
#
# usage: match.sh GAMES [BLACK_COMMAND [WHITE_COMMAND]]
#
# A command that is not given is `gothello --move-time 0.1`. The colors change
# after every game. The games and the report go to the folder MATCH_DIR, by
# default a new temporary one; a match that was interrupted goes on if MATCH_DIR
# is its folder. MATCH_SIZE is the size of the board: 5, or 6 for Awari.
# Exit status: 0 if all games were played without an error, 1 if there was an
# error, 2 if the match could not start.
set -euo pipefail

fail() {
    printf 'match.sh: %s\n' "$*" >&2
    exit 2
}

(($# >= 1 && $# <= 3)) || fail 'usage: match.sh GAMES [BLACK_COMMAND [WHITE_COMMAND]]'
games=$1
[[ $games =~ ^[1-9][0-9]{0,6}$ ]] || fail "\"$games\" is no number of games"
engine='gothello --move-time 0.1'
first=${2:-$engine}
second=${3:-$engine}
command -v gogui-twogtp >/dev/null ||
    fail 'gogui-twogtp is not installed: it is part of GoGui, and must be in PATH'
for command in "$first" "$second"; do
    [[ $command == \"* ]] && continue # a quoted path is twogtp's business
    read -r program _ <<<"$command"
    command -v -- "$program" >/dev/null || fail "no program $program: give its path"
done
folder=${MATCH_DIR:-$(mktemp -d "${TMPDIR:-/tmp}/gothello-match.XXXXXX")}
mkdir -p -- "$folder"
table=$folder/game.dat

printf 'A: %s\nB: %s\n%d games, in %s\n' "$first" "$second" "$games" "$folder"
status=0
SECONDS=0
gogui-twogtp -black "$first" -white "$second" -size "${MATCH_SIZE:-5}" -komi 0 -auto -alternate \
    -games "$games" -sgffile "$folder/game" || status=$?
[[ -s $table ]] ||
    fail "no game was played (status $status of gogui-twogtp): do both commands run by themselves?"

# gogui-twogtp's exit status says nothing of errors within games: an illegal
# move, a strange answer. They are in the columns ERR and ERR_MSG of its table.
# RES_B and RES_W are the result as A and as B see it; a B+ is a win of A,
# whatever its color.
if ! awk -F '\t' '
    /^#GAME/ { for (i = 1; i <= NF; i++) column[$i] = i; next }
    /^#/ || !NF { next }
    {
        n++
        result = $column["RES_B"]
        if ($column["ERR"] != 0) {
            errors++
            print "game " $1 ": " $column["ERR_MSG"]
        } else if (result != $column["RES_W"]) {
            errors++
            print "game " $1 ": A says " result ", B says " $column["RES_W"]
        } else if (result ~ /^[BW]\+/) {
            a_won = result ~ /^B/
            if (a_won) a++; else b++
            if (a_won == ($column["ALT"] == 0)) black++; else white++
        } else if (result == "0") draws++
        else { errors++; print "game " $1 ": no result (" result ")" }
        if ($column["DUP"] != "-" && $column["DUP"] != "") repeated++
    }
    END {
        printf "%d games: A won %d, B won %d, %d drawn, %d with an error\n",
            n, a, b, draws, errors
        printf "by color: Black won %d, White won %d\n", black, white
        if (n < games) printf "only %d of %d games were played\n", n, games
        if (repeated)
            printf "%d of them repeat another game, or a mirror image of it\n", repeated
        exit errors > 0 || n < games
    }' "games=$games" "$table"; then
    status=1
fi
printf 'time: %d s\n' "$SECONDS"

# The report of gogui-twogtp itself leaves repeated games out.
gogui-twogtp -analyze "$table" -force || status=1
printf '\ngogui-twogtp -analyze, without games that repeat another:\n'
# By their place: in GoGui 1.6 the names above the columns are wrong from the
# eighth on.
awk -F '\t' 'NR == 2 {
    printf "games used %d of %d (errors %d, repeated %d)\n", $4, $1, $2, $3
    if ($4 > 0)
        printf "A: %.1f%% +-%.1f, mean score %s +-%s, drawn %.1f%%\n",
            100 * $7, 100 * $8, $5, $6, 100 * $9
}' "$folder/game.summary.dat"
printf 'report: %s/game.html\n' "$folder"
((status == 0)) || exit 1
