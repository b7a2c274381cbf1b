package import FerrySealed

/// A sealed file that is opened: a regular file at any place, and a pipe or an armored file from its beginning on.
package struct SealedSource: ~Copyable {
    private var feed: SealedFeed
    private let header: SealedHeader

    /// Opens a file and reads its header; `-` is standard input.
    ///
    /// - Throws: ``CommandFailure`` with status 15 if the file cannot be read, or is not sealed.
    package init(_ path: String, _ environment: ProcessEnvironment) throws(CommandFailure) {
        var feed = try SealedFeed(path, environment)
        header = try Self.header(of: &feed)
        self.feed = feed
    }

    private static func header(of feed: inout SealedFeed) throws(CommandFailure) -> SealedHeader {
        while true {
            do throws(SealedProblem) {
                return try SealedHeader(reading: feed.held)
            } catch {
                guard error == .header(.ends), !feed.hasEnded else {
                    throw CommandFailure(error, in: feed.name)
                }
            }
            try feed.more()
        }
    }

    /// The file, as messages quote it.
    package var name: String { feed.name }

    /// Whether the file is sealed with a passphrase, so that one must be asked for.
    package var needsPassphrase: Bool { header.isSealedWithPassphrase }

    /// Opens the header.
    ///
    /// - Throws: ``CommandFailure`` with status 24 if none of the identities opens it.
    package mutating func key(with identities: [Identity]) throws(CommandFailure) -> PayloadKey {
        let end = header.length + SealedPreamble.nonceLength
        while feed.held.count < end, !feed.hasEnded { try feed.more() }
        let nonce = Array(feed.held[header.length...].prefix(SealedPreamble.nonceLength))
        do throws(SealedProblem) {
            let key = try SealedPreamble(opening: header, nonce: nonce, with: identities).key
            feed.held.removeFirst(end)
            return key
        } catch {
            throw CommandFailure(error, in: name, hasIdentities: !identities.isEmpty)
        }
    }

    /// The payload, which can be read at any offset; `nil` for a pipe and for an armored file.
    ///
    /// - Throws: ``CommandFailure`` with status 32 if the file is cut short.
    package func payload(_ key: PayloadKey) async throws -> SealedPayload? {
        guard feed.isSeekable else { return nil }
        let file = LocalSealedBytes(name: name, file: feed.stream.file, length: feed.stream.length)
        return try await file.payload(after: header, key)
    }

    /// Opens the payload from its beginning to its end.
    ///
    /// - Parameter take: takes bytes in clear, in order; returns whether more are wanted.
    /// - Throws: ``CommandFailure`` with status 32 for a payload that was changed. What was taken before that is right, and the
    ///   rest is missing. Of a regular file that is cut short, nothing is taken.
    package mutating func read(_ key: PayloadKey, _ take: ([UInt8]) async throws -> Bool) async throws {
        if let payload = try await payload(key) { return try await payload.read(0..<payload.length, take) }
        var opener = StreamOpener(key)
        while true {
            let text = try opened(by: &opener)
            if !text.isEmpty, try await !take(text) { return }
            if feed.hasEnded { return }
            try feed.more()
        }
    }

    /// Opens what was read.
    private mutating func opened(by opener: inout StreamOpener) throws(CommandFailure) -> [UInt8] {
        defer { feed.held = [] }
        do throws(SealedProblem) {
            let text = try opener.take(feed.held)
            return try feed.hasEnded ? text + opener.finish() : text
        } catch {
            throw CommandFailure(error, in: name)
        }
    }
}
