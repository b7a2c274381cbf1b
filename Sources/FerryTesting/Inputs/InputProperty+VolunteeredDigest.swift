import FerryCore
import HTTPTypes

extension InputProperty {
    /// For any fields of a response, a digest from them is complete. It counts for the file only if that is
    /// certain, and a digest that a server wrote is read as written.
    ///
    /// The first line is the status; each further line is a field.
    package static let volunteeredDigest = InputProperty("volunteered-digest") { input in
        let (first, tail) = input.headAndTail
        var fields = HTTPFields()
        for line in tail.lines.prefix(200) {
            do throws(HeaderLine.ParseError) {
                let line = try HeaderLine(parsing: line)
                fields.append(HTTPField(name: line.name, value: line.value))
            } catch {
                continue
            }
        }
        let status = Int(first) ?? 200
        let head = ResponseHead(status: status, headers: fields, bodyLength: nil)
        let digests = VolunteeredDigest.all(in: head)
        try require(digests.isEmpty || status == 200 || status == 206, "only a file has a digest")
        for digest in digests {
            try requireWhole(digest.checksum)
            let isThere = fields.contains { $0.name.canonicalName == digest.source.rawValue }
            try require(isThere, "a digest stands in its field")
            try require(
                digest.subject == .file || status == 206 && digest.source == .contentDigest,
                "only of a part the content is not the file"
            )
            try requireReadable(digest.checksum)
        }
        let whole = digests.filter { $0.subject == .file }
        guard let strongest = VolunteeredDigest.strongest(of: digests) else {
            let contradict = whole.allSatisfy { one in
                whole.contains {
                    $0.checksum.algorithm == one.checksum.algorithm && $0.checksum != one.checksum
                }
            }
            return try require(contradict, "a digest that nothing contradicts is used")
        }
        try require(whole.contains(strongest), "one of the file is chosen")
        let others = whole.filter { $0.checksum.algorithm == strongest.checksum.algorithm }
        try require(
            others.allSatisfy { $0.checksum == strongest.checksum },
            "and one that nothing contradicts"
        )
    }

    /// Throws unless a hash is read from the field in which a server would send it.
    private static func requireReadable(_ checksum: Checksum) throws {
        let names: [Checksum.Algorithm: String] = [
            .sha512: "sha-512", .sha384: "sha-384", .sha256: "sha-256", .sha1: "sha", .md5: "md5",
        ]
        guard let key = names[checksum.algorithm] else { return }
        let line = try HeaderLine(
            parsing: "Repr-Digest: x=?1;y=\"a,b\", \(key)=:\(base64(checksum.hex)):, z=(a 1.5)"
        )
        let fields: HTTPFields = [line.name: line.value]
        let digests = VolunteeredDigest.all(in: ResponseHead(status: 206, headers: fields, bodyLength: nil))
        try require(
            digests == [VolunteeredDigest(checksum, source: .reprDigest, subject: .file)],
            "what is written is read as the same"
        )
    }

    /// Hexadecimal digits as base64, bit by bit.
    private static func base64(_ hex: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var bits = hex.flatMap { digit in
            (0..<4).reversed().map { (digit.hexDigitValue ?? 0) >> $0 & 1 }
        }
        while bits.count % 6 != 0 { bits.append(0) }
        var text = stride(from: 0, to: bits.count, by: 6).map { start in
            alphabet[bits[start..<start + 6].reduce(0) { $0 << 1 | $1 }]
        }
        while text.count % 4 != 0 { text.append("=") }
        return String(text)
    }
}
