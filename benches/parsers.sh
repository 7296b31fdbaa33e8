#!/bin/bash
# Learns supervised parsers from small treebanks and prints how good and how fast they are.
#
#   benches/parsers.sh TREEBANKS OUT [TREEBANK...]
#
# TREEBANKS holds folders like gum-open, each with train.mrg and test.mrg. OUT gets the parsers, their
# trees and their figures; what is there already is not done again. TREEBANK is one or more of
# gum-open, craft-ccby, icepahc-is (all where none is named). PARSERS ("treebank-pcfg shift-reduce")
# and EVERY (1: parse every sentence of the test set, N: each Nth) can be set; RANKSPACE names the
# program (target/release/rankspace), SETTINGS further settings, as `--set parser.passes=6`.
#
# Times are seconds of one processor core, whatever else the machine does. Those of training have the
# reading of the trees in them; those of parsing do not have the loading of the parser.
set -eu

treebanks=${1:?the folder of the treebanks}
out=${2:?a folder for the parsers}
shift 2
program=${RANKSPACE:-target/release/rankspace}
export RAYON_NUM_THREADS=1
mkdir -p "$out"

# cpu COMMAND...: runs it, and leaves the seconds of its processor in $seconds.
cpu() {
    TIMEFORMAT='%U %S'
    { time "$@" >"$out/stdout" 2>"$out/stderr"; } 2>"$out/time" || { cat "$out/stderr" >&2 && return 1; }
    seconds=$(awk '{ print $1 + $2 }' "$out/time")
}

# field KEY FILE: a number of a JSON object.
field() { sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p" "$2"; }

# figures NAME FAMILY TREEBANK: learns and parses, and keeps the figures as NAME.json.
figures() {
    train=$treebanks/$3/train.mrg
    # Heads of other languages than English are the first words of their phrases.
    heads=english
    [ "${3##*-}" != is ] || heads=first
    # shellcheck disable=SC2086
    cpu "$program" grammar train "$train" --out "$out/$1.safetensors" \
        --set "parser.family=$2" --set "parser.heads=$heads" ${SETTINGS:-}
    trained=$seconds
    awk "NR % ${EVERY:-1} == 0" "$treebanks/$3/test.mrg" >"$out/test.mrg"
    head -n 1 "$out/test.mrg" >"$out/one.mrg"
    cpu "$program" grammar parse "$out/$1.safetensors" "$out/one.mrg" --json
    loaded=$seconds
    rm -f "$out/$1.mrg"
    cpu "$program" grammar parse "$out/$1.safetensors" "$out/test.mrg" --json --out "$out/$1.mrg"
    awk -v t="$trained" -v s="$seconds" -v l="$loaded" \
        '{ sub(/}$/, ",\"train_cpu\":" t ",\"parse_cpu\":" s - l "}"); print }' \
        "$out/stdout" >"$out/$1.json"
}

printf '%-28s %6s %6s %6s %6s %6s %9s %6s %9s %8s\n' "" P R F1 exact tags sentences words \
    "a second" "training"
for treebank in ${*:-gum-open craft-ccby icepahc-is}; do
    for family in ${PARSERS:-treebank-pcfg shift-reduce}; do
        name=$treebank-$family
        if [ ! -e "$out/$name.json" ]; then
            rm -f "$out/$name.safetensors"
            figures "$name" "$family" "$treebank"
        fi
        file=$out/$name.json
        awk -v name="$name" -v p="$(field precision "$file")" -v r="$(field recall "$file")" \
            -v f="$(field f1 "$file")" -v e="$(field exact "$file")" \
            -v t="$(field tagging_accuracy "$file")" -v n="$(field sentences "$file")" \
            -v w="$(field words "$file")" -v s="$(field parse_cpu "$file")" \
            -v c="$(field train_cpu "$file")" -v b="$(field fallback_share "$file")" 'BEGIN {
                printf "%-28s %6.2f %6.2f %6.2f %6.2f %6.2f %9d %6.1f %9.1f %7.1fs, fallback %.2f%%\n",
                    name, p, r, f, e, t, n, w / n, n / s, c, b }'
    done
done
