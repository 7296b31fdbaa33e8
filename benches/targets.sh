#!/bin/sh
# Every target of speed and memory in one table, with what was measured and whether it is met.
#
#   benches/targets.sh OUT [TORCH]
#
# TORCH is a folder with torch_rank_pcfg.py and torch_rank_hmm.py, careful PyTorch versions of the
# same steps, which take turns with ours; without it, or where PYTHON (python3) has no PyTorch, the
# rows that compare with it stay open. TREEBANKS (../shared/data/treebanks) holds gum-open and
# icepahc-is; without them the trees of the bundled sample stand in, and are named. OUT gets
# rows.jsonl, the logs and table.md; steps that are there already are not measured again, so that
# the command can be repeated until the table is whole. RANKSPACE names the program
# (target/release/rankspace). ROUNDS (3) take turns, each of STEPS (5) steps, and the least counts.
# QUICK=1 rehearses with small cases, and NO_CARGO=1 leaves out what `cargo bench` measures.
# The machine should be quiet.
set -eu

out=${1:?a folder for what is measured} torch=${2:-}
program=${RANKSPACE:-target/release/rankspace} python=${PYTHON:-python3}
treebanks=${TREEBANKS:-../shared/data/treebanks}
rounds=${ROUNDS:-3} steps=${STEPS:-5}
mkdir -p "$out"
rows=$out/rows.jsonl
touch "$rows"
"$program" doctor --json >"$out/doctor.json" 2>/dev/null || true
if [ -n "$torch" ] && ! "$python" -c 'import torch' 2>/dev/null; then
    echo "note: $python has no PyTorch: nothing to compare with" >&2
    torch=
fi

# once NAME COMMAND...: unless it was measured before, runs it; a line of JSON is kept with its name.
once() {
    name=$1
    shift
    grep -q "\"row\": \"$name\"" "$rows" && return 0
    echo "measuring: $name" >&2
    if line=$("$@" 2>>"$out/log.txt" | tail -1) && [ -n "$line" ]; then
        # An array of one case is that case.
        line=$(printf '%s' "$line" | sed 's/^\[//; s/\]$//; s/^{//')
        printf '{"row": "%s", %s\n' "$name" "$line" >>"$rows"
    else
        echo "failed: $name (see $out/log.txt)" >&2
    fi
}

# batch n r nt pt, and batch n states rank.
if [ -n "${QUICK:-}" ]; then
    charts="4,8,32,32,64" chains="4,8,128,32" vocab=500 dim=32
else
    charts="16,20,256,256,512 8,30,1000,500,1000 4,20,1000,4500,9000"
    chains="8,32,4096,1024 8,32,16384,4096" vocab=10000 dim=256
fi
round=1
while [ "$round" -le "$rounds" ]; do
    for case in $charts; do
        IFS=, read -r batch n r nt pt <<CASE
$case
CASE
        once "ours pcfg $case $round" "$program" bench --json --steps "$steps" --device cpu \
            --case "pcfg:batch=$batch,n=$n,r=$r,nt=$nt,pt=$pt,vocab=$vocab,dim=$dim"
        [ -z "$torch" ] || once "torch pcfg $case $round" "$python" "$torch/torch_rank_pcfg.py" \
            --steps "$steps" --batch "$batch" --n "$n" --r "$r" --NT "$nt" --PT "$pt" \
            --V "$vocab" --d "$dim"
    done
    for case in $chains; do
        IFS=, read -r batch n states rank <<CASE
$case
CASE
        once "ours hmm $case $round" "$program" bench --json --steps "$steps" --device cpu \
            --case "hmm:batch=$batch,n=$n,states=$states,rank=$rank,vocab=$((vocab + 1)),dim=$dim"
        [ -z "$torch" ] || once "torch hmm $case $round" "$python" "$torch/torch_rank_hmm.py" \
            --steps "$steps" --batch "$batch" --n "$n" --states "$states" --r "$rank" \
            --V "$((vocab + 1))" --d "$dim"
    done
    round=$((round + 1))
done

# Trees of their own for what reads them.
trees=$out/trees
mkdir -p "$trees"
if [ -f "$treebanks/gum-open/train.mrg" ]; then
    cat "$treebanks/gum-open/train.mrg" "$treebanks/icepahc-is/train.mrg" \
        "$treebanks/icepahc-is/dev.mrg" 2>/dev/null | head -40000 >"$trees/many.mrg"
    head -2400 "$treebanks/gum-open/train.mrg" >"$trees/gold.mrg"
    cp "$treebanks/gum-open/train.mrg" "$trees/train.mrg"
    head -500 "$treebanks/gum-open/test.mrg" >"$trees/test.mrg"
else
    echo "note: no treebanks in $treebanks: generated sentences stand in" >&2
    "$program" corpus generate --sentences 40000 --seed 1 >"$trees/many.mrg"
    for part in gold:2400 train:3000 test:500; do
        head -"${part#*:}" "$trees/many.mrg" >"$trees/${part%:*}.mrg"
    done
fi
# Predictions with other labels here and there.
sed 's/(NP (DT/(VP (DT/' "$trees/gold.mrg" >"$trees/predicted.mrg"

# seconds COMMAND...: the least of five runs, as JSON.
seconds() {
    "$python" - "$@" <<'PY'
import json, subprocess, sys, time
def run():
    start = time.perf_counter()
    subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start
times = [run() for _ in range(5)]
print(json.dumps({"seconds_min": min(times)}))
PY
}

# first_frame PATH...: from the start of the program to its first frame in a terminal of its own.
first_frame() {
    "$python" - "$program" "$@" <<'PY'
import fcntl, json, os, pty, select, signal, struct, sys, tempfile, termios, time
program = os.path.abspath(sys.argv[1])
paths = [os.path.abspath(path) for path in sys.argv[2:]]
def once():
    home = tempfile.mkdtemp()
    start = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(home)
        env = {"HOME": home, "XDG_DATA_HOME": home, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        os.execve(program, [program, *paths], env)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    seen = b""
    while b"Corpora" not in seen and time.perf_counter() - start < 20:
        if select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 1 << 16)
    taken = time.perf_counter() - start
    os.kill(pid, signal.SIGTERM)
    while True:
        try:
            if not os.read(terminal, 1 << 16):
                break
        except OSError:
            break
    os.waitpid(pid, 0)
    assert b"Corpora" in seen, seen[-300:]
    return taken
times = sorted(once() for _ in range(5))
print(json.dumps({"seconds_min": times[0], "seconds_median": times[2]}))
PY
}

once "evalb" seconds "$program" evalb "$trees/gold.mrg" "$trees/predicted.mrg"
once "first frame" first_frame "$trees/many.mrg"

if [ -z "${NO_CARGO:-}" ]; then
    # Each prints what it takes beside its budget; `--test` leaves Criterion's own repeats out.
    for bench in treebank charts; do
        [ -s "$out/$bench.txt" ] || cargo bench --quiet --bench "$bench" -- --test \
            >"$out/$bench.txt" 2>>"$out/log.txt" || echo "failed: cargo bench $bench" >&2
    done
fi

# The supervised parser on one core, and parsers of one sentence each on all.
once "grammar" env RAYON_NUM_THREADS=1 "$program" grammar train "$trees/many.mrg" \
    --out "$out/grammar.safetensors" --json
[ -e "$out/english.safetensors" ] ||
    "$program" grammar train "$trees/train.mrg" --out "$out/english.safetensors" 2>>"$out/log.txt"
once "parsing" env RAYON_NUM_THREADS=1 "$program" grammar parse "$out/english.safetensors" \
    "$trees/test.mrg" --json
[ -n "${QUICK:-}" ] ||
    once "weak learning" "$program" boost weak-learning "$trees/many.mrg" --one --json

# Twelve sizes in both orders of elimination: is the chosen one the faster?
[ -n "${QUICK:-}" ] || once "plan" "$program" plan --measure --json

"$python" - "$rows" "$out" >"$out/table.md" <<'PY'
import json, os, re, sys
rows, out = {}, sys.argv[2]
for line in open(sys.argv[1]):
    row = json.loads(line)
    rows[row["row"]] = row
print("| target | measured | target: at most | ratio | met |\n|---|---|---|---|---|")

def line(what, measured, target, value, bound):
    """Value and bound in the same unit; a ratio of at most one is met."""
    if value is None or bound is None:
        return print(f"| {what} | {measured} | {target} | - | not measured |")
    ratio = value / bound
    print(f"| {what} | {measured} | {target} | {ratio:.2f} | {'yes' if ratio <= 1 else 'NO'} |")

# Least of all rounds; memory above the start of the process is ours by `bench`, theirs less what
# the import of PyTorch holds. By states of the cases: how much of PyTorch's time and memory.
shares = {"pcfg 16,20,256,256,512": (1 / 2, None), "pcfg 8,30,1000,500,1000": (1 / 1.6, None),
          "pcfg 4,20,1000,4500,9000": (1 / 1.6, 1 / 2), "hmm 8,32,4096,1024": (1 / 1.6, None),
          "hmm 8,32,16384,4096": (1 / 2.5, 1 / 2)}
cases = []
for name in rows:
    who, family, case = (name.split() + ["", "", ""])[:3]
    if who == "ours" and f"{family} {case}" not in cases:
        cases.append(f"{family} {case}")
def least(who, case, of):
    found = [of(row) for name, row in rows.items() if name.startswith(f"{who} {case} ")]
    return min(found) if found else None
for case in cases:
    time_share, memory_share = shares.get(case, (1, 1))
    ours = least("ours", case, lambda row: row["seconds_min"])
    theirs = least("torch", case, lambda row: row["sec_step_min"])
    peak = max(row["share_of_peak"] for name, row in rows.items() if name.startswith(f"ours {case} "))
    what = f"training step, {case}"
    if theirs is None:
        line(what, f"{ours:.3f} s, {100 * peak:.0f} % of the products' speed", "-", None, None)
        continue
    line(what, f"{ours:.3f} s against {theirs:.3f} s; {100 * peak:.0f} % of the products' speed",
         f"PyTorch / {1 / time_share:.1f} = {theirs * time_share:.3f} s", ours, theirs * time_share)
    memory = least("ours", case, lambda row: row["peak_rss_mb"] or 0)
    other = least("torch", case, lambda row: row["peak_rss_mb"] - row["import_rss_mb"])
    told = f"{memory:.0f} MB against {other:.0f} MB"
    if memory_share:
        line(f"memory of it, {case}", told, f"PyTorch / {1 / memory_share:.0f} = {other * memory_share:.0f} MB",
             memory, other * memory_share)
    else:
        print(f"| memory of it, {case} | {told} | - | - | no target |")

def told(bench, pattern):
    path = os.path.join(out, bench + ".txt")
    found = re.search(pattern, open(path).read()) if os.path.exists(path) else None
    return float(found.group(1)) if found else None
share = told("treebank", r"indexed in .*: ([0-9.]+) of the budget")
line("40,000 trees read, normalised, indexed", "-" if share is None else f"{share:.2f} s", "1 s", share, 1)
times = told("treebank", r"([0-9.]+) times the file in memory")
line("peak memory of a corpus", "-" if times is None else f"{times:.1f} times the file", "10 times", times, 10)
def simple(what, name, key, bound, unit="s", scale=1.0):
    value = rows[name][key] * scale if name in rows else None
    line(what, "-" if value is None else f"{value:.3g} {unit}", f"{bound} {unit}", value, bound)
simple("evalb of 2,400 pairs, start of the program included", "evalb", "seconds_min", 0.1)
simple("first frame, 40,000 trees named", "first frame", "seconds_median", 100, "ms", 1e3)
share = told("charts", r"points: .*, ([0-9.]+) of the budget")
line("a frame with 1,000,000 points", "-" if share is None else f"{10 * share:.2f} ms", "10 ms", share, 1)
if "plan" in rows:
    planned = rows["plan"]["cases"]
    slower = sum(case["verdict"] == "slower" for case in planned)
    def faster(order):
        times = [{o["order"]: o["measured_step_seconds"] for o in c["orders"]} for c in planned]
        other = {"rank": "state", "state": "rank"}[order]
        return sum(t[other] > 1.1 * t[order] for t in times)
    favour = f"rank faster in {faster('rank')}, state in {faster('state')}, by more than 10 %"
    line("plans that chose the slower order", f"{slower} of {len(planned)}; {favour}",
         "0, and 4 for each order", slower + max(0, 4 - faster("rank")) + max(0, 4 - faster("state")), 0.5)
if "grammar" in rows:
    row = rows["grammar"]
    taken = row["train_seconds"] * 40_000 / row["trees"]
    line(f"grammar of 40,000 trees, one core ({row['trees']} measured)", f"{taken:.2f} s", "5 s", taken, 5)
if "parsing" in rows:
    speed, words = rows["parsing"]["sentences_per_s"], rows["parsing"]["words"] / rows["parsing"]["sentences"]
    line(f"parsing, one core, {words:.1f} words a sentence", f"{speed:.0f} sentences a second",
         "at least 60", 60, speed)
if "weak learning" in rows:
    variant = rows["weak learning"]["variants"][0]
    taken = variant["seconds"] * 40_000 / variant["counts"]["sentences"]
    line("40,000 parsers of one sentence", f"{taken:.0f} s", "180 s", taken, 180)
PY
cat "$out/table.md"
