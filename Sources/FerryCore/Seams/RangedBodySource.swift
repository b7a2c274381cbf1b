/// A range of another body.
package final class RangedBodySource: BodySource {
    private let base: any BodySource
    private let range: Range<Int64>

    /// Creates the body; `range` lies within the other one.
    package init(_ base: any BodySource, _ range: Range<Int64>) {
        (self.base, self.range) = (base, range)
    }

    package var length: Int64? { range.upperBound - range.lowerBound }

    // A kernel that sends a file by itself begins at its start.
    package var descriptor: CInt? { range.lowerBound == 0 ? base.descriptor : nil }

    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
        let start = range.lowerBound + offset
        let count = Int(min(Int64(buffer.count), range.upperBound - start))
        guard count > 0 else { return 0 }
        return try base.read(at: start, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    }

    package func check() throws(Problem) { try base.check() }
}

extension RequestBody {
    /// A range of this body.
    package func part(_ range: Range<Int64>) -> RequestBody {
        switch self {
        case .bytes(let bytes): .bytes(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
        case .source(let source): .source(RangedBodySource(source, range))
        }
    }

    /// Checks that its bytes are as they were when it was opened.
    package func check() throws(Problem) {
        if case .source(let source) = self { try source.check() }
    }
}
