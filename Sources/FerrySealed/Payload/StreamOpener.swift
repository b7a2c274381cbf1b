/// Opens a payload that comes in order.
package struct StreamOpener: Sendable {
    private let opener: PayloadOpener
    private var held: [UInt8] = []
    private var next: Int64 = 0

    private static let size = Int(ChunkMap.sealedChunkLength)

    /// Creates the opener of a payload.
    package init(_ key: PayloadKey) {
        opener = PayloadOpener(key)
    }

    /// Takes the next bytes of the payload, without its nonce.
    ///
    /// - Returns: the bytes in clear of whole chunks. Whether the payload is whole is known only after ``finish()``.
    /// - Throws: ``SealedProblem`` for a chunk that does not open.
    package mutating func take(_ sealed: some Collection<UInt8>) throws(SealedProblem) -> [UInt8] {
        held += sealed
        return try openWhole(atEnd: false)
    }

    /// Takes the end.
    ///
    /// - Returns: the bytes of the last chunks.
    /// - Throws: ``SealedProblem``; `cutShort` if the file has not come to its end.
    package mutating func finish() throws(SealedProblem) -> [UInt8] {
        let text = try openWhole(atEnd: true)
        do throws(SealedProblem) {
            return try text + opener.open(held[...], as: next, isLast: true)
        } catch {
            // That a chunk before it has opened shows that the header is theirs.
            throw next > 0 ? error.refined(isOtherOpen: true) : error
        }
    }

    /// Opens the chunks that others follow. The first one waits for the second, which shows whether the header is theirs.
    private mutating func openWhole(atEnd: Bool) throws(SealedProblem) -> [UInt8] {
        var text: [UInt8] = []
        var start = 0
        while held.count - start > (next == 0 && !atEnd ? 2 * Self.size : Self.size) {
            let rest = held[start...]
            do throws(SealedProblem) {
                text += try opener.open(rest.prefix(Self.size), as: next, isLast: false)
            } catch {
                throw error.refined(isOtherOpen: next > 0 || opensSecond(rest.dropFirst(Self.size)))
            }
            (start, next) = (start + Self.size, next + 1)
        }
        held.removeFirst(start)
        return text
    }

    private func opensSecond(_ rest: ArraySlice<UInt8>) -> Bool {
        let chunk = rest.prefix(Self.size)
        return opener.opens(chunk, as: 1, isLast: false) || opener.opens(chunk, as: 1, isLast: true)
    }
}
