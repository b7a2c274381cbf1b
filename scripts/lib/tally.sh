# shellcheck shell=bash
# Runs Swift's tests and counts what they say. Sourced after prelude.sh.

# Options for every build and test of Swift, such as those of a sanitizer.
build_options=()

passed=0
failed=0
skipped=0

# Runs `swift test` with the given arguments, its output both shown and kept in the file named first.
run_tests() {
    local log=$1 status=0
    shift
    swift test --skip-build --disable-xctest "${build_options[@]}" "$@" </dev/null > >(tee "$log") 2>&1 || status=$?
    count_tests "$log" "$status"
}

# Adds up what one run said. Swift Testing closes each test with a line of its own:
#     ✔ Test "name" passed after …   ✘ Test "name" failed after …   ➜ Test "name" skipped…
# and the run with `Test run with N tests …`. A run that ended badly, or never came to that line, has at
# least one failure, whatever its tests said: a crash takes the lines of its tests with it.
count_tests() {
    local log=$1 status=$2 plain good bad left
    plain=$(sed -e 's/\x1b\[[0-9;]*m//g' "$log")
    good=$(grep -cE '^[^ ]+ +Test .* passed after [0-9.]+ seconds' <<<"$plain" || true)
    bad=$(grep -cE '^[^ ]+ +Test .* failed after [0-9.]+ seconds' <<<"$plain" || true)
    left=$(grep -cE '^[^ ]+ +Test .* skipped' <<<"$plain" || true)
    # The run's own closing line has the same form as a test's.
    if grep -qE '^[^ ]+ +Test run with [0-9]+ tests?.* passed after' <<<"$plain"; then
        good=$((good - 1))
    elif grep -qE '^[^ ]+ +Test run with [0-9]+ tests?.* failed after' <<<"$plain"; then
        bad=$((bad - 1))
    else
        status=1
    fi
    if [[ $status -ne 0 && $bad -eq 0 ]]; then bad=1; fi
    passed=$((passed + good))
    failed=$((failed + bad))
    skipped=$((skipped + left))
}

# Prints the closing line and returns a failure unless something ran and all of it passed.
print_tally() {
    if [[ $skipped -gt 0 ]]; then
        printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
    else
        printf '%d passed, %d failed\n' "$passed" "$failed"
    fi
    [[ $failed -eq 0 && $passed -gt 0 ]]
}
