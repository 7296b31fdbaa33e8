#!/bin/sh
# Everything that is to be known of a device, on a machine with a card and nothing else: no Rust,
# no network.
#
#   benches/device.sh PROGRAM GOLDEN OUT [TORCH]
#
# PROGRAM is rankspace, built elsewhere for the same system by `cargo build --release --features
# cuda`. GOLDEN is the folder of the golden values. OUT gets what is found: check.txt, rows.jsonl
# and table.md. TORCH is a folder with torch_rank_pcfg.py and torch_rank_hmm.py, which are then
# timed in turn with ours by python3 (PYTHON). DEVICE (cuda:0) can be `emulated` or `cpu` to
# rehearse, with smaller cases by QUICK=1. It takes at most eight minutes: LIMIT (480) seconds.
set -u

program=${1:?the program} golden=${2:?the folder of golden values} out=${3:?a folder} torch=${4:-}
device=${DEVICE:-cuda:0} python=${PYTHON:-python3} limit=${LIMIT:-480} steps=${STEPS:-10}
mkdir -p "$out"
began=$(date +%s)
left() { echo $((limit - $(date +%s) + began)); }

# The libraries of CUDA may be those that PyTorch brought along.
libraries=$("$python" - 2>/dev/null <<'PY'
import glob, os, site
bases = site.getsitepackages() + [site.getusersitepackages()]
found = {os.path.dirname(f) for b in bases for f in glob.glob(b + "/nvidia/**/lib*.so*", recursive=True)}
print(":".join(sorted(found)))
PY
)
export LD_LIBRARY_PATH="${libraries:-}:${LD_LIBRARY_PATH:-}"

"$program" doctor --json >"$out/doctor.json"
command -v nvidia-smi >/dev/null && nvidia-smi >"$out/nvidia-smi.txt" 2>&1

echo "== golden values and the CPU's own numbers"
timeout "$(left)" "$program" bench --check --device "$device" --golden "$golden" >"$out/check.txt" 2>&1
status=$?
grep -c '^ok' "$out/check.txt" | sed 's/$/ comparisons hold/'
grep -E '^(WRONG|told|error)' "$out/check.txt"

# batch n r nt pt, and batch n states rank; the cases of the table and the paper's sizes.
if [ -n "${QUICK:-}" ]; then
    charts="4,8,32,32,64" chains="4,8,128,32" vocab=500 dim=32
else
    charts="16,20,256,256,512 8,30,1000,500,1000 4,20,1000,4500,9000 16,20,1000,4500,9000 16,40,1000,4500,9000"
    chains="8,32,4096,1024 8,32,16384,4096 8,32,32768,4096" vocab=10000 dim=256
fi
: >"$out/rows.jsonl"
ours() {
    spec=$1
    shift
    [ "$(left)" -gt 5 ] || return 0
    timeout "$(left)" "$program" bench --case "$spec" --device "$device" --steps "$steps" --json "$@" \
        2>>"$out/errors.txt" | sed "s/^\[{/{\"impl\":\"rankspace${*:+ }$*\",/; s/\]\$//" >>"$out/rows.jsonl"
}
theirs() {
    script=$1
    shift
    [ -n "$torch" ] && [ "$(left)" -gt 5 ] || return 0
    case $device in cuda*) theirs=cuda ;; *) theirs=cpu ;; esac
    timeout "$(left)" "$python" "$torch/$script" --device "$theirs" --steps "$steps" "$@" \
        2>>"$out/errors.txt" | tail -1 | sed 's/^{/{"impl":"torch",/' >>"$out/rows.jsonl"
}
for case in $charts; do
    IFS=, read -r batch n r nt pt <<EOF
$case
EOF
    spec="pcfg:batch=$batch,n=$n,r=$r,nt=$nt,pt=$pt,vocab=$vocab,dim=$dim"
    ours "$spec"
    theirs torch_rank_pcfg.py \
        --batch "$batch" --n "$n" --r "$r" --NT "$nt" --PT "$pt" --V "$vocab" --d "$dim"
    ours "$spec" --tf32
done
for case in $chains; do
    IFS=, read -r batch n states rank <<EOF
$case
EOF
    spec="hmm:batch=$batch,n=$n,states=$states,rank=$rank,vocab=$((vocab + 1)),dim=$dim"
    ours "$spec"
    theirs torch_rank_hmm.py \
        --batch "$batch" --n "$n" --states "$states" --r "$rank" --V "$((vocab + 1))" --d "$dim"
    ours "$spec" --tf32
done

echo "== seconds a step"
"$python" - "$out/rows.jsonl" >"$out/table.md" <<'PY'
import json, sys
print("| case | program | seconds | memory, MB | GFLOP/s |\n|---|---|---|---|---|")
case = ""
for line in open(sys.argv[1]):
    try:
        row = json.loads(line)
    except ValueError:
        continue
    case = row.get("case", case)
    seconds = row.get("seconds_min", row.get("sec_step_min"))
    memory = row.get("device_mb") or row.get("cuda_peak_mb") or row.get("peak_rss_mb") or 0
    gflops = f"{row['gflops']:.0f}" if "gflops" in row else ""
    name = "PyTorch" if "torch" in row else row["impl"]
    print(f"| {case} | {name} | {seconds:.5f} | {memory:.0f} | {gflops} |")
PY
cat "$out/table.md"
echo "== done in $(($(date +%s) - began)) s: $out/table.md"
exit "$status"
