internal import CFerryPlatform
package import FerryCore
internal import Synchronization

/// Decodes `gzip` and `deflate` with zlib.
///
/// It uses the same memory for any body: a window of 32 KiB and one buffer. No ratio limits the decoded size: DEFLATE
/// reaches 1032 to 1, and honest files come close to that. A body larger than the disk is handled like any large file.
package final class InflatingDecoder: ContentDecoder {
    /// Maximum bytes handed over at once.
    package static let pieceLength = 256 << 10

    /// zlib's state of one stream.
    ///
    /// Unchecked: only the call that took the state out of the lock uses it.
    private struct Inflater: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private enum Phase: Sendable {
        /// No byte of a stream has arrived, or too few to tell its form.
        case beginning
        /// A stream is being decoded.
        case inflating(Inflater)
        /// A stream has ended properly; another one may follow.
        case betweenMembers(Inflater)
        /// The remaining bytes are padding.
        case padding
        /// Decoding has failed for good.
        case failed
        /// A call of `decode` holds the state.
        case taken
    }

    private struct State: Sendable {
        var phase = Phase.beginning
        /// Bytes that have arrived and cannot be judged yet: one byte.
        var held: [UInt8] = []
        var buffer: [UInt8] = []
        var inflater: Inflater?

        /// Hands the state to one call, which puts it back.
        mutating func take() -> State {
            let taken = self
            phase = .taken
            (held, buffer) = ([], [])
            return taken
        }
    }

    private let coding: ContentCoding
    private let state = Mutex(State())

    /// Creates a decoder of one body.
    package init(_ coding: ContentCoding) {
        self.coding = coding
    }

    deinit {
        state.withLock { ferry_inflater_free($0.inflater?.pointer) }
    }

    package func decode(
        _ bytes: RawSpan,
        to output: (RawSpan) throws(StorageProblem) -> Void
    ) throws(StorageProblem) {
        // The output may block, so it is not called under the lock.
        var taken = state.withLock { $0.take() }
        do throws(StorageProblem) {
            try decode(bytes, &taken, output)
        } catch {
            taken.phase = .failed
            state.withLock { $0 = taken }
            throw error
        }
        state.withLock { $0 = taken }
    }

    package func finish() throws(StorageProblem) {
        try state.withLock { state throws(StorageProblem) in
            switch state.phase {
            case .betweenMembers, .padding: if state.held.isEmpty { return }
            case .beginning, .inflating, .failed, .taken: break
            }
            throw problem("it ended too early")
        }
    }

    private func decode(
        _ bytes: RawSpan,
        _ state: inout State,
        _ output: (RawSpan) throws(StorageProblem) -> Void
    ) throws(StorageProblem) {
        var position = 0
        while position < bytes.byteCount {
            switch state.phase {
            case .beginning:
                guard let isFramed = takesFrame(bytes, &position, &state) else { return }
                try begin(isFramed, &state)
                try feedHeld(&state, output)
            case .inflating(let inflater):
                try inflate(bytes, &position, inflater, &state, output)
            case .betweenMembers(let inflater):
                try next(bytes.byte(at: position), inflater, &state)
            case .padding:
                // Tapes pad gzip's members with zeros (RFC 1952 does not mention it). Only zeros are allowed.
                guard bytes.byte(at: position) == 0 else {
                    throw problem("there is data after its end")
                }
                position += 1
            case .failed, .taken:
                throw problem("it has failed before")
            }
        }
    }

    // MARK: The beginning of a stream

    /// Whether the body has the frame that its coding should have; `nil` while there are too few bytes to
    /// tell.
    private func takesFrame(_ bytes: RawSpan, _ position: inout Int, _ state: inout State) -> Bool? {
        guard coding == .deflate else { return true }
        while state.held.count < 2, position < bytes.byteCount {
            state.held.append(bytes.byte(at: position))
            position += 1
        }
        guard state.held.count == 2 else { return nil }
        // RFC 1950 §2.2: the method is 8, and both bytes together are a multiple of 31.
        return state.held[0] & 15 == 8 && (Int(state.held[0]) << 8 | Int(state.held[1])) % 31 == 0
    }

    private func begin(_ isFramed: Bool, _ state: inout State) throws(StorageProblem) {
        let bits: Int32 = coding == .gzip ? 31 : isFramed ? 15 : -15
        guard let pointer = ferry_inflater_create(bits) else {
            throw StorageProblem(
                .transient(.internalFault, "There is no memory to decode the answer."),
                errno: 0
            )
        }
        let inflater = Inflater(pointer: pointer)
        state.inflater = inflater
        state.phase = .inflating(inflater)
        state.buffer = [UInt8](repeating: 0, count: Self.pieceLength)
    }

    /// Inflates the bytes that were held back until the form was known.
    private func feedHeld(
        _ state: inout State,
        _ output: (RawSpan) throws(StorageProblem) -> Void
    ) throws(StorageProblem) {
        guard case .inflating(let inflater) = state.phase else { return }
        let held = state.held
        state.held = []
        var position = 0
        try inflate(held.span.bytes, &position, inflater, &state, output)
        if position < held.count { throw problem("there is data after its end") }
    }

    /// Handles the first byte after a stream: another gzip member, padding, or an error.
    private func next(
        _ byte: UInt8,
        _ inflater: Inflater,
        _ state: inout State
    ) throws(StorageProblem) {
        switch byte {
        case 0x1F where coding == .gzip:
            ferry_inflater_reset(inflater.pointer)
            state.phase = .inflating(inflater)
        case 0 where coding == .gzip:
            state.phase = .padding
        default:
            throw problem("there is data after its end")
        }
    }

    // MARK: The stream

    /// Inflates the input until it is used up or the stream ends.
    private func inflate(
        _ bytes: RawSpan,
        _ position: inout Int,
        _ inflater: Inflater,
        _ state: inout State,
        _ output: (RawSpan) throws(StorageProblem) -> Void
    ) throws(StorageProblem) {
        while true {
            var used = 0
            var made = 0
            let result = bytes.withUnsafeBytes { input in
                state.buffer.withUnsafeMutableBytes { buffer in
                    ferry_inflater_step(
                        inflater.pointer,
                        input.baseAddress.map { $0 + position },
                        input.count - position,
                        buffer.baseAddress,
                        buffer.count,
                        &used,
                        &made
                    )
                }
            }
            position += used
            if made > 0 { try output(state.buffer.span.bytes.extracting(first: made)) }
            guard result >= 0 else { throw problem("it is damaged") }
            if result == 1 {
                state.phase = .betweenMembers(inflater)
                return
            }
            // A buffer that was not filled contains all the available output.
            if position == bytes.byteCount, made < state.buffer.count { return }
            if used == 0, made == 0 { throw problem("it is damaged") }
        }
    }

    private func problem(_ what: String) -> StorageProblem {
        StorageProblem(
            .transient(.badResponse, "The answer is not valid \(coding.rawValue): \(what)."),
            errno: 0
        )
    }
}

extension RawSpan {
    /// One byte.
    fileprivate func byte(at index: Int) -> UInt8 { unsafeLoad(fromByteOffset: index, as: UInt8.self) }
}
