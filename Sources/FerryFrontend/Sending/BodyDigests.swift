import Ferry

/// The header fields with digests of a body that are sent along.
struct BodyDigests: Hashable, Sendable {
    private struct Field: Hashable, Sendable {
        var name: String
        var algorithm: Checksum.Algorithm
    }

    private let fields: [Field]

    /// Reads the options.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for an algorithm that these fields do not have.
    init(_ input: SendInput) throws(CommandFailure) {
        var fields: [Field] = []
        for name in input.contentDigests {
            fields.append(
                Field(name: "Content-Digest", algorithm: try Self.algorithm(name, "--content-digest"))
            )
        }
        for name in input.reprDigests {
            fields.append(Field(name: "Repr-Digest", algorithm: try Self.algorithm(name, "--repr-digest")))
        }
        if input.sendsContentMD5 { fields.append(Field(name: "Content-MD5", algorithm: .md5)) }
        self.fields = fields
    }

    /// The active algorithms of the registry (RFC 9530 §7.2). Servers need not know any other.
    private static func algorithm(
        _ name: String,
        _ option: String
    ) throws(CommandFailure) -> Checksum.Algorithm {
        guard let algorithm = Checksum.Algorithm(named: name), [.sha256, .sha512].contains(algorithm) else {
            throw .usage("\(option) takes sha-256 or sha-512, and not \(QuotedWord(name)).")
        }
        return algorithm
    }

    /// The names of the fields.
    var names: Set<String> { Set(fields.map(\.name)) }

    /// The algorithms, each once.
    var algorithms: [Checksum.Algorithm] {
        Checksum.Algorithm.allCases.filter { algorithm in fields.contains { $0.algorithm == algorithm } }
    }

    /// The fields.
    ///
    /// - Parameter checksums: those by ``algorithms``, in that order.
    func headers(_ checksums: [Checksum]) -> [HeaderField] {
        var headers: [HeaderField] = []
        for field in fields {
            guard let checksum = checksums.first(where: { $0.algorithm == field.algorithm }) else { continue }
            // A byte sequence of structured fields is between colons; Content-MD5 is older (RFC 1864).
            let value =
                field.algorithm == .md5
                ? checksum.base64 : "\(field.algorithm.rawValue)=:\(checksum.base64):"
            if let index = headers.firstIndex(where: { $0.name == field.name }) {
                if !headers[index].value.contains(value) { headers[index].value += ", \(value)" }
            } else {
                headers.append(HeaderField(name: field.name, value: value))
            }
        }
        return headers
    }
}
