#!/bin/sh
# Trains every family on small treebanks and prints one table of what they reach.
#
#   benches/tables.sh TREEBANKS OUT [PART...]
#
# TREEBANKS holds the folders gum-open and craft-ccby, each with train.mrg, dev.mrg and test.mrg.
# OUT gets a group of run folders for each line; what is finished there is not trained again, and
# what was stopped goes on, so the command can be repeated until the table is whole. PART is one or
# more of lm, trees, craft, exchange (all of them where none is named). THREADS (1) and SEEDS (3)
# can be set; RANKSPACE names the program (target/release/rankspace).
#
# All models of a treebank see the same sentences: punctuation removed, at most 40 words in
# training, no sentence of one word, words seen once as the unknown word. So perplexities can be
# compared: all are per word, with the end of each sentence counted as one.
set -eu

treebanks=${1:?the folder of the treebanks}
out=${2:?a folder for the runs}
shift 2
parts=${*:-lm trees craft exchange}
program=${RANKSPACE:-target/release/rankspace}
threads=${THREADS:-1}
seeds=${SEEDS:-3}
mkdir -p "$out"

has() { case " $parts " in *" $1 "*) ;; *) return 1 ;; esac }

# group NAME TREEBANK PRESET SEEDS [KEY=VALUE...]
group() {
    name=$1 treebank=$2 preset=$3 count=$4
    shift 4
    folder=$treebanks/$treebank
    settings=""
    for setting in "data.preset=${treebank%%-*}" "data.train=$folder/train.mrg" \
        "data.dev=$folder/dev.mrg" "data.test=$folder/test.mrg" data.min_length=2 \
        data.max_length=40 data.vocabulary.min_count=2 "threads=$threads" "$@"; do
        settings="$settings --set $setting"
    done
    # A run that is under way elsewhere, or fails, leaves its line open.
    # shellcheck disable=SC2086
    "$program" train --preset "$preset" $settings --seeds "$count" --out "$out/$name" --json \
        >"$out/$name.json" 2>"$out/$name.log" || echo "{}" >"$out/$name.json"
    line "$name" "$treebank"
}

# mean KEY FILE: the mean over the seeds of a figure of the test set, and its spread.
figure() {
    sed 's/,"consensus":{"dev".*//; s/.*"test":{/{/' "$2" |
        sed -n "s/.*\"$1\":{\([^}]*\)}.*/\1/p" | awk -F'[:,]' '
        { for (i = 1; i < NF; i += 2) { gsub(/"/, "", $i); v[$i] = $(i + 1) } }
        END {
            if (!("mean" in v)) { printf "-"; exit }
            if (v["count"] > 1) printf "%.1f +- %.1f", v["mean"], v["sd"]
            else printf "%.1f", v["mean"]
        }'
}

# tags NAME TREEBANK: V-measure of the induced tags of the first seed's best weights.
tags() {
    best=$out/$1/$1-seed-0/checkpoints/best.safetensors
    [ -e "$best" ] && "$program" eval "$best" "$treebanks/$2/test.mrg" --tags --json 2>/dev/null |
        sed -n 's/.*"tag_v_measure":\([0-9.]*\).*/\1/p' | awk '{ printf "%.1f", $1 }'
}

line() {
    file=$out/$1.json
    seconds=$(sed 's/"train_seconds":/\n&/g' "$file" | awk -F'[:,}]' \
        '/^"train_seconds"/ { s += $2; n++ } END { if (n) printf "%.0f", s / n; else printf "-" }')
    consensus=$(sed -n 's/.*"consensus":{[^}]*"s_f1":\([0-9.]*\).*/\1/p' "$file" |
        awk '{ printf "%.1f", $1 }')
    v=$(tags "$1" "$2" || true)
    printf '%-20s %17s %14s %9s %6s %9s\n' "$1" "$(figure perplexity "$file")" \
        "$(figure s_f1 "$file")" "${consensus:--}" "${v:--}" "$seconds"
}

# trivial NAME: what trees that nobody learnt score on the same sentences, from a group's events.
trivial() {
    events=$out/$1/$1-seed-0/events.jsonl
    [ -e "$events" ] || return 0
    for kind in right left balanced random oracle; do
        score=$(sed -n 's/.*"test.baselines".*"'$kind'_s_f1":\([0-9.]*\).*/\1/p' "$events" |
            awk 'NR == 1 { printf "%.1f", $1 }')
        printf '%-20s %17s %14s %9s %6s %9s\n' "  $kind" - "${score:--}" - - -
    done
}

printf '%-20s %17s %14s %9s %6s %9s\n' "" "test perplexity" "test S-F1" "consensus" "tags V" \
    "s a run"

hmm="model.embedding=128 training.epochs=12 training.patience=3"
if has lm; then
    for order in 3 5; do group "gum-ngram-$order" gum-open ngram-5 1 "model.order=$order"; done
    for k in 8 10 12; do
        states=$((1 << k)) rank=$((1 << (k / 2 + 3)))
        group "gum-rank-hmm-$k" gum-open hmm-small 1 $hmm "model.states=$states" "model.rank=$rank"
        group "gum-lhmm-$k" gum-open lhmm-small 1 $hmm "model.states=$states" "model.rank=$rank"
        if [ "$k" -le 10 ]; then
            group "gum-hmm-$k" gum-open hmm-dense 1 $hmm "model.states=$states"
        fi
    done
fi
if has trees; then
    small="training.patience=0 training.epochs=10 model.embedding=128"
    low="model.nonterminals=64 model.preterminals=128 model.rank=128"
    dense="model.nonterminals=20 model.preterminals=40"
    group gum-rank-pcfg gum-open pcfg-small "$seeds" $small $low
    group gum-td-pcfg gum-open tdpcfg-small "$seeds" $small $low
    group gum-n-pcfg gum-open npcfg-small "$seeds" $small $dense
    group gum-c-pcfg gum-open cpcfg-small "$seeds" $small $dense
    group gum-lpcfg gum-open lpcfg-toy "$seeds" $small $dense model.rank=40
    trivial gum-rank-pcfg
fi
if has craft; then
    epochs="model.embedding=128 training.epochs=4"
    for order in 3 5; do group "craft-ngram-$order" craft-ccby ngram-5 1 "model.order=$order"; done
    for k in 10 12; do
        states=$((1 << k)) rank=$((1 << (k / 2 + 3)))
        group "craft-rank-hmm-$k" craft-ccby hmm-small 1 $epochs "model.states=$states" \
            "model.rank=$rank"
    done
    group craft-rank-pcfg craft-ccby pcfg-small 1 training.epochs=4 model.embedding=128
    trivial craft-rank-pcfg
fi
if has exchange; then
    # Rank and states exchanged, as in the discussion of Yang, Liu & Tu 2022.
    group exchange-rank-hmm gum-open exchange-rank-hmm 1 $hmm
    group exchange-lhmm gum-open exchange-lhmm 1 $hmm
    group exchange-lhmm-1024 gum-open exchange-rank-hmm 1 $hmm model.family=lhmm
fi
