# shellcheck shell=bash
# Runs Swift's tests and counts what they say. Sourced after prelude.sh.

# Options for every build and test of Swift, such as those of a sanitizer.
build_options=()

passed=0
failed=0
skipped=0
# What went wrong in the runs so far, to be said again at the end, where it is looked for.
findings=

# The tests that run in the background, as a process number; empty if there are none.
background=

# What else runs beside the tests, as the number of its process group; empty if nothing does.
beside=

# The path of the program that has all tests, as soon as it is known.
program=

# What begins each run with another priority.
priority=()

# Runs the tests that are built with the given arguments, their output both shown and kept in the file named first.
run_tests() {
    local log=$1 status=0
    shift
    find_tests
    # A pipe, since the shell waits for all of its ends: the log is whole when it is counted.
    become_tests "$@" | tee "$log" || status=${PIPESTATUS[0]}
    count_tests "$log" "$status"
}

# Begins the same in the background, with the time of the processors that nothing else needs. end_tests shows the output.
begin_tests() {
    local log=$1 priority=(nice -n 19)
    shift
    find_tests
    become_tests "$@" >"$log" &
    background=$!
}

# Waits for the tests in the background, whose output is kept in the file named, and counts them.
end_tests() {
    local log=$1 status=0
    wait "$background" || status=$?
    background=
    cat "$log"
    count_tests "$log" "$status"
}

# Begins another command in the background at the same priority, and keeps its output in the file named first. The command has
# a process group of its own, so that stop_tests can end all that it has started.
begin_beside() {
    local log=$1
    shift
    # Before the command: a build locks the folder, and SwiftPM would not tell the path.
    find_tests
    set -m
    nice -n 19 "$@" >"$log" 2>&1 </dev/null &
    beside=$!
    set +m
}

# Waits for that command and shows its output. If it has failed, that counts as a failed test, told as the second argument says.
end_beside() {
    local log=$1 failure=$2 status=0
    wait "$beside" || status=$?
    beside=
    cat "$log"
    if [[ $status -ne 0 ]]; then
        failed=$((failed + 1))
        findings+=$failure$'\n'
    fi
}

# Ends what runs in the background, if there is anything.
stop_tests() {
    if [[ -n $background ]]; then kill "$background" 2>/dev/null || true; fi
    if [[ -n $beside ]]; then kill -- "-$beside" 2>/dev/null || true; fi
}

# Notes the path of the program that has all tests.
find_tests() {
    if [[ -z $program ]]; then
        program=$(swift build "${build_options[@]}" --show-bin-path)/ferryPackageTests.xctest
    fi
}

# Replaces this shell, which must be a subshell, by the tests, which are at the path $program.
#
# Not by `swift test`: of the output that it passes on, pieces were missing now and then. Tests were missing from the count
# so, although all had passed; the program by itself has lost no line.
become_tests() {
    local backtrace=()
    # A crash says where. A sanitizer says so itself.
    if [[ ${#build_options[@]} -eq 0 ]]; then
        backtrace=("SWIFT_BACKTRACE=enable=yes,color=no,interactive=no,symbolicate=fast,threads=crashed")
    fi
    exec env "${backtrace[@]}" "${priority[@]}" "$program" --testing-library swift-testing "$@" </dev/null 2>&1
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
    if [[ $status -ne 0 ]]; then note_findings "$plain"; fi
    if [[ $status -ne 0 && $bad -eq 0 ]]; then bad=1; fi
    passed=$((passed + good))
    failed=$((failed + bad))
    skipped=$((skipped + left))
}

# Keeps what a bad run said of its failures; of one that never came to its end, its last words and what it was at.
note_findings() {
    local plain=$1 limit=40
    findings+=$(grep -E '^✘ Test .* (recorded an issue|failed after)' <<<"$plain" | head -n "$limit" || true)$'\n'
    if grep -qE '^[^ ]+ +Test run with [0-9]+ tests?' <<<"$plain"; then return; fi
    findings+="The run ended before its tests did."$'\n'
    findings+=$(grep -vE '^(◇|✔|↳|➜|✘) | started\.$' <<<"$plain" | tail -n "$limit" || true)$'\n'
    findings+="Begun and not ended:"$'\n'
    findings+=$(
        comm -23 \
            <(sed -nE -e '/^◇ Test case passing /d' -e 's/^◇ Test (.*) started\.$/\1/p' <<<"$plain" | sort -u) \
            <(sed -nE 's/^(✔|✘) Test (.*) (passed|failed) after .*/\2/p' <<<"$plain" |
                sed -E 's/ with [0-9]+ test cases?$//' | sort -u) | head -n "$limit"
    )$'\n'
}

# Prints what went wrong and the closing line, and returns a failure unless something ran and all of it passed.
print_tally() {
    if [[ -n $findings ]]; then printf '\nWhat went wrong:\n%s\n' "$findings"; fi
    if [[ $skipped -gt 0 ]]; then
        printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
    else
        printf '%d passed, %d failed\n' "$passed" "$failed"
    fi
    [[ $failed -eq 0 && $passed -gt 0 ]]
}
