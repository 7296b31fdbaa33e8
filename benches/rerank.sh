#!/bin/bash
# Reranks the candidates of history-based parsers and of a treebank grammar by every kernel, and
# prints the tables.
#
#   benches/rerank.sh TREEBANKS OUT [PART...]
#
# TREEBANKS holds folders like gum-open, each with train.mrg, dev.mrg and test.mrg. OUT gets parsers,
# candidate lists, rerankers and their figures; what is there already is not done again, so that the
# command can be repeated until the tables are whole. PART is one or more of
#   gum-open craft-ccby   two history-based parsers, of a small vocabulary and a large one, learned
#                         from sentences of MAX words or fewer, and the kernels derived from them
#   switches              other losses and weights, gum-open
#   pcfg                  a treebank grammar, gum-open, sentences of any length
# (all where none is named). MAX (15), HIDDEN (40: units of the networks), FOLDS (5: parts of the
# training set, each parsed by a network that has not seen it), SMALL and LARGE (20 and 5: a word is
# known that is seen so often with a tag), SCALES, EPOCHS (the best on dev are taken) can be set, and
# EVERY_craft_ccby (2: every other sentence of train and dev; EVERY_gum_open is 1). RANKSPACE names
# the program (target/release/rankspace).
#
# Times are seconds of one processor core, whatever else the machine does. Those of applying a
# reranker are of one sentence; they do not have its loading.
set -eu

treebanks=${1:?the folder of the treebanks}
out=${2:?a folder for all that is made}
shift 2
parts=${*:-gum-open craft-ccby switches pcfg}
program=${RANKSPACE:-target/release/rankspace}
max=${MAX:-15} hidden=${HIDDEN:-40} folds=${FOLDS:-5} small=${SMALL:-20} large=${LARGE:-5}
scales=${SCALES:-1,3,10,30,100} epochs=${EPOCHS:-3}
export RAYON_NUM_THREADS=1
mkdir -p "$out/trees" "$out/ssn" "$out/lists" "$out/rerankers"

has() { case " $parts " in *" $1 "*) ;; *) return 1 ;; esac }

# cpu COMMAND...: runs it, and leaves the seconds of its processor in $seconds, its output in a file.
cpu() {
    TIMEFORMAT='%U %S'
    { time "$@" >"$out/stdout" 2>"$out/stderr"; } 2>"$out/time" || { cat "$out/stderr" >&2 && return 1; }
    seconds=$(tail -n 1 "$out/time" | awk '{ print $1 + $2 }')
}

# of OBJECT KEY FILE: a figure of an object in a JSON object; of KEY FILE: one of the object itself.
of() {
    if [ $# = 3 ]; then
        sed -n "s/.*\"$1\":{\([^}]*\)}.*/\1/p" "$3" | sed -n "s/.*\"$2\":\([-0-9.e]*\).*/\1/p"
    else
        sed -n "s/.*\"$1\":\([-0-9.e]*\).*/\1/p" "$2"
    fi
}

# trees TREEBANK: its sentences of MAX words or fewer, and those without each part.
trees() {
    every=EVERY_${1//-/_}
    [ "$1" = craft-ccby ] && every=${!every:-2} || every=${!every:-1}
    for split in train dev test; do
        [ "$split" != test ] || every=1
        [ -e "$out/trees/$1-$split.mrg" ] || awk -v max="$max" -v every="$every" \
            '{ line = $0 } gsub(/\([^() ]+ [^() ]+\)/, "") <= max && n++ % every == 0 { print line }' \
            "$treebanks/$1/$split.mrg" >"$out/trees/$1-$split.mrg"
    done
    n=$(wc -l <"$out/trees/$1-train.mrg")
    for ((f = 0; f < folds; f++)); do
        awk -v a=$((f * n / folds)) -v b=$(((f + 1) * n / folds)) 'NR <= a || NR > b' \
            "$out/trees/$1-train.mrg" >"$out/trees/$1-without-$f.mrg"
    done
}

# network NAME TRAIN DEV COUNT: a history-based parser.
network() {
    [ ! -e "$out/ssn/$1.seconds" ] || return 0
    rm -rf "$out/ssn/$1"
    cpu "$program" ssn train --train "$2" --dev "$3" --out "$out/ssn/$1" --set "ssn.min_count=$4" \
        --set "ssn.hidden=$hidden" --set ssn.parsed=0 --set training.epochs=25
    echo "$seconds" >"$out/ssn/$1.seconds"
}

# candidates TREEBANK COUNT: the lists of a history-based parser, in lists/TREEBANK-COUNT.
candidates() {
    trees "$1"
    dev=$out/trees/$1-dev.mrg
    network "$1-$2" "$out/trees/$1-train.mrg" "$dev" "$2"
    without=()
    for ((f = 0; f < folds; f++)); do
        network "$1-$2-$f" "$out/trees/$1-without-$f.mrg" "$dev" "$2"
        without+=(--fold-parser "$out/ssn/$1-$2-$f")
    done
    [ -e "$out/lists/$1-$2.json" ] || {
        cpu "$program" candidates make --train "$out/trees/$1-train.mrg" --dev "$dev" \
            --test "$out/trees/$1-test.mrg" --parser "$out/ssn/$1-$2" "${without[@]}" \
            --out "$out/lists/$1-$2" --json
        mv "$out/stdout" "$out/lists/$1-$2.json"
    }
}

head_row() {
    printf '\n%-26s %8s %8s %7s %6s | %6s %6s %6s %6s | %6s %6s %6s %6s\n' "$1" "not 0" "s train" \
        "ms each" "MB" "dev P" R F1 p "test P" R F1 p
}

# rerank NAME LISTS KERNEL [ARGUMENT...]: learns and applies, and prints a row of figures. MOST, if
# set, are the words of the longest sentences that are scored.
rerank() {
    local name=$1 lists=$out/lists/$2 kernel=$3
    local base=$out/rerankers/$1${MOST:+-$MOST}
    shift 3
    [ -e "$out/rerankers/$name.json" ] || {
        rm -f "$out/rerankers/$name.st"
        cpu "$program" rerank train "$lists/train.jsonl" --dev "$lists/dev.jsonl" --kernel "$kernel" \
            --set "rerank.scales=[$scales]" --set "rerank.epochs=$epochs" --out "$out/rerankers/$name.st" \
            --json "$@"
        sed "s/}$/,\"cpu\":$seconds}/" "$out/stdout" >"$out/rerankers/$name.json"
    }
    for split in dev test; do
        [ ! -e "$base-$split.json" ] || continue
        head -n 1 "$lists/$split.jsonl" >"$out/one.jsonl"
        cpu "$program" rerank apply "$out/rerankers/$name.st" "$out/one.jsonl" --json --shuffles 1
        loaded=$seconds
        cpu "$program" rerank apply "$out/rerankers/$name.st" "$lists/$split.jsonl" --json --shuffles 1
        each=$(awk -v s="$seconds" -v l="$loaded" -v n="$(of sentences "$out/stdout")" \
            'BEGIN { print 1000 * (s - l) / n }')
        cpu "$program" rerank apply "$out/rerankers/$name.st" "$lists/$split.jsonl" --json \
            ${MOST:+--max-length "$MOST"}
        sed "s/}$/,\"each\":$each}/" "$out/stdout" >"$base-$split.json"
    done
    json=$out/rerankers/$name.json
    printf '%-26s %8.0f %8.1f %7.1f %6.0f' "$name${MOST:+, <= $MOST words}" \
        "$(awk -v n="$(of features non_zeros "$json")" -v c="$(of features candidates "$json")" \
            'BEGIN { print (c > 0 ? n / c : 0) }')" \
        "$(of cpu "$json")" "$(of each "$base-test.json")" "$(of peak_rss_mb "$json")"
    for split in dev test; do
        printf ' | %6.2f %6.2f %6.2f %6.4f' "$(of reranked precision "$base-$split.json")" \
            "$(of reranked recall "$base-$split.json")" "$(of reranked f1 "$base-$split.json")" \
            "$(of p f1 "$base-$split.json")"
    done
    printf '   scale %s, epoch %s, %s of %s lists changed\n' "$(of chosen scale "$json")" \
        "$(of chosen epoch "$json")" "$(of changed "$base-test.json")" "$(of sentences "$base-test.json")"
}

# systems NAME RERANKER: the rows of the base parser, the oracle and the worst choices.
systems() {
    for system in base oracle anti_oracle; do
        printf '%-26s %8s %8s %7s %6s' "$1, ${system/_/-}" "" "" "" ""
        for split in dev test; do
            json=$out/rerankers/$2${MOST:+-$MOST}-$split.json
            [ $system != anti_oracle ] || {
                "$program" candidates stats "$out/lists/$1/$split.jsonl" --json \
                    ${MOST:+--max-length "$MOST"} >"$out/stats.json" 2>"$out/stderr"
                json=$out/stats.json
            }
            printf ' | %6.2f %6.2f %6.2f %6s' "$(of $system precision "$json")" \
                "$(of $system recall "$json")" "$(of $system f1 "$json")" ""
        done
        echo
    done
}

for treebank in gum-open craft-ccby; do
    has "$treebank" || continue
    for count in "$small" "$large"; do
        candidates "$treebank" "$count"
        lists=$treebank-$count
        head_row "$lists"
        for kernel in top-efficient top fisher tree; do
            # The tree kernel is derived from no parser.
            from=(--ssn "$out/ssn/$lists")
            [ "$kernel" != tree ] || from=()
            rerank "$lists-$kernel" "$lists" "$kernel" "${from[@]}"
            [ $kernel != top-efficient ] || systems "$lists" "$lists-$kernel"
        done
    done
    # Candidates and log-probabilities of the small vocabulary, kernel of the large one.
    rerank "$treebank-$small-by-$large" "$treebank-$small" top-efficient \
        --ssn "$out/ssn/$treebank-$large"
done
if has switches; then
    lists=gum-open-$large ssn=$out/ssn/gum-open-$large
    candidates gum-open "$large"
    head_row "$lists"
    rerank "$lists-zero-one" "$lists" top-efficient --ssn "$ssn" --set rerank.loss=zero-one
    rerank "$lists-last" "$lists" top-efficient --ssn "$ssn" --set rerank.vote=last
    rerank "$lists-fisher-all" "$lists" fisher --ssn "$ssn" --set rerank.weights=all
fi
if has pcfg; then
    [ -e "$out/lists/pcfg.json" ] || {
        cpu "$program" candidates make --train "$treebanks/gum-open/train.mrg" \
            --dev "$treebanks/gum-open/dev.mrg" --test "$treebanks/gum-open/test.mrg" \
            --out "$out/lists/pcfg" --json
        mv "$out/stdout" "$out/lists/pcfg.json"
    }
    head_row pcfg
    for kernel in top-efficient top fisher tree; do
        rerank "pcfg-$kernel" pcfg "$kernel"
        [ $kernel != top-efficient ] || systems pcfg "pcfg-$kernel"
    done
    for kernel in top-efficient tree; do
        MOST=$max rerank "pcfg-$kernel" pcfg "$kernel"
        [ $kernel != top-efficient ] || MOST=$max systems pcfg "pcfg-$kernel"
    done
fi
