import HTTPTypes

extension VolunteeredDigest {
    /// All digests that a response gives.
    ///
    /// Only a 200 and a 206 say anything about the file. A field that is malformed, or occurs twice where one is
    /// allowed, is ignored.
    package static func all(in head: ResponseHead) -> [VolunteeredDigest] {
        guard head.status == 200 || head.status == 206 else { return [] }
        // Most responses have no such field.
        let hasAny = head.headers.contains { Source(rawValue: $0.name.canonicalName) != nil }
        guard hasAny else { return [] }
        let fields = Fields(head.headers)
        let isPart = head.status == 206
        return Source.allCases.flatMap { source in
            let subject: Subject = source == .contentDigest && isPart ? .part : .file
            return checksums(from: source, fields, isPart: isPart).map {
                VolunteeredDigest($0, source: source, subject: subject)
            }
        }
    }

    private static func checksums(from source: Source, _ fields: Fields, isPart: Bool) -> [Checksum] {
        switch source {
        case .reprDigest, .contentDigest:
            return structured(fields.list(source.rawValue))
        case .digest:
            return fields.list(source.rawValue).utf8.split(separator: 0x2C).compactMap(instanceDigest)
        case .contentMD5:
            return isPart
                ? [] : fields.only(source.rawValue).flatMap { base64($0.utf8, .md5) }.map { [$0] } ?? []
        case .googleHash:
            return fields.isAsStoredAtGoogle ? googleHashes(fields.list(source.rawValue)) : []
        case .amazonCRC32C: return amazon(source, .crc32c, fields, isPart: isPart)
        case .amazonCRC32: return amazon(source, .crc32, fields, isPart: isPart)
        case .amazonCRC64NVME: return amazon(source, .crc64nvme, fields, isPart: isPart)
        case .amazonSHA1: return amazon(source, .sha1, fields, isPart: isPart)
        case .amazonSHA256: return amazon(source, .sha256, fields, isPart: isPart)
        case .alibabaCRC64:
            // OSS can compress on the way. The digest is then of the uncompressed bytes.
            guard fields.codings.isEmpty, let value = fields.only(source.rawValue) else { return [] }
            return Checksum(crc64ecmaDecimal: value.utf8).map { [$0] } ?? []
        }
    }

    /// RFC 9530: a dictionary of byte sequences. Its deprecated `crc32c` is left out: the registry does not say
    /// whether its bytes are the check or its digits.
    private static func structured(_ value: String) -> [Checksum] {
        guard let dictionary = StructuredDictionary(value) else { return [] }
        let names: [(String, Checksum.Algorithm)] = [
            ("sha-512", .sha512), ("sha-384", .sha384), ("sha-256", .sha256), ("sha", .sha1), ("md5", .md5),
        ]
        return names.compactMap { name, algorithm in
            dictionary.byteSequences[name].flatMap { checksum($0, algorithm) }
        }
    }

    /// RFC 3230: `ALGORITHM=VALUE`, in base64; a check is in hexadecimal digits instead.
    private static func instanceDigest(_ item: Substring.UTF8View) -> Checksum? {
        guard let equals = item.firstIndex(of: 0x3D) else { return nil }
        let value = item[item.index(after: equals)...].trimmingBlanks
        switch item[..<equals].trimmingBlanks.lowercasedASCIIText {
        case "sha-512": return base64(value, .sha512)
        case "sha-384": return base64(value, .sha384)
        case "sha-256": return base64(value, .sha256)
        case "sha": return base64(value, .sha1)
        case "md5": return base64(value, .md5)
        case "crc32c":
            guard (1...8).contains(value.count) else { return nil }
            return Checksum(.crc32c, hexadecimal: [UInt8](repeating: 0x30, count: 8 - value.count) + value)
        default: return nil
        }
    }

    private static func googleHashes(_ value: String) -> [Checksum] {
        value.utf8.split(separator: 0x2C).compactMap { item in
            let item = item.trimmingBlanks
            if item.starts(with: "crc32c=".utf8) { return base64(item.dropFirst(7), .crc32c) }
            if item.starts(with: "md5=".utf8) { return base64(item.dropFirst(4), .md5) }
            return nil
        }
    }

    /// A digest from S3 covers the whole object only if no part was requested and it is not composed of the checksums
    /// of the uploaded parts. A composed one ends with the number of parts, except in the answer to a range.
    private static func amazon(
        _ source: Source,
        _ algorithm: Checksum.Algorithm,
        _ fields: Fields,
        isPart: Bool
    ) -> [Checksum] {
        guard !isPart, fields.codings.isEmpty, fields.isWholeAtAmazon,
            let value = fields.only(source.rawValue)
        else { return [] }
        return base64(value.utf8, algorithm).map { [$0] } ?? []
    }

    private static func base64(
        _ text: some BidirectionalCollection<UInt8>,
        _ algorithm: Checksum.Algorithm
    ) -> Checksum? {
        Base64.decoded(text.trimmingBlanks).flatMap { checksum($0, algorithm) }
    }

    private static func checksum(_ bytes: [UInt8], _ algorithm: Checksum.Algorithm) -> Checksum? {
        bytes.count == algorithm.length ? Checksum(algorithm: algorithm, digest: bytes) : nil
    }
}

extension VolunteeredDigest {
    /// The fields of a response, by lowercase name.
    private struct Fields {
        private var values: [String: [String]] = [:]

        init(_ fields: HTTPFields) {
            for field in fields { values[field.name.canonicalName, default: []].append(field.value) }
        }

        /// The lines of a field, joined as in RFC 9110 §5.2.
        func list(_ name: String) -> String {
            values[name, default: []].joined(separator: ", ")
        }

        /// The value of a field that occurs once.
        func only(_ name: String) -> String? {
            guard let lines = values[name], lines.count == 1 else { return nil }
            return lines[0]
        }

        /// The codings that were applied to the body, except `identity`.
        var codings: [String] { codings("content-encoding") }

        private func codings(_ name: String) -> [String] {
            list(name).utf8.split(separator: 0x2C).map { $0.trimmingBlanks.lowercasedASCIIText }
                .filter { !$0.isEmpty && $0 != "identity" }
        }

        /// Whether the body is as Google stores it, and was not decompressed on the way.
        var isAsStoredAtGoogle: Bool { codings("x-goog-stored-content-encoding") == codings }

        var isWholeAtAmazon: Bool {
            guard values["x-amz-checksum-type"] != nil else { return true }
            return only("x-amz-checksum-type")?.utf8.equalsIgnoringASCIICase("FULL_OBJECT".utf8) == true
        }
    }
}
