import Foundation

/// A mirror discovers the files of its source, marks what needs downloading, and unmarks each file in the commit that completes
/// it.
extension CrashFlow {
    static let mirroring: [CrashFlow] = [
        CrashFlow(
            name: "mirror",
            line: { $0.mirror },
            after: { run in
                try await run.ferry(run.mirror)
                run.checkMirror(["a.bin", "s/b.bin"])
                let requests = run.server.requests.count
                try await run.ferry(run.mirror)
                run.check(run.server.requests.count == requests + 1, "what is there was asked for again")
                run.checkMirror(["a.bin", "s/b.bin"])
            },
            leaves: [],
            rows: 2...2
        ),
        CrashFlow(
            name: "mirror with --delete",
            before: { try await $0.ferry($0.shrinkingMirror) },
            line: { $0.shrinkingMirror },
            after: { run in
                try await run.ferry(run.shrinkingMirror)
                run.checkMirror(["a.bin"])
            },
            leaves: [],
            rows: 2...2
        ),
    ]
}

extension CrashRun {
    /// The manifest of two files. One of them is gone at the second request for the one that shrinks.
    static func manifest(at path: String, ordinal: Int) -> String? {
        guard path == "/list.json" || path == "/shrinking.json" else { return nil }
        let one = #"{"name": "a.bin", "etag": "\"a\""}"#
        return path == "/shrinking.json" && ordinal > 1
            ? "[\(one)]" : #"[\#(one), {"name": "s/b.bin", "etag": "\"a\""}]"#
    }

    private var copy: String { sandbox.root + "/copy" }

    fileprivate var mirror: [String] { ["mirror", server.url("list.json"), copy] }
    fileprivate var shrinkingMirror: [String] { ["mirror", "--delete", server.url("shrinking.json"), copy] }

    /// Checks that the mirror has these files and no other, each of them whole.
    fileprivate func checkMirror(_ names: [String]) {
        let found = FileManager.default.subpaths(atPath: copy) ?? []
        check(found.filter { $0.hasSuffix(".bin") }.sorted() == names, "the mirror has \(found)")
        for name in names { check(Self.content.isWhole(at: "\(copy)/\(name)"), "\(name) is not whole") }
    }
}
