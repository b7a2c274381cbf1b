/// Frames a request's body as its head has told (RFC 9112 §6).
package struct RequestBodyWriter: Hashable, Sendable {
    /// What surrounds a part of a body.
    package struct Frame: Hashable, Sendable {
        /// The bytes before the part.
        package var before: [UInt8] = []
        /// The bytes behind the part.
        package var after: [UInt8] = []
    }

    private enum State: Hashable {
        /// This many bytes are left. Exits: `ended`.
        case rest(Int64)
        /// Any number may follow. Exits: `ended`.
        case chunks
        /// The body is over. Final.
        case ended
    }

    private var state: State

    /// Begins a body; `length` is `nil` for one in chunks.
    package init(length: Int64?) {
        state = length.map { .rest($0) } ?? .chunks
    }

    /// Frames a part of `count` bytes. A part of none is framed by nothing: in chunks it would be the end.
    package mutating func part(of count: Int) throws(RequestFault) -> Frame {
        switch state {
        case .rest(let rest):
            guard Int64(count) <= rest else { throw .bodyTooLong }
            state = .rest(rest - Int64(count))
            return Frame()
        case .chunks:
            guard count > 0 else { return Frame() }
            return Frame(before: Array("\(String(count, radix: 16))\r\n".utf8), after: [0x0D, 0x0A])
        case .ended:
            throw .bodyTooLong
        }
    }

    /// Ends the body; returns the bytes of its end.
    package mutating func end() throws(RequestFault) -> [UInt8] {
        defer { state = .ended }
        switch state {
        case .rest(0): return []
        case .rest: throw .bodyTooShort
        case .chunks: return Array("0\r\n\r\n".utf8)
        case .ended: return []
        }
    }
}
