import Foundation
import Testing

/// Mirrors in a directory where names that differ only in case are one name.
@Suite(
    "Mirrors where two names are one",
    .limitedParallelism,
    .enabled(if: OddDisk.isAllowed, "this user may not mount a file system in user space")
)
struct MirrorFoldingTests {
    private static let spellings = ["File.txt", "file.txt"]

    /// The files that are there, with their texts.
    private func texts(in directory: String) throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        return try names.reduce(into: [:]) { texts, name in
            texts[name] = try String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)
        }
    }

    @Test("the file of one of them is copied and stays; the other comes when the source has only that")
    func twoSpellings() async throws {
        // Which one comes first is not known.
        for isFirstGone in [true, false] {
            let isGone = Flag()
            try await ScriptedServer.run { request in
                guard request.method == "GET" else { return ScriptedReply(status: 405) }
                guard request.path == "/" else {
                    let tag = "\"\(request.path)\""
                    return ScriptedReply(fields: [("ETag", tag)], body: Array(request.path.utf8))
                }
                let left = isGone.isSet ? [Self.spellings[isFirstGone ? 1 : 0]] : Self.spellings
                return .page(left + ["keep.txt"])
            } _: { sandbox, server in
                try await OddDisk.run(["fold"], in: sandbox) { disk in
                    let copy = "\(disk)/copy"
                    let mirror = ["mirror", "--delete", server.url(""), copy]
                    var first: [String: String] = [:]
                    for pass in 1...2 {
                        try await sandbox.launch(mirror).outcome().expect(13)
                        // If both were downloaded at once, the part file of the later one is kept.
                        let found = try texts(in: copy).filter { !$0.key.hasSuffix(".part") }
                        #expect(found.count == 2 && found["keep.txt"] == "/keep.txt", "\(found)")
                        #expect(found.allSatisfy { $1 == "/\($0)" }, "\(found)")
                        if pass == 1 { first = found } else { #expect(found == first) }
                    }
                    isGone.set()
                    // The file that is gone may be in the way once more, until it is removed.
                    _ = try await sandbox.launch(mirror).outcome()
                    try await sandbox.launch(mirror).outcome().expect(0)
                    let left = Self.spellings[isFirstGone ? 1 : 0]
                    #expect(try texts(in: copy) == [left: "/\(left)", "keep.txt": "/keep.txt"])
                }
            }
        }
    }
}
