/// A part of a resource that is downloaded as if it were the whole.
///
/// The machine counts from the first byte of the part. This type adds the part's offset to requests, and takes it away
/// from answers.
package struct RequestedPart: Hashable, Sendable {
    /// The part.
    let range: ByteRange
    /// The first byte of the part in the version of the received bytes; `nil` before that is known.
    let start: Int64?

    /// Creates a part.
    package init(_ range: ByteRange, start: Int64? = nil) {
        self.range = range
        self.start = start ?? range.start(in: nil)
    }

    /// The `Range` field of a request of the machine.
    func field(of request: RangeRequest) -> String {
        guard !request.isWhole, let start else { return "bytes=\(range)" }
        let last = request.upTo.map { start + $0 - 1 } ?? range.end.map { $0 - 1 }
        return "bytes=\(start + request.from)-\(last.map { String($0) } ?? "")"
    }

    /// An answer as the machine reads it.
    ///
    /// - Throws: the problem of an answer that does not bring the part.
    func read(
        _ facts: ResponseFacts,
        to request: RangeRequest,
        from host: String
    ) throws(Problem) -> ResponseFacts {
        var facts = facts
        // These are of the whole.
        (facts.digest, facts.mirrors) = (nil, [])
        switch (facts.status, request.isWhole) {
        case (206, true): try beginPart(&facts, from: host)
        case (200, true), (203, true):
            guard let total = facts.bodyLength, range.isWhole(of: total), !facts.isEncoded else {
                throw .permanent(
                    .cannotResume,
                    "\(host) sends only the whole file, not a part of it (\(facts.status)).",
                    remedies: [.fetchWhole]
                )
            }
            facts.partStart = 0
        case (416, true): throw unsatisfiable(facts, host)
        case (206, false): shift(&facts)
        case (200, false), (203, false):
            // The whole is of no use: the part is requested again, without a condition.
            if facts.bodyLength.map(range.isWhole) != true { facts.status = 412 }
        case (416, false): shift(&facts)
        default: break
        }
        return facts
    }

    private func beginPart(_ facts: inout ResponseFacts, from host: String) throws(Problem) {
        guard facts.mediaType?.isSeveralRanges != true, !facts.isEncoded else {
            throw contradiction("it sent something else than the requested part", host)
        }
        guard case .present(.bytes(let sent, let total)) = facts.contentRange,
            let start = range.start(in: total), let length = range.length(from: start, in: total)
        else { throw contradiction("it sent a part without saying which", host) }
        guard sent.lowerBound == start, sent.upperBound <= start + length,
            facts.bodyLength.map({ $0 == sent.upperBound - sent.lowerBound }) ?? true,
            total != nil || sent.upperBound == start + length
        else { throw contradiction("it sent another part than the requested one", host) }
        facts.status = 200
        facts.contentRange = .absent
        facts.bodyLength = length
        facts.partStart = start
    }

    /// Takes the offset of the part away from the range of an answer.
    private func shift(_ facts: inout ResponseFacts) {
        guard let start, case .present(let range) = facts.contentRange else { return }
        facts.contentRange = .unreadable
        switch range {
        case .bytes(let sent, let total):
            let length = total.flatMap { self.range.length(from: start, in: $0) }
            guard sent.lowerBound >= start, length.map({ sent.upperBound - start <= $0 }) ?? true else {
                return
            }
            facts.contentRange = .present(
                .bytes(sent.lowerBound - start..<sent.upperBound - start, total: length)
            )
        case .unsatisfied(let total):
            guard let length = self.range.length(from: start, in: total), length >= 0 else { return }
            facts.contentRange = .present(.unsatisfied(total: length))
        }
    }

    private func unsatisfiable(_ facts: ResponseFacts, _ host: String) -> Problem {
        let length =
            if case .present(.unsatisfied(let total)) = facts.contentRange {
                ", which has \(total) bytes"
            } else { "" }
        return .permanent(
            .cannotResume,
            "\(host) has no bytes \(range) of this file\(length) (416).",
            remedies: [.fetchWhole]
        )
    }

    private func contradiction(_ what: String, _ host: String) -> Problem {
        .transient(.badResponse, "The answer of \(host) contradicts itself: \(what).")
    }
}
