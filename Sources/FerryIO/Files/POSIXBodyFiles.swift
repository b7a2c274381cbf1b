package import FerryCore
internal import SystemPackage

/// The files of this machine, as bodies of requests.
package struct POSIXBodyFiles: BodyFiles {
    private let threads: IOThreads
    private let copies: BodyCopies

    /// Creates it; every call that waits for a disk runs on `threads`.
    ///
    /// - Parameter directory: the path of the directory of copies; it is made for the first one.
    package init(threads: IOThreads, copies directory: String) {
        self.threads = threads
        copies = BodyCopies(directory, threads: threads)
    }

    /// Notes which file is at a path now, following symbolic links.
    package func pin(_ path: String) async throws(StorageProblem) -> PinnedFile {
        try await threads.storage { () throws(StorageProblem) in
            try FileBodySource(path).pinned
        }
    }

    /// Notes which file is at the path of a pinned one now.
    package func survey(_ file: PinnedFile) async throws(Problem) -> PinnedFile {
        let result = await run { () throws(Problem) -> PinnedFile in
            try FileBodySource(presentOf: file, at: file.path).pinned
        }
        return try result.get()
    }

    /// Opens a body, so that it can be sent.
    package func open(_ body: StoredBody) async throws(Problem) -> RequestBody {
        guard !body.parts.isEmpty else { return .bytes(body.bytes) }
        let result = await run { [copies] () throws(Problem) -> RequestBody in
            func path(of file: PinnedFile) -> String {
                file.isCopy ? copies.path(of: file.path) : file.path
            }
            // A single file can be sent by the kernel.
            if body.parts.count == 1, case .file(let file) = body.parts[0] {
                return .source(try FileBodySource(file, at: path(of: file)))
            }
            var parts: [JoinedBodySource.Part] = []
            var start = 0
            for part in body.parts {
                switch part {
                case .bytes(let count):
                    parts.append(.bytes(Array(body.bytes[start..<start + count])))
                    start += count
                case .file(let file): parts.append(.file(file, path: path(of: file)))
                }
            }
            return .source(try JoinedBodySource(parts))
        }
        return try result.get()
    }

    /// Computes digests of a body.
    package func digests(
        of body: RequestBody,
        by algorithms: [Checksum.Algorithm]
    ) async throws(Problem) -> [Checksum] {
        let result = await run { () throws(Problem) -> [Checksum] in
            var digesters = algorithms.map { Digester($0) }
            switch body {
            case .bytes(let bytes):
                bytes.withUnsafeBytes { bytes in
                    for index in digesters.indices { digesters[index].update(bytes) }
                }
            case .source(let source): try Self.feed(source, to: &digesters)
            }
            return digesters.map(\.checksum)
        }
        return try result.get()
    }

    /// Maximum bytes that are read at a time for digests.
    private static let readLength = 1 << 20

    private static func feed(_ source: any BodySource, to digesters: inout [Digester]) throws(Problem) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: readLength, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        let length = source.length ?? .max
        while offset < length {
            let part = UnsafeMutableRawBufferPointer(
                rebasing: buffer.prefix(Int(min(length - offset, Int64(readLength))))
            )
            let count = try source.read(at: offset, into: part)
            guard count > 0 else { break }
            let bytes = UnsafeRawBufferPointer(rebasing: part[..<count])
            for index in digesters.indices { digesters[index].update(bytes) }
            offset += Int64(count)
        }
        try source.check()
    }

    /// Begins a copy.
    package func copy(for uuid: TransferUUID) async throws(StorageProblem) -> any BodyCopy {
        try await copies.create(for: uuid)
    }

    /// Releases copies.
    package func release(copiesFor uuids: [TransferUUID]) { copies.release(uuids) }

    /// Releases all copies.
    package func releaseAll() -> Bool { copies.releaseAll() }

    /// Removes a copy.
    package func removeCopy(for uuid: TransferUUID) async throws(StorageProblem) {
        try await copies.remove(uuid)
    }

    /// Removes copies that are not needed.
    package func removeCopies(
        unless isNeeded: @Sendable (TransferUUID) async throws(StoreError) -> Bool
    ) async throws {
        try await copies.remove(unless: isNeeded)
    }

    private func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(Problem) -> Value
    ) async -> Result<Value, Problem> {
        do {
            return try await threads.run { Result(catching: work) }
        } catch {
            // The work itself never throws here: this happens only when the threads were shut down.
            return .failure(StorageProblem.stoppedThreads.problem)
        }
    }
}
