import Ferry

/// A list of pictures: small, and wanted now, so it is fetched into memory and leaves no file behind.
struct Gallery: Sendable {
    let pictures: [HTTPURL]

    /// Fetches the list. When it is asked for again, the server only has to say that it has not changed.
    init(at url: HTTPURL, _ engine: TransferEngine) async throws {
        let bytes = try await engine.data(from: url, limit: 1 << 20)
        let rows = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        pictures = try rows.map { try url.resolving(String($0)) }
    }
}
