/// A Metalink document (RFC 5854): files, their digests, and where they can be had.
///
/// Nothing is taken from it on trust: names are made safe (I6), URLs are HTTP URLs, digests are as long as their
/// algorithm says. Signatures and `metaurl` elements are not looked at.
public struct Metalink: Hashable, Sendable {
    /// The longest document that is read, in bytes (I9).
    public static let longest = 16 << 20
    /// The namespace of version 4.
    static let namespace = "urn:ietf:params:xml:ns:metalink"

    /// The files, in the order of the document; never empty.
    public let files: [File]

    /// One file.
    public struct File: Hashable, Sendable {
        /// The name, made safe; of a path only its last component.
        public let name: FileName
        /// The length in bytes; `nil` when it is not told.
        public let size: Int64?
        /// The digests of the whole, the strongest algorithm first; those by unknown algorithms are left out.
        public let checksums: [Checksum]
        /// The types of its digests, those of parts included, that Ferry does not know, each once; empty for a digest
        /// that has no type. Of many only the first, and of a long one only the beginning.
        public let unknownDigestTypes: [String]
        /// The digests of its parts by the strongest algorithm; `nil` when there are none.
        public let pieces: PieceDigests?
        /// Where it can be had by HTTP, the best first.
        public let mirrors: [MirrorLink]
    }

    /// Reads a document.
    ///
    /// - Throws: ``ParseError`` when it is too long, no XML that Ferry reads, or no Metalink of version 4, and when
    ///   something in it that Ferry goes by makes no sense.
    public init(parsing bytes: [UInt8]) throws(ParseError) {
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
