import Foundation
import Glibc
import Synchronization
import Testing

/// `ferry get --seal-to`: bytes are sealed as they arrive.
@Suite(
    "Sealed downloads",
    .limitedParallelism,
    .enabled(
        if: Tool.age.isInstalled && Tool.ageKeygen.isInstalled,
        "age is not installed; scripts/test installs it"
    )
)
struct SealedDownloadTests {
    private static let content = Content(count: 1_500_001, seed: 71)

    private func serving(
        _ content: Content = Self.content,
        _ body: (Sandbox, SealedKeys, ScriptedServer) async throws -> Void
    ) async throws {
        try await ScriptedServer.run {
            ScriptedReply.serving(content, tag: "\"a\"", to: $0)
        } _: { sandbox, server in
            let key = try #require(try await SealedKeys.make(in: sandbox, count: 1).first)
            try await body(sandbox, key, server)
        }
    }

    /// Nothing, one byte, a chunk less, whole or more, a file without a name at first and one with.
    @Test("age opens what arrived", arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 300_001, 1_500_001])
    func opened(length: Int) async throws {
        let content = Content(count: length, seed: 72)
        try await serving(content) { sandbox, key, server in
            try await sandbox.ferry("get", "--seal-to", key.recipient, server.url("file.bin")).expect(0)
            #expect(try sandbox.fileNames() == ["file.bin.age"])
            try await sandbox.shell("age -d -i '\(key.file)' file.bin.age > opened").expect(0)
            #expect(content.isWhole(at: sandbox.path(of: "opened")))
        }
    }

    @Test("age opens what arrived without a length", arguments: [0, 1, 65_536, 65_537, 131_072])
    func openedWithoutALength(length: Int) async throws {
        let content = Content(count: length, seed: 74)
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            reply.framing = .chunked
            return reply
        } _: { sandbox, server in
            let key = try #require(try await SealedKeys.make(in: sandbox, count: 1).first)
            try await sandbox.ferry("get", "--seal-to", key.recipient, server.url("file.bin")).expect(0)
            try await sandbox.shell("age -d -i '\(key.file)' file.bin.age > opened").expect(0)
            #expect(content.isWhole(at: sandbox.path(of: "opened")))
        }
    }

    @Test("the same command finds the file complete, and another one does not replace it")
    func repeated() async throws {
        try await serving { sandbox, key, server in
            let line = ["get", "--seal-to", key.recipient, server.url("file.bin")]
            try await sandbox.launch(line).outcome().expect(0)
            let count = server.requests.count
            let again = try await sandbox.launch(line).outcome()
            again.expect(0)
            #expect(server.requests.count == count && again.errors.contains("already complete"), "\(again)")
            // Bytes in clear are another download, to another name.
            try await sandbox.ferry("get", server.url("file.bin")).expect(0)
            #expect(try sandbox.fileNames() == ["file.bin", "file.bin.age"])
            let verified = try await sandbox.ferry("verify", "1")
            #expect(verified.status != 0 && verified.errors.contains("sealed"), "\(verified)")
            let shown = try await sandbox.ferry("show", "1", "--json")
            #expect(!shown.output.contains("\"key\""), "\(shown)")
            try await sandbox.ferry("get", "--update", "--seal-to", key.recipient, server.url("file.bin"))
                .expect(0)
            try await sandbox.shell("age -d -i '\(key.file)' file.bin.age > opened").expect(0)
            #expect(Self.content.isWhole(at: sandbox.path(of: "opened")))
        }
    }

    @Test("each recipient of a file opens what was added, and a file without recipients is refused")
    func recipientsInAFile() async throws {
        try await serving { sandbox, _, server in
            let keys = try await SealedKeys.make(in: sandbox, count: 2, from: 1)
            let lines = ["# the team", ""] + keys.map(\.recipient)
            let team = lines.joined(separator: "\n")
            for (name, text) in [("team", team), ("empty", ""), ("wrong", "age1x\n")] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: sandbox.path(of: name)))
            }
            for name in ["empty", "wrong", "missing"] {
                try await sandbox.ferry("add", "--seal-to-file", name, server.url("file.bin")).expect(15)
            }
            try await sandbox.ferry("add", "--seal-to-file", "team", server.url("file.bin")).expect(0)
            #expect(server.requests.isEmpty)
            try await sandbox.ferry("run").expect(0)
            for key in keys {
                try await sandbox.shell("age -d -i '\(key.file)' file.bin.age > opened").expect(0)
                #expect(Self.content.isWhole(at: sandbox.path(of: "opened")))
            }
            let count = server.requests.count
            let reversed = keys.reversed().flatMap { ["--seal-to", $0.recipient] }
            let again = try await sandbox.launch(["get"] + reversed + [server.url("file.bin")]).outcome()
            again.expect(0)
            #expect(server.requests.count == count && again.errors.contains("already complete"), "\(again)")
        }
    }

    @Test("a digest is that of the bytes in clear, and a file without it is not saved")
    func digests() async throws {
        let content = Content("checked")
        try await serving(content) { sandbox, key, server in
            let sum = try await sandbox.shell("printf checked | sha256sum | cut -d' ' -f1").output
            let digest = sum.trimmingCharacters(in: .whitespacesAndNewlines)
            let line = ["get", "--seal-to", key.recipient, server.url("file.bin"), "--checksum"]
            let wrong = "sha256=" + String(repeating: "0", count: 64)
            try await sandbox.launch(line + [wrong]).outcome().expect(32)
            #expect(try sandbox.fileNames().filter { $0.hasSuffix(".age") } == [])
            try await sandbox.launch(line + ["sha256=\(digest)"]).outcome().expect(0)
            try await sandbox.shell("age -d -i '\(key.file)' file.bin.age > opened").expect(0)
            #expect(content.isWhole(at: sandbox.path(of: "opened")))
        }
    }

    @Test("what cannot be sealed is refused before a request is sent")
    func refused() async throws {
        try await serving { sandbox, key, server in
            let url = server.url("file.bin")
            let secret = try await sandbox.shell("grep AGE-SECRET '\(key.file)'").output.split(
                separator: "\n"
            )
            let lines = [
                ["get", "--seal-to", key.recipient, "-o", "-", url], ["get", "--seal-to", "age1x", url],
                ["get", "--seal-to", String(secret[0]), url], ["add", "--seal-to", "", url],
                ["get", "--adopt", "--seal-to", key.recipient, url],
            ]
            for line in lines {
                let outcome = try await sandbox.launch(line).outcome()
                outcome.expect(64)
                #expect(!outcome.errors.contains("AGE-SECRET-KEY-1"), "\(outcome)")
            }
            #expect(server.requests.isEmpty)
            #expect(try sandbox.fileNames() == [])
        }
    }

    /// The preamble is written again. Of a chunk, the bytes in clear are lost.
    @Test(
        "a part file that was emptied or damaged does not spoil the file",
        arguments: [
            (": > file.bin.age.part", true, true),
            ("dd if=/dev/zero of=file.bin.age.part bs=150 count=1 conv=notrunc", false, true),
            ("dd if=/dev/zero of=file.bin.age.part bs=100 seek=800 count=1 conv=notrunc", true, true),
            ("dd if=/dev/zero of=file.bin.age.part bs=100 seek=800 count=1 conv=notrunc", true, false),
        ]
    )
    func damagedPart(damage: String, hasOtherKey: Bool, hasDigest: Bool) async throws {
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            if request.ordinal == 1 { reply.cut = .init(bytes: 900_000, then: .stall) }
            return reply
        } _: { sandbox, server in
            let key = try #require(try await SealedKeys.make(in: sandbox, count: 1).first)
            let path = URL(fileURLWithPath: sandbox.path(of: "clear"))
            try Self.content.bytes.write(to: path)
            let sum = try await sandbox.shell("sha256sum clear | cut -d' ' -f1").output
            let digest = "sha256=" + sum.trimmingCharacters(in: .whitespacesAndNewlines)
            let line =
                ["get", "-x", "1", "--seal-to", key.recipient, server.url("file.bin")]
                + (hasDigest ? ["--checksum", digest] : [])
            let process = try sandbox.launch(line)
            try await Deadline.wait(for: "a record", said: { process.errorsSoFar }) {
                try await sandbox.transfers().contains { $0.received > 500_000 }
            }
            process.send(SIGKILL)
            _ = try await process.outcome()
            let former = try header(of: "file.bin.age.part", in: sandbox)
            try await sandbox.shell(damage).expect(0)
            try await sandbox.launch(line).outcome().expect(0)
            let saved = try header(of: "file.bin.age", in: sandbox)
            #expect((saved != former) == hasOtherKey)
            try await sandbox.shell("age -d -i '\(key.file)' file.bin.age > opened").expect(0)
            #expect(Self.content.isWhole(at: sandbox.path(of: "opened")))
        }
    }

    @Test("a version that comes after an unfinished one is sealed under another key")
    func newVersion() async throws {
        let other = Content(count: 1_400_000, seed: 73)
        let isReplaced = Flag()
        try await ScriptedServer.run { request in
            if isReplaced.isSet { return .serving(other, tag: "\"b\"", to: request) }
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            reply.cut = .init(bytes: 900_000, then: .stall)
            return reply
        } _: { sandbox, server in
            let key = try #require(try await SealedKeys.make(in: sandbox, count: 1).first)
            let line = ["get", "-x", "1", "--seal-to", key.recipient, server.url("file.bin")]
            let process = try sandbox.launch(line)
            try await Deadline.wait(for: "a record", said: { process.errorsSoFar }) {
                try await sandbox.transfers().contains { $0.received > 500_000 }
            }
            process.send(SIGKILL)
            _ = try await process.outcome()
            // The header has the share of the file key, which is drawn for each key.
            let former = try header(of: "file.bin.age.part", in: sandbox)
            isReplaced.set()
            try await sandbox.launch(line).outcome().expect(0)
            #expect(try header(of: "file.bin.age", in: sandbox) != former)
            try await sandbox.shell("age -d -i '\(key.file)' file.bin.age > opened").expect(0)
            #expect(other.isWhole(at: sandbox.path(of: "opened")))
        }
    }

    @Test("a file with a wrong piece starts over by itself, and is complete for the same command")
    func wrongPiece() async throws {
        let (wrong, right) = (Content("changed"), Content("checked"))
        let isAsked = Flag()
        try await ScriptedServer.run { request in
            let content = isAsked.isSet ? right : wrong
            isAsked.set()
            return .serving(content, tag: "\"a\"", to: request)
        } _: { sandbox, server in
            let key = try #require(try await SealedKeys.make(in: sandbox, count: 1).first)
            let sum = try await sandbox.shell("printf checked | sha256sum | cut -d' ' -f1").output
            let digest = sum.trimmingCharacters(in: .whitespacesAndNewlines)
            let text = """
                <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="file.bin"><size>7</size>
                <pieces type="sha-256" length="7"><hash>\(digest)</hash></pieces>
                <url>\(server.url("file.bin"))</url></file></metalink>
                """
            let path = sandbox.root + "/m.meta4"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            let line = ["get", "--seal-to", key.recipient, "--metalink", path]
            try await sandbox.launch(line).outcome().expect(0)
            #expect(server.requests.count == 2)
            try await sandbox.shell("age -d -i '\(key.file)' file.bin.age > opened").expect(0)
            #expect(right.isWhole(at: sandbox.path(of: "opened")))
            let again = try await sandbox.launch(line).outcome()
            again.expect(0)
            #expect(server.requests.count == 2 && again.errors.contains("already complete"), "\(again)")
        }
    }

    /// The beginning of a sealed file.
    private func header(of name: String, in sandbox: Sandbox) throws -> Data {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: sandbox.path(of: name))).prefix(150)
        #expect(bytes.starts(with: Data("age-encryption.org/v1\n".utf8)))
        return bytes
    }

    /// A file, which may be replaced.
    private final class ServedFile: Sendable {
        let state = Mutex((content: Content(""), tag: "\"a\""))
    }

    /// A server of one sealed file with sections, which may change. It notes which bytes were asked for.
    private func servingSections(
        _ body: (Sandbox, SealedKeys, ScriptedServer, ServedFile) async throws -> Void
    ) async throws {
        let served = ServedFile()
        try await ScriptedServer.run { request in
            let (content, tag) = served.state.withLock { $0 }
            if let wanted = request["if-match"], wanted != tag { return ScriptedReply(status: 412) }
            return .serving(content, tag: tag, to: request)
        } _: { sandbox, server in
            let key = try #require(try await SealedKeys.make(in: sandbox, count: 1).first)
            for (name, count) in [("data", 3_000_000), ("thumb", 200_000), ("meta", 10)] {
                let path = URL(fileURLWithPath: sandbox.path(of: name))
                try Content(count: count, seed: UInt64(count)).bytes.write(to: path)
            }
            let seal = "ferry seal data --metadata meta --thumbnail thumb --to \(key.recipient) -o sealed"
            try await sandbox.shell(seal).expect(0)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: sandbox.path(of: "sealed")))
            served.state.withLock { $0.content = Content(bytes: bytes) }
            try await body(sandbox, key, server, served)
        }
    }

    @Test("a section of a file at a URL is opened without the rest, and all of it is of one version")
    func sectionsAtAServer() async throws {
        try await servingSections { sandbox, key, server, served in
            let cat = "ferry cat \(server.url("photo.age")) -i '\(key.file)'"
            try await sandbox.shell("\(cat) --section thumbnail | cmp - thumb").expect(0)
            let asked = server.requests.compactMap { $0["range"] }
            let length = served.state.withLock { $0.content.count }
            let sum = asked.reduce(0) { sum, range in
                let bounds = range.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
                return sum + min(bounds[1], length - 1) - bounds[0] + 1
            }
            #expect(asked.count == server.requests.count && asked.count <= 4, "\(asked)")
            #expect(sum < 600_000, "\(asked)")
            try await sandbox.shell("\(cat) --section metadata | cmp - meta").expect(0)
            try await sandbox.shell("\(cat) --section data | cmp - data").expect(0)

            // Another version: its header is fetched again.
            let other = "ferry seal data --metadata thumb --thumbnail meta --to \(key.recipient) -o other"
            try await sandbox.shell(other).expect(0)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: sandbox.path(of: "other")))
            served.state.withLock { $0 = (Content(bytes: bytes), "\"b\"") }
            try await sandbox.shell("\(cat) --section metadata | cmp - thumb").expect(0)
        }
    }

    @Test("an empty section costs no request beside those for the header and the last chunk")
    func emptySection() async throws {
        try await servingSections { sandbox, key, server, served in
            let seal = "ferry seal data --metadata meta --to \(key.recipient) -o other"
            try await sandbox.shell(seal).expect(0)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: sandbox.path(of: "other")))
            served.state.withLock { $0.content = Content(bytes: bytes) }
            let cat = "ferry cat \(server.url("photo.age")) -i '\(key.file)' --section thumbnail"
            let printed = try await sandbox.shell(cat)
            printed.expect(0)
            #expect(printed.output.isEmpty && server.requests.count == 2, "\(server.requests)")
        }
    }

    /// The header of so many recipients takes two requests.
    @Test(
        "a file that changes while it is read is opened in its new version",
        arguments: [(1, 1), (2, 1), (1, 800)]
    )
    func changesUnderWay(at number: Int, recipients: Int) async throws {
        try await servingSections { sandbox, key, _, _ in
            let team = Array(repeating: key.recipient, count: recipients).joined(separator: "\n")
            try Data(team.utf8).write(to: URL(fileURLWithPath: sandbox.path(of: "team")))
            try await sandbox.shell(
                "ferry seal data --metadata meta --thumbnail thumb --to-file team -o first"
            ).expect(0)
            try await sandbox.shell(
                "ferry seal data --metadata thumb --thumbnail meta --to \(key.recipient) -o other"
            ).expect(0)
            let first = Content(bytes: try Data(contentsOf: URL(fileURLWithPath: sandbox.path(of: "first"))))
            let second = Content(bytes: try Data(contentsOf: URL(fileURLWithPath: sandbox.path(of: "other"))))
            let count = Mutex(0)
            try await ScriptedServer.run { request in
                let isNew = count.withLock { count in
                    count += 1
                    return count > number
                }
                let (content, tag) = isNew ? (second, "\"b\"") : (first, "\"a\"")
                if let wanted = request["if-match"], wanted != tag { return ScriptedReply(status: 412) }
                return .serving(content, tag: tag, to: request)
            } _: { changing in
                let cat = "ferry cat \(changing.url("photo.age")) -i '\(key.file)' --section metadata"
                try await sandbox.shell("\(cat) | cmp - thumb").expect(0)
            }
        }
    }

    @Test(
        "a server without parts, a strong ETag or a possible length is refused, and so is a file that is not sealed"
    )
    func partsAreNeeded() async throws {
        try await ScriptedServer.run { request in
            let isWeak = request.path.contains("weak")
            let content = Content(count: 200_000, seed: 3)
            if request.path.contains("whole") { return ScriptedReply(body: Array(content.bytes)) }
            var reply = ScriptedReply.serving(content, tag: isWeak ? "W/\"a\"" : "\"a\"", to: request)
            for index in reply.fields.indices where request.path.contains("endless") {
                let value = reply.fields[index].value
                reply.fields[index].value = value.replacing("/\(content.count)", with: "/\(Int64.max)")
            }
            return reply
        } _: { sandbox, server in
            for (name, status, words) in [
                ("whole", 22, "sends no parts"), ("weak", 22, "no strong ETag"),
                ("endless", 22, "impossible length"), ("plain", 15, "not a sealed file"),
            ] as [(String, Int32, String)] {
                let outcome = try await sandbox.ferry("cat", server.url(name))
                outcome.expect(status)
                #expect(outcome.errors.contains(words), "\(outcome)")
            }
        }
    }

    private static let mark = "THESE BYTES LIE IN CLEAR"

    /// A file of `count` bytes that has the mark in each of its blocks.
    private static func marked(_ count: Int) -> Content {
        let line = (0..<8).map { "\(mark) \($0)\n" }.joined()
        let lines = Array(repeating: Data(line.utf8), count: count / line.utf8.count + 1).joined()
        return Content(bytes: Data(lines).prefix(count))
    }

    @Test(
        "nothing of it lies on the disk in clear, however often it is killed",
        .enabled(
            if: LoopDisk.isAllowed && Tool.nginx.isInstalled,
            "this user may not mount an image of a disk"
        )
    )
    func nothingInClear() async throws {
        let content = Self.marked(20 * .mebibyte + 777)
        try await Sandbox.open { sandbox in
            let key = try #require(try await SealedKeys.make(in: sandbox, count: 1).first)
            let server = try await sandbox.start(Nginx(), ServerOptions(bytesPerSecond: .mebibyte))
            let disk = try await LoopDisk(mebibytes: 160, in: sandbox)
            var (kills, number) = (0, 0)
            do {
                while kills < 20 {
                    number += 1
                    let name = "file-\(number)"
                    try sandbox.publish(content, as: name)
                    let line = [
                        "get", "-x", "8", "--seal-to", key.recipient, "-d", disk.path, server.url(name),
                    ]
                    while kills < 20, try await killed(line, in: sandbox) { kills += 1 }
                    try await sandbox.launch(line).outcome().expect(0)
                    try await sandbox.shell("age -d -i '\(key.file)' '\(disk.path)/\(name).age' > opened")
                        .expect(0)
                    #expect(content.isWhole(at: sandbox.path(of: "opened")))
                    try await sandbox.shell("rm '\(disk.path)/\(name).age'").expect(0)
                }
            } catch {
                try await disk.unmount(in: sandbox)
                throw error
            }
            try await disk.unmount(in: sandbox)
            try await server.becomesIdle()
            // A killed command had eight connections, unless little was left of its file.
            #expect(server.requests.count >= 4 * kills, "\(server.requests.count) requests, \(kills) kills")
            // The search finds what is there.
            let headers = try await sandbox.shell("grep -ac 'age-encryption.org/v1' '\(disk.image)'")
            #expect(headers.status == 0, "\(headers)")
            let clear = try await sandbox.shell(
                "grep -ac '\(Self.mark)' '\(disk.image)' \"$FERRY_DATA_DIR\"/*"
            )
            #expect(clear.status == 1, "\(clear)")
        }
    }

    /// Runs a download until it has recorded more than before, and kills it; returns `false` if it ended before.
    private func killed(_ line: [String], in sandbox: Sandbox) async throws -> Bool {
        func received() async throws -> Int {
            try await sandbox.transfers().filter { $0.state != "completed" }.map(\.received).max() ?? 0
        }
        let former = try await received()
        let process = try sandbox.launch(line)
        try await Deadline.wait(for: "more bytes", said: { process.errorsSoFar }) {
            if process.hasEnded { return true }
            return try await received() > former
        }
        process.send(SIGKILL)
        return try await process.outcome().exit == .signal(SIGKILL)
    }
}

/// A file system in an image file, so that a test can read every block of it.
struct LoopDisk {
    let image: String
    let path: String

    /// Whether this user may mount one.
    static let isAllowed =
        geteuid() == 0 && access("/dev/loop-control", R_OK | W_OK) == 0
        && ["/usr/sbin", "/sbin"].contains { access("\($0)/mkfs.ext4", X_OK) == 0 }

    /// Makes and mounts one.
    init(mebibytes: Int, in sandbox: Sandbox) async throws {
        (image, path) = ("\(sandbox.root)/disk.img", "\(sandbox.root)/disk")
        let line =
            "truncate -s \(mebibytes)M '\(image)' && mkfs.ext4 -q -F '\(image)' && mkdir '\(path)'"
            + " && mount -o loop '\(image)' '\(path)'"
        try await sandbox.shell(line).expect(0)
    }

    /// Unmounts it; the image has all bytes then.
    func unmount(in sandbox: Sandbox) async throws {
        try await sandbox.shell("umount '\(path)'").expect(0)
    }
}
