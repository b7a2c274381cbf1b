import FerryCore
import HTTPTypes

extension UploadAnswer {
    /// Whether the server did what it was asked.
    var isSuccess: Bool { (200..<300).contains(status) }

    /// The value of a field; `nil` if it is absent.
    ///
    /// - Throws: a problem if the field occurs more than once: it is unknown which one is right.
    func value(of name: HTTPField.Name) throws(Problem) -> String? {
        let values = fields[values: name]
        guard values.count < 2 else { throw contradiction("sent \(name) more than once") }
        return values.first
    }

    /// The number of bytes in a field; `nil` if the field is absent.
    func bytes(in name: HTTPField.Name) throws(Problem) -> Int64? {
        guard let text = try value(of: name) else { return nil }
        guard let number = DecimalNumber(Array(text.utf8).trimmingBlanks)?.fitting else {
            throw contradiction("sent \(name) without a number of bytes in it")
        }
        return number
    }

    /// The names in a list, in lowercase (RFC 9110 §5.6.1).
    func list(in name: HTTPField.Name) -> [String] {
        fields[values: name].flatMap { $0.utf8.split(separator: 0x2C) }.map {
            $0.trimmingBlanks.lowercasedASCIIText
        }
        .filter { !$0.isEmpty }
    }

    /// The moment in a field; `nil` if there is none that can be read.
    func date(in name: HTTPField.Name, at now: Instant) -> Instant? {
        fields[name].flatMap { Instant(httpDate: $0, now: now) }
    }

    /// The URL of an upload that was created.
    ///
    /// It may be on another origin: servers give uploads to hosts of their own. Requests to it carry none of the
    /// credentials (I7). It is not followed from https to http, because there anyone could read the file.
    func location() throws(Problem) -> HTTPURL {
        guard let text = try value(of: .location) else {
            throw contradiction("created the upload, and did not say where it is")
        }
        var target: HTTPURL
        do {
            target = try url.resolving(text)
        } catch {
            throw contradiction("created the upload at an invalid URL")
        }
        if target.scheme == .http, url.scheme != .http {
            throw .permanent(
                .redirectRefused,
                "\(url.hostAndPort) created the upload at \(target.redacted), which is not encrypted."
            )
        }
        if target.origin != url.origin { target = target.withoutUserinfo }
        return target.withoutFragment
    }

    // MARK: Problems

    /// The problem of an answer that breaks the rules of the protocol.
    ///
    /// - Parameter predicate: what the server did.
    func contradiction(_ predicate: String) -> Problem {
        .permanent(.badResponse, "\(url.hostAndPort) \(predicate) (\(status)).")
    }

    /// The problem of an answer that gives something another length than the file has.
    func contradiction(of subject: String, _ length: Int64, than expected: Int64) -> Problem {
        let (found, wanted) = (ByteCount(length), ByteCount(expected))
        return contradiction(
            "says that \(subject) has \(found.formatted(beside: expected)), and the file has "
                + "\(wanted.formatted(beside: length))"
        )
    }

    /// The problem of an answer that counts more bytes than were sent.
    func excess(at offset: Int64) -> Problem {
        contradiction("says that it has \(ByteCount(offset).formatted), more than it was sent")
    }

    /// The problem of an answer whose status says all.
    func problem(at now: Instant) -> Problem {
        switch status {
        case ..<300: contradiction("answered with a status that the protocol of this upload does not have")
        case 409, 423:
            .transient(
                .refused,
                "\(url.hostAndPort) is busy with this upload (\(status)).",
                retryAfter: retryAfter(at: now)
            )
        case 413: .permanent(.refused, "\(url.hostAndPort) takes no file of this length (413).")
        case 412:
            .permanent(
                .destinationExists,
                "\(url.hostAndPort) refuses the upload: a condition of it does not hold (412)."
            )
        default:
            StatusProblem.problem(
                for: ResponseFacts(
                    ResponseHead(status: status, headers: fields, bodyLength: nil),
                    from: url,
                    at: now
                ),
                url: url,
                hasWorked: false
            )
        }
    }

    /// How long the server asks to wait; `nil` if it does not.
    func retryAfter(at now: Instant) -> Duration? { RetryAfter.wait(askedBy: fields, at: now) }

    // MARK: Results

    /// What the answer says of the object.
    func result(
        entityTag: String? = nil,
        version: String? = nil,
        checksums: [Checksum] = []
    ) -> UploadResult {
        UploadResult(
            status: status,
            fields: fields.map { HeaderField(name: $0.name.rawName, value: $0.value) },
            body: Array(body.prefix(Self.longestKeptBody)),
            entityTag: entityTag ?? fields[.eTag],
            version: version,
            checksums: checksums
        )
    }

    /// How much of a body is kept with a result, in bytes.
    private static let longestKeptBody = 64 << 10
}
