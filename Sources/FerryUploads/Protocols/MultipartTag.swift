import Crypto
import FerryCore

/// The entity tags of objects in parts, as Amazon S3 and many compatible stores make them.
enum MultipartTag {
    /// The tag of an object of parts with these tags: the MD5 of their MD5s, and the number of parts; `nil` if one of them is
    /// no MD5, as with some kinds of encryption.
    static func of(_ tags: [String]) -> String? {
        var hash = Insecure.MD5()
        for tag in tags {
            guard let bytes = bytes(plain(tag)) else { return nil }
            hash.update(data: bytes)
        }
        return "\(Checksum(algorithm: .md5, digest: hash.finalize()).hex)-\(tags.count)"
    }

    /// The MD5 that a plain tag is, as of an object that was sent in one request; `nil` for any other tag.
    static func md5(_ tag: String) -> Checksum? {
        bytes(tag).map { Checksum(algorithm: .md5, digest: $0) }
    }

    /// A tag without its quotes, in lowercase.
    static func plain(_ tag: String) -> String {
        let bytes = Array(tag.utf8).trimmingBlanks
        let isQuoted = bytes.count >= 2 && bytes.first == 0x22 && bytes.last == 0x22
        return (isQuoted ? bytes.dropFirst().dropLast() : bytes).lowercasedASCIIText
    }

    private static func bytes(_ hex: String) -> [UInt8]? {
        do throws(Checksum.ParseError) {
            let checksum = try Checksum(parsing: "md5=\(hex)")
            return Base64.decoded(checksum.base64.utf8)
        } catch {
            return nil
        }
    }
}
