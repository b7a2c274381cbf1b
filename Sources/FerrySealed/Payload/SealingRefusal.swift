/// Why chunks are not sealed. Each would break the invariant that no chunk is sealed twice under one key.
package enum SealingRefusal: Error, Hashable, Sendable {
    /// This chunk was sealed with this key before.
    case sealedBefore(Int64)
    /// Only the last chunk of a payload may be shorter than 64 KiB, and only the one of an empty payload may be empty.
    case partialChunk(Int64)
    /// Another chunk is the last one of this payload.
    case anotherEnd(Int64)
    /// Other bytes were sealed as this chunk with this key before.
    case otherText(Int64)
}

extension SealingRefusal: CustomStringConvertible {
    /// What is wrong, in a sentence.
    package var description: String {
        switch self {
        case .sealedBefore(let chunk): "Chunk \(chunk + 1) was sealed with this key before."
        case .partialChunk(let chunk): "Chunk \(chunk + 1) is not the last, and is not whole."
        case .otherText(let chunk): "Other bytes were sealed as chunk \(chunk + 1) before."
        case .anotherEnd(let chunk): "Chunk \(chunk + 1) is the last of this payload."
        }
    }
}
