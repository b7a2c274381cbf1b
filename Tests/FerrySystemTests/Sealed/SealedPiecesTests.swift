import Foundation
import Testing

/// Sealed downloads of which the digest of each piece is known.
@Suite(
    "Pieces of sealed downloads",
    .limitedParallelism,
    .enabled(
        if: Tool.age.isInstalled && Tool.ageKeygen.isInstalled,
        "age is not installed; scripts/test installs it"
    )
)
struct SealedPiecesTests {
    private static let piece = 400_000
    private static let right = Content(count: 3 * piece, seed: 641)

    /// The file with one wrong octet in its last piece. No piece but the first begins with a chunk.
    private static let wrong: Content = {
        var bytes = right.bytes
        bytes[bytes.startIndex + 2 * piece + 140_000] ^= 1
        return Content(bytes: bytes)
    }()

    /// A Metalink of the right file, with the digests of its pieces.
    private func metalink(_ url: String, in sandbox: Sandbox) async throws -> String {
        try Self.right.bytes.write(to: URL(fileURLWithPath: sandbox.path(of: "right")))
        let sums = try await sandbox.shell(
            "for i in 0 1 2; do dd if=right bs=\(Self.piece) skip=$i count=1 status=none | sha256sum; done"
        )
        sums.expect(0)
        let hashes = sums.output.split(separator: "\n").map { "<hash>\($0.prefix(64))</hash>" }
        let text = """
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="file.bin"><size>\(Self.right.count)</size>
            <pieces type="sha-256" length="\(Self.piece)">\(hashes.joined())</pieces>
            <url>\(url)</url></file></metalink>
            """
        let path = sandbox.root + "/m.meta4"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// The beginning of a sealed file. It has the share of the file key, which is drawn for each key.
    private func header(of name: String, in sandbox: Sandbox) throws -> Data {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: sandbox.path(of: name))).prefix(150)
        #expect(bytes.starts(with: Data("age-encryption.org/v1\n".utf8)))
        return bytes
    }

    @Test("a wrong piece is not mended under the same key: all of the file is sealed again under another one")
    func wrongPieceOfSeveral() async throws {
        let gate = Gate()
        defer { gate.open() }
        try await ScriptedServer.run { request in
            guard request.ordinal == 1 else { return .serving(Self.right, tag: "\"a\"", to: request) }
            var reply = ScriptedReply.serving(Self.wrong, tag: "\"a\"", to: request)
            reply.gates = [(1_000_000, gate)]
            return reply
        } _: { sandbox, server in
            let key = try #require(try await SealedKeys.make(in: sandbox, count: 1).first)
            let list = try await metalink(server.url("file.bin"), in: sandbox)
            let line = ["get", "-x", "1", "--seal-to", key.recipient, "--metalink", list]
            let download = try sandbox.launch(line)
            try await Deadline.wait(for: "a record", said: { download.errorsSoFar }) {
                try await sandbox.transfers().contains { $0.received > 500_000 }
            }
            let former = try header(of: "file.bin.age.part", in: sandbox)
            gate.open()
            try await download.outcome().expect(0)
            #expect(server.requests.map { $0.rangeStart ?? 0 } == [0, 0])
            #expect(try header(of: "file.bin.age", in: sandbox) != former)
            try await sandbox.shell("age -d -i '\(key.file)' file.bin.age > opened").expect(0)
            #expect(Self.right.isWhole(at: sandbox.path(of: "opened")))
        }
    }
}
