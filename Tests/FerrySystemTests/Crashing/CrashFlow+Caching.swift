import Foundation

/// The flows of the managed cache.
extension CrashFlow {
    static var caching: [CrashFlow] { [cacheGet, cacheReplace, cacheEvict, cachePin] }

    private static func get(_ run: CrashRun) -> [String] { ["get", "--cache", "pool", run.url] }

    /// `ferry get --cache` is killed. No file is left that no entry knows, and no entry without a file.
    private static var cacheGet: CrashFlow {
        CrashFlow(
            name: "get into a pool",
            line: get,
            after: { run in
                let served = try await run.ferry(get(run))
                run.checkPool(served.output.split(separator: "\n").map(String.init))
                let requests = run.server.requests.count
                run.checkPool(
                    try await run.ferry(get(run)).output.split(separator: "\n").map(String.init)
                )
                run.check(run.server.requests.count == requests, "a fresh entry was asked for again")
                try await run.checkEntries(count: 1, pinned: false)
            },
            leaves: []
        )
    }

    /// A download into a full pool evicts the entry that was there, and is killed. The same command completes the
    /// download, and a trim the deletion.
    private static var cacheReplace: CrashFlow {
        CrashFlow(
            name: "get into a full pool",
            before: { run in
                try await run.ferry(get(run))
                try await run.ferry(["cache", "set", "pool", "--max-bytes", "\(CrashRun.content.count + 1)"])
            },
            line: { ["get", "--cache", "pool", $0.server.url("second.bin")] },
            after: { run in
                let served = try await run.ferry(["get", "--cache", "pool", run.server.url("second.bin")])
                try await run.ferry(["cache", "trim"])
                run.checkPool(served.output.split(separator: "\n").map(String.init))
                try await run.checkEntries(count: 1, pinned: false)
            },
            leaves: [],
            rows: 2...2
        )
    }

    /// `ferry cache trim` evicts an entry, and is killed. The same command completes the deletion.
    private static var cacheEvict: CrashFlow {
        CrashFlow(
            name: "evict",
            before: { run in
                try await run.ferry(get(run))
                try await run.ferry(["cache", "set", "pool", "--max-bytes", "0"])
            },
            line: { _ in ["cache", "trim"] },
            after: { run in
                try await run.ferry(["cache", "trim"])
                run.checkPool([])
                try await run.checkEntries(count: 0, pinned: false)
            },
            leaves: []
        )
    }

    /// `ferry cache pin` is killed. The same command completes it, and the entry is not evicted.
    private static var cachePin: CrashFlow {
        CrashFlow(
            name: "pin",
            before: { try await $0.ferry(get($0)) },
            line: { ["cache", "pin", "pool", $0.url] },
            after: { run in
                try await run.ferry(["cache", "pin", "pool", run.url])
                try await run.ferry(["cache", "set", "pool", "--max-bytes", "0"])
                try await run.ferry(["cache", "trim"])
                run.checkPool(nil)
                try await run.checkEntries(count: 1, pinned: true)
            },
            leaves: []
        )
    }
}

extension CrashRun {
    private var pool: String { sandbox.data + "/cache/pool" }

    /// Checks that the pool holds these files and no other, each of them whole.
    ///
    /// - Parameter paths: the paths; `nil` for any one file.
    fileprivate func checkPool(_ paths: [String]?) {
        let manager = FileManager.default
        let names = manager.fileExists(atPath: pool) ? manager.subpaths(atPath: pool) ?? [] : []
        let found = names.map { "\(pool)/\($0)" }
        check(paths.map { $0 == found } ?? (found.count == 1), "the pool has \(found)")
        for path in found { check(Self.content.isWhole(at: path), "\(path) is not whole") }
    }

    fileprivate func checkEntries(count: Int, pinned: Bool) async throws {
        let lines = try await ferry(["cache", "list", "--json"]).output.split(separator: "\n")
        check(
            lines.count == count && lines.allSatisfy { $0.contains(#""isPinned":\#(pinned)"#) },
            "the entries are \(lines)"
        )
    }
}
