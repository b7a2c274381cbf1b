import FerryCore
import FerryTesting

@testable import FerryIO

extension InputProperty {
    /// The properties of what reads bodies.
    static let bodies: [InputProperty] = [contentDecoder]

    /// Any body decodes to the same bytes for every division into pieces, in pieces of bounded size, and only to the end that
    /// its coding defines. The first line names the coding.
    static let contentDecoder = InputProperty("content-decoder") { input in
        let (head, tail) = input.headAndTail
        let coding = ContentCoding(rawValue: head) ?? .gzip
        let body = tail.bytes
        let whole = decoded(body, by: coding, in: body.count)
        for length in [1, 2, 7] where body.count < 4096 {
            try require(decoded(body, by: coding, in: length) == whole, "it is the same however it is cut")
        }
        if whole.isWhole, !body.isEmpty, coding == .gzip, body.last != 0 {
            let cut = decoded(Array(body.dropLast()), by: coding, in: body.count)
            try require(!cut.isWhole || cut.bytes != whole.bytes, "what is cut is noticed")
        }
    }

    /// What came of a body: the first bytes of it, a digest of all, and whether it is whole.
    struct DecodedBody: Hashable {
        var bytes: [UInt8] = []
        var count = 0
        var isWhole = false
    }

    static func decoded(_ body: [UInt8], by coding: ContentCoding, in length: Int) -> DecodedBody {
        let decoder = InflatingDecoder(coding)
        var result = DecodedBody()
        do {
            var rest = body[...]
            while !rest.isEmpty {
                let piece = Array(rest.prefix(max(1, length)))
                rest = rest.dropFirst(piece.count)
                try decoder.decode(piece.span.bytes) { made throws(StorageProblem) in
                    result.count += made.byteCount
                    if result.bytes.count < 1 << 20 {
                        made.withUnsafeBytes { result.bytes.append(contentsOf: $0) }
                    }
                    guard made.byteCount <= InflatingDecoder.pieceLength else {
                        throw StorageProblem(.transient(.internalFault, "too much at once"), errno: 1)
                    }
                }
            }
            try decoder.finish()
            result.isWhole = true
        } catch {
            // Where damage is noticed depends on the pieces; that it is does not.
            result = DecodedBody()
        }
        return result
    }
}
