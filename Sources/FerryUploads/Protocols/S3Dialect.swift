import FerryCore
import HTTPTypes

/// What differs between the stores that take a file in parts.
package struct S3Dialect: Hashable, Sendable {
    /// The name of the store for people.
    let name: String
    /// What its own header fields begin with.
    let prefix: String
    /// Its shortest part but the last, in bytes.
    let shortestPart: Int64
    /// The checksum of a part that the store computes without being asked, and tells; `nil` if it computes the one that a
    /// request carries.
    let toldChecksum: Checksum.Algorithm?
    /// The algorithms of checksums that a request can carry in a field of its own.
    let sentChecksums: Set<Checksum.Algorithm>
    /// The namespace of the documents that it takes; `nil` for none.
    let namespace: String?
    /// Whether the entity tag of an object in parts is made of the tags of its parts.
    let combinesTags: Bool

    /// Amazon S3, and the stores that are compatible with it.
    package static let amazon = S3Dialect(
        name: "S3",
        prefix: "x-amz-",
        shortestPart: 5 << 20,
        toldChecksum: nil,
        sentChecksums: [.crc32, .crc32c, .crc64nvme, .sha1, .sha256],
        namespace: "http://s3.amazonaws.com/doc/2006-03-01/",
        combinesTags: true
    )

    /// Alibaba Cloud OSS.
    package static let alibaba = S3Dialect(
        name: "OSS",
        prefix: "x-oss-",
        shortestPart: 100 << 10,
        toldChecksum: .crc64ecma,
        sentChecksums: [],
        namespace: nil,
        combinesTags: false
    )

    /// The longest part of every store, in bytes.
    static let longestPart: Int64 = 5 << 30
    /// The largest number of parts of every store.
    static let mostParts = 10_000

    /// A field of the store's own.
    func field(_ name: String) -> HTTPField.Name { HTTPField.Name(prefix + name)! }

    /// The field that carries a checksum; `nil` if there is none.
    func field(of algorithm: Checksum.Algorithm) -> HTTPField.Name? {
        if algorithm == .md5 { return .contentMD5 }
        return sentChecksums.contains(algorithm) ? field("checksum-\(algorithm.shortName)") : nil
    }

    /// The name of the element that has a checksum; `nil` if there is none.
    func element(of algorithm: Checksum.Algorithm) -> String? {
        sentChecksums.contains(algorithm) ? "Checksum\(algorithm.shortName.uppercased())" : nil
    }

    /// The checksum of a part in the store's list of parts, or of an object in the answer that completes it.
    func checksum(in element: XMLElement) -> Checksum? {
        if let text = element.text(of: "HashCrc64ecma"), toldChecksum == .crc64ecma {
            return Checksum(crc64ecmaDecimal: text.utf8)
        }
        for algorithm in Checksum.Algorithm.allCases {
            guard let name = self.element(of: algorithm), let text = element.text(of: name),
                let checksum = Checksum(algorithm, base64: text)
            else { continue }
            return checksum
        }
        return nil
    }

    // MARK: Fields that were given

    /// A request of an upload, as far as given fields are concerned.
    enum Request {
        case whole, create, part, list, complete, look, abort
    }

    /// Whether a field that was given goes with a request.
    func sends(_ field: HeaderField, with request: Request) -> Bool {
        let name = Array(field.name.utf8).lowercasedASCIIText
        let own = name.hasPrefix(prefix) ? name.dropFirst(prefix.count) : ""
        switch own {
        case "request-payer", "expected-bucket-owner": return true
        // An object that this forbids is refused before its bytes are sent.
        case "forbid-overwrite": return [.whole, .create, .complete].contains(request)
        case "callback", "callback-var": return [.whole, .complete].contains(request)
        case _ where own.hasPrefix("server-side-encryption-customer-"): return request != .abort
        default: break
        }
        if isCondition(field) { return [.whole, .complete].contains(request) }
        return [.whole, .create].contains(request)
    }

    /// Whether a field makes a request fail when it arrives a second time.
    func isCondition(_ field: HeaderField) -> Bool {
        let name = Array(field.name.utf8).lowercasedASCIIText
        return ["if-match", "if-none-match", "\(prefix)forbid-overwrite"].contains(name)
    }
}

extension HTTPField.Name {
    static let contentMD5 = HTTPField.Name("Content-MD5")!
}

extension Checksum {
    /// Creates a checksum from base64; `nil` unless it has the length of the algorithm.
    init?(_ algorithm: Algorithm, base64 text: String) {
        guard let bytes = Base64.decoded(Array(text.utf8).trimmingBlanks), bytes.count == algorithm.length
        else {
            return nil
        }
        self.init(algorithm: algorithm, digest: bytes)
    }
}
