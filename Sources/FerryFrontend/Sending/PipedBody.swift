import Synchronization

/// A body that comes from a pipe: the bytes that were read to learn whether it is long, and then the rest. It is read once.
package final class PipedBody: AsyncSequence, Sendable {
    private struct State {
        var first: [UInt8]
        let rest: FileStream
    }

    private let state: Mutex<State>

    init(_ first: [UInt8], then rest: sending FileStream) {
        state = Mutex(State(first: first, rest: rest))
    }

    /// The next part; empty at the end.
    private func next() throws(FileReader.Problem) -> [UInt8] {
        try state.withLock { state throws(FileReader.Problem) in
            guard state.first.isEmpty else {
                defer { state.first = [] }
                return state.first
            }
            return Array(try state.rest.next())
        }
    }

    /// Reads the parts. Each call waits for the pipe.
    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let body: PipedBody

        /// The next part; `nil` at the end.
        ///
        /// - Throws: ``CommandFailure`` with status 15 when the pipe cannot be read.
        package mutating func next() async throws(CommandFailure) -> [UInt8]? {
            do throws(FileReader.Problem) {
                let part = try body.next()
                return part.isEmpty ? nil : part
            } catch {
                throw CommandFailure(unreadable: "the body", error)
            }
        }
    }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }
}

extension PipedBody: Hashable {
    package static func == (one: PipedBody, other: PipedBody) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
