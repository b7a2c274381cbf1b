import ArgumentParser
import Ferry
import FerryTesting
import Foundation
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// Downloads without anything to verify them: reported, and refused with `--require-checksum`.
@Suite struct UnverifiedTests {
    private static let sha256 = String(repeating: "1", count: 64)
    private static let url = "https://one.example/x"

    private static func metalink(_ content: String) -> String {
        "<?xml version=\"1.0\"?><metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">"
            + "<file name=\"a.iso\">\(content)<url>\(url)</url></file></metalink>"
    }

    /// The plan of a command line, with documents by URL and local files by name.
    private func plan(
        _ words: [String],
        at documents: [String: String] = [:],
        files: [String: String] = [:]
    ) async throws -> DownloadPlan {
        let directory = NSTemporaryDirectory() + "ferry-unverified-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: directory) } }
        for (name, text) in files {
            try Data(text.utf8).write(to: URL(fileURLWithPath: directory + "/" + name))
        }
        let arguments = words.map { files[$0] == nil ? $0 : directory + "/" + $0 }
        var plan = try DownloadPlan(
            GetCommand.parse(arguments).input.download,
            environment: Sample.environment
        )
        let fetch = DocumentFetch { url, _, _ in
            guard let text = documents[url.absoluteString] else {
                throw TransferFailure(.notFound, "There is nothing at \(url.redacted) (404).")
            }
            return Array(text.utf8)
        }
        if !plan.isComplete { try await plan.complete(fetch) }
        return plan
    }

    /// The digests of a file in a Metalink, and the types that a warning names; `nil` without a warning.
    static let metalinks: [(content: String, named: String?)] = [
        ("<hash type=\"blake3\">00</hash>", "blake3"),
        ("<hash>\(sha256)</hash>", "a hash without a type"),
        ("<hash type=\"\">\(sha256)</hash>", "a hash without a type"),
        ("<hash type=\"whirlpool\">00</hash><hash type=\"sha3-256\">00</hash>", "whirlpool, sha3-256"),
        ("<hash type=\"whirlpool\">00</hash><hash type=\"whirlpool\">01</hash>", "(whirlpool)"),
        ("<pieces type=\"tiger\" length=\"4\"><hash>00</hash></pieces>", "tiger"),
        ("<pieces length=\"4\"><hash>00</hash></pieces>", "a hash without a type"),
        ("<hash type=\"a\u{9B}31m\">00</hash>", "…"),
        ("<hash type=\"blake3\">00</hash><hash type=\"sha-256\">\(sha256)</hash>", nil),
        (
            "<hash type=\"blake3\">00</hash><pieces type=\"sha-256\" length=\"4\"><hash>\(sha256)</hash></pieces>",
            nil
        ),
        ("", nil),
    ]

    @Test(arguments: metalinks.indices, [true, false])
    func aMetalinkOfUnknownDigestsIsTold(_ index: Int, isLocal: Bool) async throws {
        let (content, named) = Self.metalinks[index]
        let text = Self.metalink(content)
        let place = isLocal ? "m.meta4" : "https://docs.example/m.meta4"
        let plan = try await plan(
            ["--metalink", place],
            at: [place: text],
            files: isLocal ? [place: text] : [:]
        )
        #expect(try plan.transfers.count == 1)
        guard let named else { return #expect(plan.warnings == []) }
        #expect(plan.warnings.count == 1, "\(plan.warnings)")
        let warning = try #require(plan.warnings.first)
        #expect(warning.contains("a.iso") && warning.contains("not be verified"), "\(warning)")
        #expect(warning.contains(named), "\(warning)")
    }

    @Test func manyUnknownTypesMakeAShortWarning() async throws {
        let hashes = (0..<1000).map { "<hash type=\"\(String(repeating: "x", count: 500))\($0)\">0</hash>" }
        let text = Self.metalink(hashes.joined())
        let warnings = try await plan(["--metalink", "m.meta4"], files: ["m.meta4": text]).warnings
        #expect(warnings.count == 1 && warnings[0].utf8.count < 1000)
    }

    @Test(arguments: [
        ["--checksum", "sha256=\(sha256)"],
        ["--checksum-file", "sums"],
        ["--checksum-file", "https://docs.example/sums"],
    ])
    func aDigestOfTheUserSilencesTheWarning(_ words: [String]) async throws {
        let text = Self.metalink("<hash type=\"blake3\">00</hash>")
        let sums = "\(Self.sha256)  x\n"
        let plan = try await plan(
            ["--metalink", "m.meta4", "--require-checksum"] + words,
            at: ["https://docs.example/sums": sums],
            files: ["m.meta4": text, "sums": sums]
        )
        #expect(plan.warnings == [])
        #expect(try plan.transfers[0].specification.options.checksum?.hex == Self.sha256)
    }

    /// Command lines, the documents at URLs, and whether each download can be verified.
    static let requirements: [(words: [String], documents: [String: String], isMet: Bool)] = [
        ([url], [:], false),
        ([url, "--checksum", "crc32=00000000"], [:], true),
        ([url, "--checksum-sidecar"], ["\(url).sha256": sha256], true),
        (
            ["--metalink", "https://d.example/m"],
            ["https://d.example/m": metalink("<hash type=\"x\">0</hash>")], false
        ),
        (["--metalink", "https://d.example/m"], ["https://d.example/m": metalink("")], false),
        (
            ["--metalink", "https://d.example/m"],
            ["https://d.example/m": metalink("<hash type=\"sha-256\">\(sha256)</hash>")], true
        ),
        (
            ["--metalink", "https://d.example/m"],
            [
                "https://d.example/m": metalink(
                    "<pieces type=\"sha-256\" length=\"4\"><hash>\(sha256)</hash></pieces>"
                )
            ], true
        ),
    ]

    @Test(arguments: requirements.indices)
    func whatNothingIsKnownOfIsRefusedWhenAsked(_ index: Int) async throws {
        let (line, documents, isMet) = Self.requirements[index]
        let words = line + ["--require-checksum"]
        guard !isMet else {
            _ = try await plan(words, at: documents)
            return
        }
        let failure = try await #require(throws: CommandFailure.self) {
            try await plan(words, at: documents)
        }
        #expect(failure.status == .usage)
        #expect(failure.hint?.contains("Nothing was downloaded") == true, "\(failure)")
    }

    @Test func everyLineOfAListNeedsItsDigestWhenAsked() async throws {
        let good = "https://h/a\n checksum=sha256=\(Self.sha256)\n"
        _ = try await plan(["-i", "list", "--require-checksum"], files: ["list": good])
        let failure = try await #require(throws: CommandFailure.self) {
            try await plan(["-i", "list", "--require-checksum"], files: ["list": good + "https://h/b\n"])
        }
        #expect(failure.message.contains("https://h/b"), "\(failure)")
    }

    /// A checksum with an algorithm that Ferry does not know is refused.
    @Test(arguments: [
        (["--checksum", "blake3=\(sha256)"], ""),
        (["--checksum-file", "https://docs.example/sums"], "BLAKE2b (x) = \(sha256)\(sha256)\n"),
        (["--checksum-file", "https://docs.example/sums"], "BLAKE2b (x) = 00\n\(sha256)  y\n"),
        (["--checksum-file", "https://docs.example/sums"], "\(sha256.prefix(56))  x\n"),
        (["--checksum-sidecar"], "BLAKE2b (x) = 00\n"),
    ])
    func anUnknownAlgorithmElsewhereIsRefused(_ words: [String], _ text: String) async throws {
        let failure = try await #require(throws: (any Error).self) {
            try await plan(
                [Self.url] + words,
                at: ["https://docs.example/sums": text, "\(Self.url).sha256": text]
            )
        }
        #expect((failure as? CommandFailure)?.status == .usage)
    }
}
