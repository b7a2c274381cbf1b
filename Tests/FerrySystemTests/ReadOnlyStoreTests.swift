import Foundation
import Glibc
import Testing

/// A store that can be read but not written.
@Suite(
    "Read-only stores",
    .limitedParallelism,
    .enabled(if: Tool.canRestrict, "not root, or no unshare or setpriv")
)
struct ReadOnlyStoreTests {
    /// Runs a shell command with the store on a read-only file system.
    private func readOnly(_ line: String, in sandbox: Sandbox) async throws -> Outcome {
        let mount =
            "mount --bind \"$FERRY_DATA_DIR\" \"$FERRY_DATA_DIR\" && mount -o remount,ro,bind \"$FERRY_DATA_DIR\""
        return try await sandbox.launch(
            executable: try Tool("unshare").requiredPath(),
            ["-m", "sh", "-c", "\(mount) && ferry() { '\(Repository.ferry)' \"$@\"; } && \(line)"]
        ).outcome()
    }

    @Test("list and show read a store that no process has open, and leave no files")
    func closed() async throws {
        try await Sandbox.open { sandbox in
            try await sandbox.ferry("add", "http://127.0.0.1:1/one", "http://127.0.0.1:1/two").expect(0)
            let before = try FileManager.default.contentsOfDirectory(atPath: sandbox.data).sorted()
            let list = try await readOnly(
                "ferry list --json && ferry show 2 && ferry queue list",
                in: sandbox
            )
            list.expect(0)
            #expect(list.output.contains("/one") && list.output.contains("/two"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.data).sorted() == before)
            let rest = try FileManager.default.contentsOfDirectory(atPath: sandbox.root)
            #expect(!rest.contains { $0.hasPrefix("ferry-") }, "\(rest)")
        }
    }

    @Test(
        "a store can be read on a file system that became read-only after an error, while its process still runs",
        .enabled(if: Tool("mkfs.ext4").isInstalled, "mkfs.ext4 is not installed")
    )
    func afterAnErrorOfTheDisk() async throws {
        try await Sandbox.open { sandbox in
            let script = """
                set -eu; ferry() { '\(Repository.ferry)' "$@"; }
                truncate -s 32M "$TMPDIR/disk"; mkfs.ext4 -q "$TMPDIR/disk"; mkdir "$TMPDIR/mount"
                mount -o loop "$TMPDIR/disk" "$TMPDIR/mount" || { echo no loop device; exit 0; }
                export FERRY_DATA_DIR="$TMPDIR/mount/store"
                ferry add http://127.0.0.1:1/one
                # It keeps the store open, with its log.
                mkfifo "$TMPDIR/held"
                '\(Repository.ferry)' run --forever 2> "$TMPDIR/held" & runner=$!
                exec 9< "$TMPDIR/held"; head -n 1 <&9 > /dev/null
                mount -o remount,abort "$TMPDIR/mount"
                ferry list --json; ferry show 1; ferry queue list
                ferry pause 1 && exit 1 || echo "pause ended with $?"
                kill $runner || true; wait $runner || true
                umount "$TMPDIR/mount"
                """
            let outcome = try await sandbox.launch(
                executable: try Tool("unshare").requiredPath(),
                ["-m", "sh", "-c", script]
            ).outcome()
            outcome.expect(0)
            guard !outcome.output.contains("no loop device") else { return }
            #expect(outcome.output.contains("\"id\":1"), "\(outcome.output)")
            #expect(outcome.output.contains("Transfer 1"), "\(outcome.output)")
            #expect(outcome.output.contains("pause ended with 15"))
            #expect(outcome.errors.contains("read-only"), "\(outcome.errors)")
        }
    }

    @Test(
        "watch says that nothing would change, and does not show an old state forever",
        arguments: ["", "1"]
    )
    func watch(_ id: String) async throws {
        try await Sandbox.open { sandbox in
            try await sandbox.ferry("add", "http://127.0.0.1:1/one").expect(0)
            let watch = try await readOnly("ferry watch \(id)", in: sandbox)
            watch.expect(15)
            #expect(
                watch.errors.contains("read-only") && watch.errors.contains("`ferry list`"),
                "\(watch.errors)"
            )
        }
    }

    @Test("list and show read the latest writes of a running process, and do not disturb it")
    func whileWritten() async throws {
        let content = Content(count: 4 * .mebibyte, seed: 821)
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            if request.ordinal == 1 { reply.cut = .init(bytes: .mebibyte, then: .stall) }
            return reply
        } _: { sandbox, server in
            let process = try sandbox.launch(["get", "-x", "1", server.url("file")])
            let seen = try await sandbox.transferBecomes("half done") { $0.received > 0 }
            let list = try await readOnly("ferry list --json", in: sandbox)
            list.expect(0)
            let read = try #require(try ListedTransfer.all(in: list.output).first)
            #expect(read.id == seen.id && read.received >= seen.received)
            #expect(read.process == Int(process.pid))
            process.send(SIGINT)
            try await process.outcome().expect(7)
            try await sandbox.ferry("get", server.url("file")).expect(0)
            try sandbox.expectOnly("file", content)
        }
    }

    @Test("list reads the store of another user with permission, and steering commands say why they cannot")
    func ofAnotherUser() async throws {
        try await Sandbox.open { sandbox in
            try await sandbox.ferry("add", "http://127.0.0.1:1/one").expect(0)
            try await sandbox.shell(
                "chmod 755 \"$FERRY_DATA_DIR\"; chmod 644 \"$FERRY_DATA_DIR\"/*; chmod 777 \"$TMPDIR\""
            )
            .expect(0)
            func another(_ words: String) async throws -> Outcome {
                try await sandbox.shell(
                    "setpriv --reuid 64321 --clear-groups '\(Repository.ferry)' \(words)"
                )
            }
            let list = try await another("list --json")
            list.expect(0)
            #expect(list.output.contains("/one"))
            for words in ["pause 1", "cancel 1", "add http://127.0.0.1:1/two", "run", "edit 1 --priority 3"] {
                let refused = try await another(words)
                refused.expect(15)
                #expect(refused.errors.contains("read-only for you"), "\(words): \(refused.errors)")
                #expect(refused.errors.contains(sandbox.data), "\(words): \(refused.errors)")
            }
            #expect(try await sandbox.transfers().map(\.state) == ["queued"])
        }
    }
}

extension Tool {
    /// Whether a test may mount file systems and run as another user.
    fileprivate static var canRestrict: Bool {
        getuid() == 0 && Tool("unshare").isInstalled && Tool("setpriv").isInstalled
    }
}
