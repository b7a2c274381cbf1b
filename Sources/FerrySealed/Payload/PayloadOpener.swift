/// Opens the chunks of one payload, in any order. What it cannot open yields no byte, and tells what is wrong.
package struct PayloadOpener: Sendable {
    private let key: PayloadKey

    /// How many places before and after its own a chunk is looked for.
    private static let reach: Int64 = 256

    /// Creates the opener of a payload.
    package init(_ key: PayloadKey) {
        self.key = key
    }

    /// Opens a chunk.
    ///
    /// - Parameters:
    ///   - sealed: the sealed chunk: ``ChunkMap/sealedChunkLength`` bytes, and at the end of the file what is there.
    ///   - chunk: its number, from 0.
    ///   - isLast: whether the file ends with it.
    /// - Throws: ``SealedProblem``. What ``SealedProblem/refined(isOtherOpen:)`` needs is another chunk of the file.
    package func open(
        _ sealed: ArraySlice<UInt8>,
        as chunk: Int64,
        isLast: Bool
    ) throws(SealedProblem) -> [UInt8] {
        guard sealed.count >= AuthenticatedCipher.tagLength else { throw .cutShort(chunks: chunk) }
        guard let text = key.open(sealed, as: chunk, isLast: isLast) else {
            throw problem(sealed, as: chunk, isLast: isLast)
        }
        guard !text.isEmpty || chunk == 0 else { throw .emptyLast(chunk) }
        return text
    }

    /// Whether a chunk opens.
    package func opens(_ sealed: ArraySlice<UInt8>, as chunk: Int64, isLast: Bool) -> Bool {
        key.open(sealed, as: chunk, isLast: isLast) != nil
    }

    /// Why a payload has a length that no payload has, given its last whole chunk.
    ///
    /// - Parameter problem: what ``ChunkMap/init(sealedLength:)`` has thrown.
    package func problem(
        ofLength problem: SealedProblem,
        after sealed: ArraySlice<UInt8>
    ) -> SealedProblem {
        switch problem {
        case .cutShort(let count), .emptyLast(let count):
            opens(sealed, as: count - 1, isLast: true) ? .extra(after: count - 1) : problem
        default: problem
        }
    }

    /// Why a chunk does not open: it is looked for at other places.
    private func problem(_ sealed: ArraySlice<UInt8>, as chunk: Int64, isLast: Bool) -> SealedProblem {
        let isWhole = sealed.count == ChunkMap.sealedChunkLength
        if isLast, isWhole, opens(sealed, as: chunk, isLast: false) { return .cutShort(chunks: chunk + 1) }
        if !isLast, opens(sealed, as: chunk, isLast: true) { return .extra(after: chunk) }
        let places = max(0, chunk - Self.reach)...(chunk + Self.reach)
        let other = places.first { place in
            place != chunk
                && (opens(sealed, as: place, isLast: true)
                    || (isWhole && opens(sealed, as: place, isLast: false)))
        }
        if let other { return .moved(chunk: other, to: chunk) }
        if chunk == 0 { return .foreignOrChanged }
        return isWhole ? .changed(chunk) : .lastCutOrChanged(chunk)
    }
}

extension SealedProblem {
    /// The problem, given whether another chunk of the same file opens: a header of another file opens none.
    package func refined(isOtherOpen: Bool) -> SealedProblem {
        switch self {
        case .foreignOrChanged: isOtherOpen ? .changed(0) : .foreignPayload
        case .changed, .lastCutOrChanged: isOtherOpen ? self : .foreignPayload
        default: self
        }
    }
}
