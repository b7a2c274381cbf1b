extension Checksum {
    /// A digest algorithm, the strongest first; the raw value is how it is stored and shown.
    public enum Algorithm: String, Hashable, Sendable, Codable, CaseIterable {
        /// SHA-512 (FIPS 180-4).
        case sha512 = "sha-512"
        /// SHA-384 (FIPS 180-4).
        case sha384 = "sha-384"
        /// SHA-256 (FIPS 180-4).
        case sha256 = "sha-256"
        /// SHA-1 (FIPS 180-4). It detects a damaged file, not a forged one.
        case sha1 = "sha-1"
        /// MD5 (RFC 1321). It detects a damaged file, not a forged one.
        case md5
        /// CRC-64/NVME (NVM Express NVM Command Set §5.2.1.3.4), which S3 computes by default.
        case crc64nvme
        /// CRC-64/XZ, with the polynomial of ECMA-182, which Alibaba OSS sends and `xz` calls CRC64.
        case crc64ecma
        /// CRC-32C (Castagnoli, RFC 3720 §12.1).
        case crc32c
        /// CRC-32 (ISO-HDLC), used by zip, gzip, PNG and `.sfv` files, and by Amazon's tools by default.
        case crc32
    }
}

extension Checksum.Algorithm {
    /// The length of a digest in bytes.
    public var length: Int {
        switch self {
        case .sha512: 64
        case .sha384: 48
        case .sha256: 32
        case .sha1: 20
        case .md5: 16
        case .crc64nvme, .crc64ecma: 8
        case .crc32c, .crc32: 4
        }
    }

    /// The cyclic redundancy check; `nil` for a hash function.
    package var redundancyCheck: CyclicRedundancyCheck? {
        switch self {
        case .sha512, .sha384, .sha256, .sha1, .md5: nil
        case .crc64nvme: .crc64nvme
        case .crc64ecma: .crc64ecma
        case .crc32c: .crc32c
        case .crc32: .crc32
        }
    }

    /// Whether it is infeasible to make other bytes with the same digest. A cyclic redundancy check detects
    /// transmission errors and says nothing of the origin of the bytes.
    public var provesOrigin: Bool { redundancyCheck == nil }

    /// The name as typed: without hyphens.
    public var shortName: String { rawValue.filter { $0 != "-" } }

    /// Creates the algorithm with a common name.
    ///
    /// Case, hyphens and underscores do not matter. `SHA2-256` is OpenSSL's name of SHA-256, and `sha` is SHA-1 in
    /// the registry of RFC 9530. `crc64` alone is the check of `xz`, 7-Zip and Alibaba's tools; those of Amazon
    /// always say `crc64nvme`.
    ///
    /// - Returns: `nil` for any other name.
    public init?(named name: some StringProtocol) {
        let key = name.utf8.filter { $0 != 0x2D && $0 != 0x5F }.lowercasedASCIIText
        switch key {
        case "sha2512": self = .sha512
        case "sha2384": self = .sha384
        case "sha2256": self = .sha256
        case "sha": self = .sha1
        case "crc64", "crc64xz": self = .crc64ecma
        default:
            guard let match = Self.allCases.first(where: { $0.shortName == key }) else { return nil }
            self = match
        }
    }
}
