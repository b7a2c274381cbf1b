package import FerryCore
internal import SystemPackage

/// The files of this machine, as bodies of requests.
package struct POSIXBodyFiles: BodyFiles {
    private let threads: IOThreads

    /// Creates it; every call that waits for a disk runs on `threads`.
    package init(threads: IOThreads) {
        self.threads = threads
    }

    /// Notes which file is at a path now, following symbolic links.
    package func pin(_ path: String) async throws(StorageProblem) -> PinnedFile {
        try await threads.storage { () throws(StorageProblem) in
            try FileBodySource(path).pinned
        }
    }

    /// Opens a body, so that it can be sent.
    package func open(_ body: StoredBody) async throws(Problem) -> RequestBody {
        guard !body.parts.isEmpty else { return .bytes(body.bytes) }
        let result = await run { () throws(Problem) in
            var parts: [JoinedBodySource.Part] = []
            var start = 0
            for part in body.parts {
                switch part {
                case .bytes(let count):
                    parts.append(.bytes(Array(body.bytes[start..<start + count])))
                    start += count
                case .file(let file): parts.append(.file(try FileBodySource(file)))
                }
            }
            // A single file can be sent by the kernel.
            if parts.count == 1, case .file(let source) = parts[0] { return RequestBody.source(source) }
            return .source(JoinedBodySource(parts))
        }
        return try result.get()
    }

    private func run(
        _ work: @escaping @Sendable () throws(Problem) -> RequestBody
    ) async -> Result<RequestBody, Problem> {
        do {
            return try await threads.run { Result(catching: work) }
        } catch {
            // The work itself never throws here: this happens only when the threads were shut down.
            return .failure(StorageProblem.stoppedThreads.problem)
        }
    }
}
