/// How a body is handled, given the content codings that the server applied to it.
package enum ContentForm: Hashable, Sendable {
    /// Keep the body as it comes. Either it is not encoded, or the encoded form is the file, such as a `.tar.gz`.
    case plain
    /// Decode the body.
    case decoded(ContentCoding)
    /// Refuse the body: Ferry cannot decode it. The payload names its codings.
    case unsupported(String)

    /// - Parameters:
    ///   - facts: the answer.
    ///   - names: the names that the user and servers give the file; read only if the body is encoded.
    package init(_ facts: ResponseFacts, names: @autoclosure () -> [String]) {
        // Servers also name a coding with an empty body, which needs no decoding.
        guard let coding = facts.contentCoding, facts.bodyLength != 0 else {
            self = .plain
            return
        }
        let archive = Self.archives[coding]
        let extensions = names().compactMap { name in
            name.utf8.lastIndex(of: 0x2E).map { Array(name.utf8[$0...].dropFirst()).lowercasedASCIIText }
        }
        let type = facts.mediaType?.description ?? ""
        if let archive,
            extensions.contains(where: archive.extensions.contains)
                || archive.types.contains(where: { type.contains($0) })
        {
            self = .plain
        } else {
            self = ContentCoding(rawValue: coding).map { .decoded($0) } ?? .unsupported(coding)
        }
    }

    /// The coding that is removed; `nil` unless the body is decoded.
    var decodedCoding: ContentCoding? {
        if case .decoded(let coding) = self { coding } else { nil }
    }

    /// Name extensions and parts of media types for which the encoded form is itself the wanted file. Servers name a
    /// coding with files that were stored in that form, such as archives (`AddEncoding` of Apache).
    private static let archives: [String: (extensions: Set<String>, types: [String])] = [
        "gzip": (
            ["gz", "gzip", "tgz", "taz", "svgz", "cpgz", "dz", "vgz", "adz"],
            [
                "gzip", "gunzip", "tgz", "tar-gz", "application/x-compressed", "image/svg+xml-compressed",
            ]
        ),
        "deflate": (["zz", "zlib", "deflate"], ["zlib", "deflate"]),
        "br": (["br"], ["brotli"]),
        "zstd": (["zst", "zstd", "tzst"], ["zstd"]),
        "compress": (["z"], ["application/x-compress"]),
        "bzip2": (["bz2", "tbz2", "tbz"], ["bzip"]),
        "xz": (["xz", "txz"], ["x-xz"]),
    ]

    /// A content coding, for display. The server's text is shown only if it is a name.
    static func name(of coding: String) -> String {
        let isToken = coding.utf8.allSatisfy { $0.isTokenByte || $0 == 0x2C }
        return isToken && coding.utf8.count <= 40
            ? "the content coding '\(coding)'" : "a content coding with an invalid name"
    }

    /// The failure of a body whose codings Ferry cannot decode.
    package static func problem(of coding: String, from url: HTTPURL) -> Problem {
        let suffix = archives[coding]?.extensions.min()
        return .permanent(
            .badResponse,
            "\(url.hostAndPort) sent the file in \(name(of: coding)), which Ferry cannot decode.",
            remedies: suffix.map { [.saveAsSent(fileExtension: $0)] } ?? []
        )
    }
}
