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
        // Another version is to come into the place of a file. If it were unmarked too early, the former one would stay.
        CrashFlow(
            name: "mirror a changed file",
            before: { try await $0.ferry($0.changingMirror) },
            line: { $0.changingMirror },
            after: { run in
                run.checkChanging()
                try await run.ferry(run.changingMirror)
                run.checkMirror(["a.bin", "s/b.bin"])
                let requests = run.server.requests.count
                try await run.ferry(run.changingMirror)
                run.check(run.server.requests.count == requests + 1, "what is there was asked for again")
            },
            leaves: [],
            rows: 3...3
        ),
    ]
}

extension CrashRun {
    /// The file that has the former version of a file of a mirror.
    static let formerPath = "/former.bin"

    /// The manifest of two files. At the second request, one of them is gone from the one that shrinks, and has another version
    /// in the one that changes.
    static func manifest(at path: String, ordinal: Int) -> String? {
        let one = #"{"name": "a.bin", "etag": "\"a\""}"#
        let former = #"{"name": "a.bin", "url": "former.bin", "etag": "\"former\""}"#
        let other = #"{"name": "s/b.bin", "etag": "\"a\""}"#
        switch path {
        case "/list.json": return "[\(one), \(other)]"
        case "/shrinking.json": return ordinal > 1 ? "[\(one)]" : "[\(one), \(other)]"
        case "/changing.json": return "[\(ordinal > 1 ? one : former), \(other)]"
        default: return nil
        }
    }

    private var copy: String { sandbox.root + "/copy" }

    fileprivate var mirror: [String] { ["mirror", server.url("list.json"), copy] }
    fileprivate var shrinkingMirror: [String] { ["mirror", "--delete", server.url("shrinking.json"), copy] }
    fileprivate var changingMirror: [String] { ["mirror", server.url("changing.json"), copy] }

    /// Checks that the file that changes has one of its versions.
    fileprivate func checkChanging() {
        let path = "\(copy)/a.bin"
        check(Self.content.isWhole(at: path) || Self.replaced.isWhole(at: path), "a.bin is no whole version")
    }

    /// Checks that the mirror has these files and nothing else besides their folder, each of them whole.
    fileprivate func checkMirror(_ names: [String]) {
        let found = FileManager.default.subpaths(atPath: copy) ?? []
        check(found.filter { $0 != "s" }.sorted() == names, "the mirror has \(found)")
        for name in names { check(Self.content.isWhole(at: "\(copy)/\(name)"), "\(name) is not whole") }
    }
}
