# shellcheck shell=bash
# Builds and runs the tests under a sanitizer. Sourced after prelude.sh, and before tally.sh.

# Has everything that follows built and run under a sanitizer, `thread` or `address`; reports go to files below the
# directory named second, since the tests read what ferry prints.
sanitize() {
    local sanitizer=$1 logs=$2
    local scratch=$root/.build/$sanitizer-sanitizer
    build_options=(--sanitize "$sanitizer" --scratch-path "$scratch")
    export FERRY_BINARY=${FERRY_BINARY:-$scratch/debug/ferry}
    mkdir -p "$logs/reports"
    # The reports are counted below; a status of the sanitizer's own would be taken for that of ferry.
    export TSAN_OPTIONS="log_path=$logs/reports/report exitcode=0 ${TSAN_OPTIONS:-}"
    export ASAN_OPTIONS="log_path=$logs/reports/report ${ASAN_OPTIONS:-}"
    export SWIFT_BACKTRACE=enable=no
}

# Counts each report of a sanitizer as a failure, and prints it. What the thread sanitizer only takes for a race,
# because it does not see a lock, is left out; thread-sanitizer.awk says which that is, and why.
count_reports() {
    local logs=$1 report count
    for report in "$logs"/reports/*; do
        [[ -s $report ]] || continue
        awk -f "$root/scripts/lib/thread-sanitizer.awk" "$report" >"$report.real"
        cat "$report.real" >&2
        count=$(grep -cE '^SUMMARY: ' "$report.real" || true)
        failed=$((failed + count))
    done
}
