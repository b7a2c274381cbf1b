# shellcheck shell=bash
# Builds and runs the tests under a sanitizer. Sourced after prelude.sh, and before tally.sh.

# Has everything that follows built and run under a sanitizer, `thread` or `address`; reports go to files below the
# directory named second, since the tests read what ferry prints.
sanitize() {
    local sanitizer=$1 logs=$2
    local scratch=$root/.build/$sanitizer-sanitizer
    build_options=(--sanitize "$sanitizer" --scratch-path "$scratch")
    if [[ $sanitizer == thread ]]; then show_handovers "$scratch"; fi
    export FERRY_BINARY=${FERRY_BINARY:-$scratch/debug/ferry}
    mkdir -p "$logs/reports"
    # The reports are counted below; a status of the sanitizer's own would be taken for that of ferry.
    export TSAN_OPTIONS="log_path=$logs/reports/report exitcode=0 ${TSAN_OPTIONS:-}"
    export ASAN_OPTIONS="log_path=$logs/reports/report ${ASAN_OPTIONS:-}"
    export SWIFT_BACKTRACE=enable=no
    # For the tests that must know: Harness/Sanitizer.swift.
    export FERRY_SANITIZER=$sanitizer
}

# Links every program with thread-sanitizer.c, which says why.
show_handovers() {
    local scratch=$1 source=$root/scripts/lib/thread-sanitizer.c object
    # Named after what it is made of, since the build links anew only what has another command line.
    object=$scratch/thread-sanitizer-$(cksum <"$source" | cut -d ' ' -f 1).o
    mkdir -p "$scratch"
    clang -Wall -Wextra -Werror -O1 -fPIC -c "$source" -o "$object"
    build_options+=(-Xlinker "$object")
}

# Counts each report of a sanitizer as a failure, and prints it.
count_reports() {
    local logs=$1 report count
    for report in "$logs"/reports/*; do
        [[ -s $report ]] || continue
        cat "$report" >&2
        count=$(grep -cE '^SUMMARY: ' "$report" || true)
        failed=$((failed + count))
    done
}
