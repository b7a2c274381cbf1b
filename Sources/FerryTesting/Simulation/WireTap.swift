import FerryCore

/// The sink into which an origin writes a body. The bytes reach the client's sink as the client reads them.
struct WireTap: ByteSink {
    let connection: SimulatedConnection
    let sink: any ByteSink

    func write(_ bytes: RawSpan, at offset: Int64) throws(StorageProblem) {
        let parts: [ArraySlice<UInt8>]
        do throws(Problem) {
            parts = try connection.body(bytes.withUnsafeBytes { Array($0) })
        } catch {
            throw StorageProblem(error, errno: 0)
        }
        var place = offset
        for part in parts {
            try sink.write(part.span.bytes, at: place)
            place += Int64(part.count)
        }
    }
}
