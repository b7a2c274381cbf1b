/// A Metalink document (RFC 5854): files, their digests, and their URLs.
///
/// Nothing in it is trusted: names are made safe (I6), URLs must be HTTP URLs, digests must have the length of their
/// algorithm. Signatures and `metaurl` elements are ignored.
package struct Metalink: Hashable, Sendable {
    /// The longest document that is read, in bytes (I9).
    package static let longest = 16 << 20
    /// The namespace of version 4.
    static let namespace = "urn:ietf:params:xml:ns:metalink"

    /// The files, in the order of the document; never empty.
    package let files: [File]

    /// One file.
    package struct File: Hashable, Sendable {
        /// The name, made safe: only the last component of a path.
        package let name: FileName
        /// The whole name as the document has it, which may have folders. No part of it is empty, `.` or `..`.
        package let path: String
        /// The length in bytes; `nil` if it is not given.
        package let size: Int64?
        /// The digests of the whole, the strongest algorithm first; unknown algorithms are left out.
        package let checksums: [Checksum]
        /// The unknown types of its digests, including those of parts, each once; empty for a digest without a type.
        /// Only the first few are kept, and only the beginning of a long one.
        package let unknownDigestTypes: [String]
        /// The digests of its parts by the strongest algorithm; `nil` if there are none.
        package let pieces: PieceDigests?
        /// Its HTTP URLs, the best first.
        package let mirrors: [MirrorLink]
    }

    /// Reads a document.
    ///
    /// - Throws: ``ParseError`` when it is too long, is not XML that Ferry reads, is not a Metalink of version 4, or
    ///   has invalid content that Ferry needs.
    package init(parsing bytes: [UInt8]) throws(ParseError) {
        guard bytes.count <= Self.longest else { throw .tooLong }
        var builder = Builder()
        var reader = try Self.reader(bytes)
        while let token = try Self.next(&reader) {
            switch token {
            case .start(let element): try builder.begin(element)
            case .text(let text): builder.take(text)
            case .end: try builder.end()
            }
        }
        guard !builder.files.isEmpty else { throw .noFile }
        files = builder.files
    }

    private static func reader(_ bytes: [UInt8]) throws(ParseError) -> XMLReader {
        do throws(XMLReader.Refusal) {
            return try XMLReader(bytes)
        } catch {
            throw ParseError(error)
        }
    }

    private static func next(_ reader: inout XMLReader) throws(ParseError) -> XMLReader.Token? {
        do throws(XMLReader.Refusal) {
            return try reader.next()
        } catch {
            throw ParseError(error)
        }
    }
}
