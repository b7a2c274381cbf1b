import Ferry
import FerryFrontend

/// Where the bytes that a command makes go: to standard output, or into a file that gets its name when it is whole.
struct ByteTarget {
    private let file: PublishedFile?
    private let console: Console
    /// The number of bytes written so far.
    private(set) var count: Int64 = 0

    /// Has `body` write to a place, and completes the file there.
    ///
    /// - Parameters:
    ///   - place: the final name; `nil` for standard output.
    ///   - replacesExisting: whether a regular file of that name is replaced.
    /// - Throws: what `body` throws, with what became of the bytes; ``CommandFailure`` for a file that cannot be written.
    static func write(
        _ place: FilePlace?,
        replacesExisting: Bool,
        _ console: Console,
        _ body: (inout ByteTarget) async throws -> Void
    ) async throws {
        guard let place else {
            var target = ByteTarget(file: nil, console: console)
            do {
                return try await body(&target)
            } catch {
                throw target.explained(error)
            }
        }
        do {
            try await PublishedFile.write(place, replacesExisting: replacesExisting) { file in
                var target = ByteTarget(file: file, console: console)
                do {
                    try await body(&target)
                } catch {
                    throw target.explained(error)
                }
            }
        } catch let problem as StorageProblem {
            var failure = CommandFailure(problem)
            if failure.status == .fileExists {
                // A link, for example, is never replaced.
                let isReplaceable = problem.problem.failure.remedies.contains(.overwrite)
                let remedy = isReplaceable ? "Use --overwrite to replace it" : "Move or remove it"
                failure.hint = "\(remedy), or use -o NAME for another name."
            }
            throw failure
        }
    }

    /// Writes the next bytes.
    ///
    /// - Returns: whether more can be written: `false` when the reader of standard output is gone.
    mutating func write(_ bytes: [UInt8]) async throws -> Bool {
        count += Int64(bytes.count)
        if let file {
            try await file.write(bytes)
            return true
        }
        console.data(bytes)
        await console.room()
        return !console.outputIsGone
    }

    /// A failure, with what became of the bytes.
    private func explained(_ error: any Error) -> any Error {
        guard !(error is StorageProblem) else { return error }
        var failure = CommandFailure(error)
        guard failure.status != .usage else { return failure }
        failure.message +=
            file != nil
            ? " Nothing was saved."
            : count == 0
                ? " Nothing was printed."
                : " The first \(count) bytes were printed; the rest is missing."
        return failure
    }
}
