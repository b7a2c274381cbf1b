/// Why a sealed file is not opened. No byte of the chunk at fault was given out.
package enum SealedProblem: Error, Hashable, Sendable {
    /// The file does not begin as one of age does.
    case notSealed
    /// The format has another version than v1.
    case unknownVersion
    /// The header is not one of the specification.
    case header(HeaderFault)
    /// The ASCII armor is not one of the specification.
    case armor(ArmorFault)
    /// The passphrase would need more work than is allowed: memory of 1 KiB shifted left by this number.
    case tooMuchWork(Int, most: Int)
    /// None of the given keys opens the header.
    case wrongKey(Need)
    /// A key opens the header, but the header was changed since it was written.
    case headerChanged
    /// The file ends after this number of whole chunks, and the last of them is not marked as the last.
    case cutShort(chunks: Int64)
    /// The last chunk was changed, or only its beginning is there.
    case lastCutOrChanged(Int64)
    /// A chunk was changed; others open.
    case changed(Int64)
    /// A chunk stands at the place of another one.
    case moved(chunk: Int64, to: Int64)
    /// Bytes follow this chunk, which is marked as the last.
    case extra(after: Int64)
    /// The last chunk is empty, and not the only one. No sealing program writes that.
    case emptyLast(Int64)
    /// No chunk opens with the key of the header, so the header belongs to another file.
    case foreignPayload
    /// The only chunk does not open: it was changed, or the header belongs to another file.
    case foreignOrChanged

    /// What opens a header.
    package enum Need: Hashable, Sendable {
        /// One of the identities that it was sealed to; none of them is among the given ones.
        case identity
        /// A passphrase.
        case passphrase
        /// A kind of recipient that this program does not know.
        case otherKind(String)
    }
}

extension SealedProblem: CustomStringConvertible {
    /// What happened, in sentences for a person. Chunks are counted from 1.
    package var description: String {
        switch self {
        case .notSealed: "It is not a sealed file: it does not begin with age-encryption.org/v1."
        case .unknownVersion: "It has another version of the age format than v1."
        case .header(let fault): "Its header is invalid: \(fault)."
        case .armor(let fault): "Its ASCII armor is invalid: \(fault)."
        case .tooMuchWork(let work, let most):
            "Its passphrase has a work factor of \(work), and at most \(most) is allowed. More would need too much memory."
        case .wrongKey(.identity): "None of the given identities opens it."
        case .wrongKey(.passphrase): "It is sealed with a passphrase, and no given one opens it."
        case .wrongKey(.otherKind(let kind)):
            "It is sealed to a kind of recipient that is not supported: \(kind)."
        case .headerChanged: "Its header was changed after it was sealed."
        case .cutShort(let chunks):
            chunks == 0
                ? "It is cut short: no chunk of it is there."
                : "It is cut short: it ends after chunk \(chunks), which is not the last."
        case .lastCutOrChanged(let chunk):
            "It is cut short within chunk \(chunk + 1), or that chunk was changed."
        case .changed(let chunk): "Chunk \(chunk + 1) was changed after it was sealed."
        case .moved(let chunk, let place):
            "Its chunks are out of order: chunk \(chunk + 1) is in place \(place + 1)."
        case .extra(let chunk): "Something was added after its end, which is chunk \(chunk + 1)."
        case .emptyLast(let chunk): "Chunk \(chunk + 1), its last, is empty; no program seals a file so."
        case .foreignPayload: "Its header belongs to another file: none of its chunks opens."
        case .foreignOrChanged: "Its content was changed, or its header belongs to another file."
        }
    }
}
