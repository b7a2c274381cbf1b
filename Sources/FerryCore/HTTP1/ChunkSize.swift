/// The line before the data of a chunk (RFC 9112 §7.1).
enum ChunkSize {
    /// Reads the size from a line without its end. Blanks may stand around it; extensions are skipped (RFC 9112
    /// §7.1.1).
    static func read(_ line: [UInt8]) throws(WireFault) -> Int64 {
        let digits = line.drop(while: \.isBlank).prefix { $0.hexadecimalValue != nil }
        let rest = line[digits.endIndex...].drop(while: \.isBlank)
        guard !digits.isEmpty, rest.isEmpty || rest.first == 0x3B else { throw .invalidChunkSize }
        var size: Int64 = 0
        for digit in digits {
            let (product, overflow) = size.multipliedReportingOverflow(by: 16)
            guard !overflow else { throw .invalidChunkSize }
            // The last four bits of the product are zero, so nothing carries.
            size = product | Int64(digit.hexadecimalValue ?? 0)
        }
        return size
    }
}
