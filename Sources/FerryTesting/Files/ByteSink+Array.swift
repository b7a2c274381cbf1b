package import FerryCore

extension ByteSink {
    /// Writes all of `bytes` so that the first one is at `offset`.
    package func write(_ bytes: [UInt8], at offset: Int64) throws(StorageProblem) {
        try write(bytes.span.bytes, at: offset)
    }
}
