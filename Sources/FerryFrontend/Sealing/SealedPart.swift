package import Ferry
package import FerrySealed

/// A part of a sealed file that is opened without the rest.
package enum SealedPart: Hashable, Sendable {
    /// A range of the payload.
    case range(ByteRange)
    /// A section of a sectioned file.
    case section(Section)

    /// The bytes of the payload that are the part.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for a range that begins past the end, with 15 for a file without sections, and
    ///   with 32 for a thumbnail that is not the one of the header.
    package func range(of payload: SealedPayload, named name: String) async throws -> Range<Int64> {
        switch self {
        case .range(let range): return try Self.bytes(range, in: payload.length, named: name)
        case .section(let section):
            do {
                return try await payload.range(of: section)
            } catch let problem as SectionProblem {
                throw CommandFailure(problem, in: name)
            }
        }
    }

    /// The bytes of a range in a payload of this length. What lies past the end is left out.
    static func bytes(
        _ range: ByteRange,
        in length: Int64,
        named name: String
    ) throws(CommandFailure) -> Range<Int64> {
        switch range {
        case .from(let first, let last):
            // Zero begins all of an empty file.
            guard first < length || first == 0 else {
                throw .usage(
                    "\(name) has no bytes \(range): its length in clear is \(length) bytes. Nothing was printed.",
                    hint: length == 0
                        ? nil : "Begin the range below \(length), or use -N for the last N bytes."
                )
            }
            return first..<min(length, last.map { $0 + 1 } ?? length)
        case .last(let count): return max(0, length - count)..<length
        }
    }
}
