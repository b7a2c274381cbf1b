package import FerryCore
package import HTTPTypes

/// What a reader reads from the bytes of an answer, in pieces of any size.
package struct AnswerReading: Hashable, Sendable {
    /// The interim answers.
    package var interim: [ResponseHead] = []
    /// The final head.
    package var head: ResponseHead?
    /// How the body ends.
    package var framing: BodyFraming?
    /// The part of the body that came.
    package var body: [UInt8] = []
    /// The end, if the answer is whole.
    package var end: ResponseReader.End?
    /// The fault, if there is one.
    package var fault: WireFault?
    /// The number of bytes after the end.
    package var behind = 0

    /// How the connection ends after the bytes.
    package enum Closing: Hashable, Sendable {
        /// It stays open.
        case none
        /// The peer ends it.
        case orderly
        /// It breaks.
        case broken
    }

    /// Reads bytes in pieces of the given sizes, in turn.
    ///
    /// - Throws: ``InputProperty/Violation`` when the reader breaks its own rules about places and order.
    package init(
        _ bytes: [UInt8],
        cutInto sizes: [Int],
        answering method: HTTPRequest.Method = .get,
        limits: ResponseLimits = ResponseLimits(),
        then closing: Closing = .none
    ) throws(InputProperty.Violation) {
        var reader = ResponseReader(answering: method, limits: limits)
        var start = 0
        var turn = 0
        while start < bytes.count, fault == nil {
            let size = sizes.isEmpty ? bytes.count : max(1, sizes[turn % sizes.count])
            turn += 1
            let piece = Array(bytes[start..<min(bytes.count, start + size)])
            let used = try read(piece, with: &reader)
            if fault == nil {
                try InputProperty.require(used == piece.count || end != nil, "every byte is read")
            }
            if end != nil { behind += piece.count - used }
            start += piece.count
        }
        guard closing != .none else { return }
        let last: ResponseReader.Event?
        do throws(WireFault) {
            last = try reader.close(isOrderly: closing == .orderly)
        } catch {
            try InputProperty.require(fault == nil || fault == error, "a fault stays")
            fault = error
            return
        }
        if let last { try note(last, in: []) }
    }

    /// Reads one piece; returns how much of it was read.
    private mutating func read(
        _ piece: [UInt8],
        with reader: inout ResponseReader
    ) throws(InputProperty.Violation) -> Int {
        var position = 0
        var last = 0
        while true {
            let event: ResponseReader.Event?
            do throws(WireFault) {
                event = try reader.next(in: piece.span.bytes, at: &position)
            } catch {
                fault = error
                return position
            }
            try InputProperty.require((last...piece.count).contains(position), "a reader never goes back")
            guard let event else { return position }
            if case .body(let part) = event {
                try InputProperty.require(part.lowerBound >= last, "no byte is given out twice")
                try InputProperty.require(
                    part.upperBound == position && !part.isEmpty,
                    "a part ends where it says"
                )
            }
            last = position
            try note(event, in: piece)
        }
    }

    private mutating func note(
        _ event: ResponseReader.Event,
        in piece: [UInt8]
    ) throws(InputProperty.Violation) {
        try InputProperty.require(end == nil, "nothing comes behind the end")
        switch event {
        case .interim(let head):
            try InputProperty.require(self.head == nil, "an interim answer comes before the final one")
            interim.append(head)
        case .head(let head, let framing):
            try InputProperty.require(self.head == nil, "there is one final head")
            self.head = head
            self.framing = framing
        case .body(let part):
            try InputProperty.require(head != nil, "a body has a head")
            body += piece[part]
        case .end(let end):
            try InputProperty.require(head != nil, "an answer has a head")
            self.end = end
        }
    }
}
