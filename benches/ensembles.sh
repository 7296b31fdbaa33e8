#!/bin/sh
# Bags and boosts a parser on small treebanks, looks for planted errors, and prints the tables.
#
#   benches/ensembles.sh TREEBANKS OUT [PART...]
#
# TREEBANKS holds folders like gum-open, each with train.mrg and test.mrg. OUT gets a run folder for
# each run; what is finished there is not done again, and what was stopped goes on, so the command
# can be repeated until the tables are whole. PART is one or more of
#   gum-open craft-ccby   the single parser, bags, boosting, boosting on the stable corpus
#   weak                  which sentences a parser of their own does not give back
#   noise                 how well planted errors of gum-open are found, by every way to rank
#   curve                 the figures against the number of training sentences, gum-open
# (all where none is named). ROUNDS (15) and SEEDS (5) can be set; RANKSPACE names the program
# (target/release/rankspace), SETTINGS further settings, as `--set parser.family=shift-reduce`.
set -eu

treebanks=${1:?the folder of the treebanks}
out=${2:?a folder for the runs}
shift 2
parts=${*:-gum-open craft-ccby weak noise curve}
program=${RANKSPACE:-target/release/rankspace}
rounds=${ROUNDS:-15}
seeds=${SEEDS:-5}
mkdir -p "$out"

has() { case " $parts " in *" $1 "*) ;; *) return 1 ;; esac }

# once NAME COMMAND...: the output of a command, kept, so that it runs until it has succeeded once.
once() {
    name=$1
    shift
    if [ ! -e "$out/$name.txt" ]; then
        "$@" >"$out/$name.part" 2>"$out/$name.log" || { tail -n 3 "$out/$name.log" && return 1; }
        mv "$out/$name.part" "$out/$name.txt"
    fi
    printf '\n== %s\n' "$name"
    cat "$out/$name.txt"
}

# run NAME KIND TRAIN TEST: a run folder begun or gone on with.
run() {
    # shellcheck disable=SC2086
    if [ -e "$out/$1/config.toml" ]; then
        once "$1" "$program" resume "$out/$1"
    else
        once "$1" "$program" "$2" --train "$3" --test "$4" --rounds "$rounds" --out "$out/$1" \
            ${SETTINGS:-}
    fi
}

stable() {
    # shellcheck disable=SC2086
    [ -e "$out/$1-stable.mrg" ] || once "$1-weak" "$program" boost weak-learning \
        "$treebanks/$1/train.mrg" --one --stable "$out/$1-stable.mrg" ${SETTINGS:-}
}

for treebank in gum-open craft-ccby; do
    has "$treebank" || continue
    folder=$treebanks/$treebank
    run "$treebank-boost" boost "$folder/train.mrg" "$folder/test.mrg"
    run "$treebank-bag" bag "$folder/train.mrg" "$folder/test.mrg"
    stable "$treebank"
    run "$treebank-boost-stable" boost "$out/$treebank-stable.mrg" "$folder/test.mrg"
done
if has weak; then
    for treebank in craft-ccby icepahc-is; do
        # shellcheck disable=SC2086
        once "$treebank-weak-table" "$program" boost weak-learning "$treebanks/$treebank/train.mrg" \
            ${SETTINGS:-}
    done
fi
if has noise; then
    # shellcheck disable=SC2086
    once noise-2 "$program" noise table "$treebanks/gum-open/train.mrg" --share 2 \
        --seeds "$seeds" --rounds 10 --out "$out/noise" ${SETTINGS:-}
    # shellcheck disable=SC2086
    once noise-1-5 "$program" noise table "$treebanks/gum-open/train.mrg" --share 1 --share 5 \
        --seeds 3 --rounds 10 --out "$out/noise" ${SETTINGS:-}
fi
if has curve; then
    # shellcheck disable=SC2086
    once curve "$program" learning-curve --train "$treebanks/gum-open/train.mrg" \
        --test "$treebanks/gum-open/test.mrg" ${SETTINGS:-}
fi
