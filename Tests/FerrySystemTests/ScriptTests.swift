import Foundation
import Testing

/// The scripts' help and the count of the tests.
@Suite("Scripts")
struct ScriptTests {
    static let scripts: [String] = {
        let folder = Repository.root + "/scripts"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(folder)/\(name)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }()

    /// Runs a script without a compiler in PATH.
    private func run(_ script: String, _ arguments: [String], in sandbox: Sandbox) async throws -> Outcome {
        try await sandbox.launch(
            executable: script,
            arguments,
            environment: ["PATH": sandbox.root + "/bin"]
        ).outcome()
    }

    /// The programs that a script needs to print its help.
    private func furnish(_ sandbox: Sandbox) throws {
        try FileManager.default.createDirectory(
            atPath: sandbox.root + "/bin",
            withIntermediateDirectories: true
        )
        for name in ["env", "bash", "sh", "readlink", "sed", "find", "cat"] {
            let path = try Tool(name).requiredPath()
            try FileManager.default.createSymbolicLink(
                atPath: "\(sandbox.root)/bin/\(name)",
                withDestinationPath: path
            )
        }
    }

    @Test(
        "--help prints the help of a script and starts nothing",
        arguments: scripts.filter { $0 != "ferry" }
    )
    func helpBeginsNothing(_ script: String) async throws {
        try await Sandbox.open { sandbox in
            try furnish(sandbox)
            let outcome = try await run("\(Repository.root)/scripts/\(script)", ["--help"], in: sandbox)
            outcome.expect(0)
            #expect(outcome.output.contains("scripts/\(script)"), "\(outcome.output)")
            #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        }
    }

    @Test("the tool's help comes from the existing binary, and the tool is built only if there is none")
    func helpOfTheToolIsNotBuilt() async throws {
        try await Sandbox.open { sandbox in
            try furnish(sandbox)
            let clone = sandbox.root + "/clone"
            // Another process makes it, because no process can run a file that these tests have open for writing.
            let made = try await sandbox.shell(
                """
                mkdir -p "$CLONE/.build/release" && cp -R "$SCRIPTS" "$CLONE"
                printf '#!%s\\necho "the tool: $*"\\n' "$(command -v sh)" >"$CLONE/.build/release/ferry"
                chmod 755 "$CLONE/.build/release/ferry"
                """,
                environment: ["CLONE": clone, "SCRIPTS": Repository.root + "/scripts"]
            )
            made.expect(0)
            for words in [["--help"], ["-h"], ["help", "get"]] {
                let told = try await run(clone + "/scripts/ferry", words, in: sandbox)
                told.expect(0)
                #expect(told.output == "the tool: \(words.joined(separator: " "))\n")
            }
            // An old binary is used only for its help.
            let refused = try await run(clone + "/scripts/ferry", ["get", "--help"], in: sandbox)
            refused.expect(1)
            #expect(refused.errors.contains("Swift was not found"), "\(refused.errors)")
            try FileManager.default.removeItem(atPath: clone + "/.build/release/ferry")
            let missing = try await run(clone + "/scripts/ferry", ["--help"], in: sandbox)
            missing.expect(1)
            #expect(missing.output.isEmpty && missing.errors.contains("Swift was not found"))
        }
    }

    @Test("a release has Swift's libraries in it and exports no symbols, if the toolchain has them to link")
    func aReleaseExportsNoSymbols() async throws {
        try await Sandbox.open { sandbox in
            let outcome = try await sandbox.shell(
                """
                mkdir "$BIN"
                cat >"$BIN/swift" <<END
                #!/bin/sh
                echo '"runtimeResourcePath": "$BIN/of-swift"'
                END
                chmod 755 "$BIN/swift"
                PATH=$BIN:$PATH
                bash -euo pipefail -c 'source "$1/scripts/lib/prelude.sh"; release_options' - "$REPOSITORY"
                echo and
                mkdir -p "$BIN/of-swift_static/linux"
                bash -euo pipefail -c 'source "$1/scripts/lib/prelude.sh"; release_options' - "$REPOSITORY"
                """,
                environment: ["BIN": sandbox.root + "/bin", "REPOSITORY": Repository.root]
            )
            outcome.expect(0)
            #expect(outcome.output == "and\n--static-swift-stdlib\n-Xlinker\n--no-export-dynamic\n")
        }
    }

    /// Counts the test results in the output of a shell command; another command reads the count.
    private func tally(
        of tests: String,
        run commands: String = #"run_tests "$BIN/log""#,
        readBy reader: String,
        in sandbox: Sandbox
    ) async throws -> Outcome {
        try await sandbox.shell(
            """
            mkdir -p "$BIN"
            printf '#!/bin/sh\necho "%s"\n' "$BIN" >"$BIN/swift"
            printf '#!/bin/sh\n%s\n' "$STAND_IN" >"$BIN/ferryPackageTests.xctest"
            chmod 755 "$BIN"/*
            bash -euo pipefail -c \
                'PATH=$BIN:$PATH; source "$1/scripts/lib/tally.sh"; \(commands); print_tally' \
                - "$REPOSITORY" | \(reader)
            """,
            environment: [
                "BIN": sandbox.root + "/bin", "REPOSITORY": Repository.root, "STAND_IN": tests,
            ]
        )
    }

    @Test("all tests are counted, even with a slow reader")
    func aSlowReaderTakesNoTestFromTheCount() async throws {
        try await Sandbox.open { sandbox in
            let count = 2_000
            // A shell reads a pipe byte by byte.
            let outcome = try await tally(
                of: """
                    i=0
                    while [ $i -lt \(count) ]; do i=$((i+1)); echo "✔ Test number_$i() passed after 0.001 seconds."; done
                    echo "✔ Test run with \(count) tests in 1 suite passed after 0.1 seconds."
                    """,
                readBy: "{ while IFS= read -r line; do last=$line; done; printf '%s' \"$last\"; }",
                in: sandbox
            )
            #expect(outcome.output == "\(count) passed, 0 failed")
        }
    }

    @Test("tests in the background have the lowest priority, and are shown and counted at the end")
    func testsInTheBackgroundAreCounted() async throws {
        try await Sandbox.open { sandbox in
            let outcome = try await tally(
                of: """
                    echo "niceness $(nice)"
                    echo "✔ Test any() passed after 0.001 seconds."
                    case "$*" in
                    *last)
                        echo "✘ Test bad() failed after 0.001 seconds."
                        echo "✘ Test run with 2 tests in 1 suite failed after 0.1 seconds with 1 issue."
                        exit 1
                        ;;
                    esac
                    echo "✔ Test run with 1 test in 1 suite passed after 0.1 seconds."
                    """,
                run: #"begin_tests "$BIN/last" last; run_tests "$BIN/first"; end_tests "$BIN/last""#,
                readBy: "cat",
                in: sandbox
            )
            let levels = outcome.output.matches(of: /niceness ([0-9]+)\n/).map { String($0.1) }
            #expect(levels.count == 2 && levels.last == "19", "\(outcome.output)")
            #expect(outcome.output.hasSuffix("2 passed, 1 failed\n"), "\(outcome.output)")
        }
    }

    @Test(
        "what runs beside the tests has the lowest priority, is shown, and fails the run if it fails",
        arguments: [(0, "1 passed, 0 failed\n"), (3, "What went wrong:\nbroken\n\n1 passed, 1 failed\n")]
    )
    func whatRunsBesideTheTestsIsWaitedFor(_ status: Int, _ end: String) async throws {
        try await Sandbox.open { sandbox in
            let command = #"sh -c "echo niceness \$(nice); exit \#(status)""#
            let outcome = try await tally(
                of: """
                    echo "✔ Test any() passed after 0.001 seconds."
                    echo "✔ Test run with 1 test in 1 suite passed after 0.1 seconds."
                    """,
                run: """
                    begin_beside "$BIN/beside" \(command); run_tests "$BIN/log"
                    end_beside "$BIN/beside" broken
                    """,
                readBy: "cat",
                in: sandbox
            )
            #expect(outcome.output.contains("niceness 19\n"), "\(outcome.output)")
            #expect(outcome.output.hasSuffix(end), "\(outcome.output)")
        }
    }

    @Test("a crashed run fails, and the end says which test was running")
    func aCrashIsToldAtTheEnd() async throws {
        try await Sandbox.open { sandbox in
            let outcome = try await tally(
                of: """
                    echo '◇ Test whole() started.'
                    echo '◇ Test broken() started.'
                    echo '✔ Test whole() passed after 0.001 seconds.'
                    echo 'Fatal error: what a pity' >&2
                    exit 1
                    """,
                readBy: "cat",
                in: sandbox
            )
            let end = try #require(
                outcome.output.components(separatedBy: "What went wrong:").dropFirst().first
            )
            #expect(end.contains("Fatal error: what a pity\nBegun and not ended:\nbroken()\n"), "\(end)")
            #expect(end.hasSuffix("1 passed, 1 failed\n"), "\(end)")
        }
    }
}
