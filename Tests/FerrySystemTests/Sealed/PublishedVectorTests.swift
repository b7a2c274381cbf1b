import Crypto
import Foundation
import Testing

/// Every published test vector of age (C2SP/CCTV), opened by the tool.
@Suite(
    "Published test vectors of age",
    .limitedParallelism,
    .enabled(if: !PublishedVector.names.isEmpty, "the vectors are not installed; scripts/test installs them"),
    .enabled(if: Tool.script.isInstalled && Tool.python.isInstalled, "script or python3 is not installed")
)
struct PublishedVectorTests {
    @Test(
        "is opened with the published bytes, or refused before a byte of it is printed",
        arguments: PublishedVector.names
    )
    func opens(_ name: String) async throws {
        let vector = try PublishedVector(name: name)
        try await Sandbox.open { sandbox in
            try vector.place(in: sandbox)
            let outcome = try await sandbox.shell(vector.line)
            #expect(outcome.status == vector.status, "\(vector.expectation): \(outcome)")
            let printed = try Data(contentsOf: URL(fileURLWithPath: sandbox.path(of: "out")))
            if vector.expectation == "success" {
                let digest = SHA256.hash(data: printed).map { String(format: "%02x", $0) }.joined()
                #expect(digest == vector.fields["payload"]?.first)
            } else {
                // The vectors allow the chunks before the damage. Ferry reads a file this short to its end first.
                #expect(printed.isEmpty)
            }
        }
    }

    @Test("all of them are there")
    func count() {
        #expect(PublishedVector.names.count >= 120)
    }
}

/// A file of the published vectors: lines `field: value`, an empty line, and a sealed file.
private struct PublishedVector {
    private static let directory = "\(Repository.root)/.build-tools/vectors/testdata"

    /// The names of all vectors that are installed.
    static let names: [String] =
        FileManager.default.subpaths(atPath: directory)?.sorted() ?? []

    let name: String
    /// The values of each field, in their order.
    let fields: [String: [String]]
    private let sealed: Data

    init(name: String) throws {
        let whole = try Data(contentsOf: URL(fileURLWithPath: "\(Self.directory)/\(name)"))
        let end = try #require(whole.firstRange(of: Data("\n\n".utf8)))
        let lines = String(decoding: whole[..<end.lowerBound], as: UTF8.self).split(separator: "\n")
        self.name = name
        fields = Dictionary(grouping: lines.map { $0.split(separator: ":", maxSplits: 1) }) { String($0[0]) }
            .mapValues { $0.map { $0[1].trimmingCharacters(in: .whitespaces) } }
        sealed = whole[end.upperBound...]
    }

    var expectation: String { fields["expect"]?.first ?? "nothing" }

    /// The exit status for what the vector expects.
    var status: Int32? {
        switch expectation {
        case "success": 0
        case "no match": 24
        // The header ends where it should, and the file does not reach the end of its nonce: it was cut short.
        case "header failure" where ["stream_no_nonce", "stream_short_nonce"].contains(name): 32
        case "header failure", "armor failure": 15
        case "HMAC failure", "payload failure": 32
        default: nil
        }
    }

    /// Writes the sealed file and its identities. Bytes that the vector compresses are decompressed by `line`.
    func place(in sandbox: Sandbox) throws {
        try sealed.write(to: URL(fileURLWithPath: sandbox.path(of: "vector")))
        let identities = fields["identity"] ?? []
        try Data(identities.joined(separator: "\n").utf8)
            .write(to: URL(fileURLWithPath: sandbox.path(of: "identities")))
        let passphrases = fields["passphrase"] ?? []
        try Data(passphrases.map { "\($0)\n" }.joined().utf8)
            .write(to: URL(fileURLWithPath: sandbox.path(of: "passphrases")))
    }

    /// The line that opens the file into `out`. A passphrase is typed on a terminal.
    var line: String {
        let compressed = fields["compressed"] != nil
        let program = "import sys,zlib; sys.stdout.buffer.write(zlib.decompress(sys.stdin.buffer.read()))"
        let unpack = compressed ? "python3 -c '\(program)' < vector > sealed.age; " : "mv vector sealed.age; "
        let keys = fields["identity"] == nil ? "" : "-i identities"
        guard fields["passphrase"] != nil else { return unpack + "ferry open sealed.age -o - \(keys) > out" }
        let open = "'\(Repository.ferry)' open sealed.age -o - \(keys) > out"
        return unpack + "script -qec \"\(open)\" /dev/null < passphrases"
    }
}
