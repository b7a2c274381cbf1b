import Crypto
import FerryCore
import HTTPTypes

@testable import FerryUploads

/// A server that keeps uploads in memory, as its protocol says it must.
protocol ModelServer {
    /// The object, once an upload was completed.
    var object: [UInt8]? { get }
    /// The number of uploads that are neither completed nor removed.
    var openUploads: Int { get }
    /// Whether it says that it has more than the whole file.
    var lies: Bool { get set }

    /// Acts on a request, and answers; interim answers come first.
    ///
    /// - Parameter isCut: whether the connection broke before the body was over.
    mutating func answers(_ request: UploadRequest, _ body: [UInt8], isCut: Bool) -> [UploadAnswer]

    /// Forgets all uploads, as after their expiry.
    mutating func forget()

    /// Loses the last bytes that it has confirmed.
    mutating func shrink()
}

extension UploadRequest {
    /// An answer to the request.
    func answer(_ status: Int, _ fields: HTTPFields = [:], _ body: String = "") -> UploadAnswer {
        UploadAnswer(status, fields, body: Array(body.utf8), from: url)
    }

    /// The parameters of the query.
    var parameters: [String: String] {
        (url.query ?? "").split(separator: "&").reduce(into: [:]) { result, pair in
            let name = pair.prefix { $0 != "=" }
            result[String(name)] = String(pair.dropFirst(name.count + 1))
        }
    }
}

/// Checks of bytes as stores compute them.
enum ModelChecksum {
    static func md5(_ bytes: [UInt8]) -> String {
        Checksum(algorithm: .md5, digest: Insecure.MD5.hash(data: bytes)).hex
    }

    static func of(_ bytes: some Collection<UInt8>, by algorithm: Checksum.Algorithm) -> Checksum {
        let bytes = Array(bytes)
        guard let check = algorithm.redundancyCheck else {
            return algorithm == .sha1
                ? Checksum(algorithm: .sha1, digest: Insecure.SHA1.hash(data: bytes))
                : Checksum(algorithm: .md5, digest: Insecure.MD5.hash(data: bytes))
        }
        var value = check.mask
        for byte in bytes {
            value ^= UInt64(byte)
            for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 1 ? check.polynomial : 0) }
        }
        return Checksum(redundancyCheck: value ^ check.mask, by: algorithm)
    }
}
