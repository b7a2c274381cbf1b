package import FerryCore
import HTTPTypes

/// Multipart uploads to Amazon S3 and compatible stores, and in another dialect to OSS. A small file goes in one request.
///
/// It signs nothing. The requests are signed where they are sent.
package struct S3: UploadProtocol {
    /// The store.
    let dialect: S3Dialect
    /// The checksum that goes with each part, for stores that compute what a request carries.
    private let checksum: Checksum.Algorithm?
    private let longestWhole: Int64

    /// Creates the protocol for a store.
    ///
    /// - Parameters:
    ///   - checksum: the checksum that goes with each part; `nil` for none, `.md5` for stores that know no other. A store
    ///     that computes one by itself is not sent any.
    ///   - longestWhole: the longest file that goes in one request, in bytes.
    package init(
        _ dialect: S3Dialect = .amazon,
        checksum: Checksum.Algorithm? = .crc32c,
        longestWhole: Int64 = 8 << 20
    ) {
        self.dialect = dialect
        self.checksum = checksum
        self.longestWhole = min(longestWhole, S3Dialect.longestPart)
    }

    package var rules: UploadPartRules {
        UploadPartRules(
            areIndependent: true,
            shortest: dialect.shortestPart,
            longest: S3Dialect.longestPart,
            most: S3Dialect.mostParts,
            longestWhole: longestWhole
        )
    }

    package func partChecksum(of upload: UploadRecord) -> Checksum.Algorithm? {
        dialect.toldChecksum ?? checksum.flatMap { dialect.field(of: $0) == nil ? nil : $0 }
    }

    package func expectedObject(of upload: UploadRecord) -> ExpectedObject? {
        ExpectedObject(upload.parts, dialect)
    }

    // MARK: Requests

    package func request(
        for step: UploadStep,
        of upload: UploadRecord
    ) throws(TransferFailure) -> UploadRequest {
        switch step {
        case .sendWhole: return try whole(upload)
        case .create: return try creation(of: upload)
        case .ask(let marker): return try question(about: upload, after: marker)
        case .append(let part): return try sending(part, of: upload)
        case .complete: return try completion(of: upload)
        case .look:
            var fields = try given(for: .look, of: upload)
            if !dialect.sentChecksums.isEmpty { fields[dialect.field("checksum-mode")] = "ENABLED" }
            return UploadRequest(.head, upload.url, fields: fields, isRepeatable: true)
        case .abort:
            let url = try upload.url("uploadId=\(uploadID(of: upload))")
            return UploadRequest(
                .delete,
                url,
                fields: try given(for: .abort, of: upload),
                isRepeatable: true
            )
        case .discover: throw step.failure(in: dialect.name)
        }
    }

    private func whole(_ upload: UploadRecord) throws(TransferFailure) -> UploadRequest {
        var fields = try given(for: .whole, of: upload)
        // A store takes one checksum in fields of its own, and an MD5 besides.
        let own = upload.checksums.filter { dialect.sentChecksums.contains($0.algorithm) }
        for known in [
            own.first { $0.algorithm == checksum } ?? own.first,
            upload.checksums.first { $0.algorithm == .md5 },
        ] {
            guard let known, let name = dialect.field(of: known.algorithm) else { continue }
            fields[name] = known.base64
        }
        return UploadRequest(
            .put,
            upload.url,
            fields: fields,
            body: .file(0..<upload.length),
            isRepeatable: !upload.fields.contains(where: dialect.isCondition)
        )
    }

    private func creation(of upload: UploadRecord) throws(TransferFailure) -> UploadRequest {
        let (longest, overflows) = S3Dialect.longestPart.multipliedReportingOverflow(
            by: Int64(S3Dialect.mostParts)
        )
        guard overflows || upload.length <= longest else {
            throw TransferFailure(
                .refused,
                "\(dialect.name) takes files of up to \(ByteCount(longest).formatted)."
            )
        }
        var fields = try given(for: .create, of: upload)
        if dialect.toldChecksum == nil, let checksum, dialect.sentChecksums.contains(checksum) {
            fields[dialect.field("checksum-algorithm")] = checksum.shortName.uppercased()
            // The checksum of the whole object follows from those of its parts, so it can be compared.
            if checksum.redundancyCheck != nil { fields[dialect.field("checksum-type")] = "FULL_OBJECT" }
        }
        return UploadRequest(.post, try upload.url("uploads"), fields: fields, isRepeatable: false)
    }

    private func question(
        about upload: UploadRecord,
        after marker: String?
    ) throws(TransferFailure) -> UploadRequest {
        let place = marker.map { "&part-number-marker=\(PercentEncoding.escaped($0.utf8))" } ?? ""
        let url = try upload.url("uploadId=\(uploadID(of: upload))&max-parts=1000\(place)")
        return UploadRequest(.get, url, fields: try given(for: .list, of: upload), isRepeatable: true)
    }

    private func sending(
        _ part: UploadPart,
        of upload: UploadRecord
    ) throws(TransferFailure) -> UploadRequest {
        guard (1...S3Dialect.mostParts).contains(part.number) else {
            throw TransferFailure(.internalFault, "An upload was to have a part \(part.number).")
        }
        var fields = try given(for: .part, of: upload)
        if let checksum = part.checksum, let name = dialect.field(of: checksum.algorithm) {
            fields[name] = checksum.base64
        }
        let url = try upload.url("partNumber=\(part.number)&uploadId=\(uploadID(of: upload))")
        return UploadRequest(.put, url, fields: fields, body: .file(part.range), isRepeatable: true)
    }

    private func completion(of upload: UploadRecord) throws(TransferFailure) -> UploadRequest {
        let parts = upload.parts.sorted { $0.number < $1.number }
        // An object of which a part is missing would look whole to all who read it.
        guard !parts.isEmpty, parts.map(\.number) == Array(1...parts.count),
            parts.reduce(0, { $0.addingSaturated($1.length) }) == upload.length
        else {
            throw TransferFailure(
                .internalFault,
                "An upload was to be completed, and parts of it are missing."
            )
        }
        let listed = parts.map { part in
            var text = "<PartNumber>\(part.number)</PartNumber><ETag>\(XMLElement.escaped(part.tag))</ETag>"
            if let checksum = part.checksum, let name = dialect.element(of: checksum.algorithm) {
                text += "<\(name)>\(checksum.base64)</\(name)>"
            }
            return "<Part>\(text)</Part>"
        }
        var fields = try given(for: .complete, of: upload)
        fields[.contentType] = "application/xml"
        let namespace = dialect.namespace.map { " xmlns=\"\($0)\"" } ?? ""
        let body = "<CompleteMultipartUpload\(namespace)>\(listed.joined())</CompleteMultipartUpload>"
        return UploadRequest(
            .post,
            try upload.url("uploadId=\(uploadID(of: upload))"),
            fields: fields,
            body: .bytes(Array(body.utf8)),
            isRepeatable: false
        )
    }

    private func uploadID(of upload: UploadRecord) throws(TransferFailure) -> String {
        PercentEncoding.escaped((try upload.created().name ?? "").utf8)
    }

    /// The fields that were given, as far as they go with a request.
    private func given(
        for request: S3Dialect.Request,
        of upload: UploadRecord
    ) throws(TransferFailure) -> HTTPFields {
        var fields: HTTPFields = [:]
        if request == .whole || request == .create {
            fields[.contentType] = upload.contentType
            try fields.add(metadata: upload.metadata, named: "\(dialect.prefix)meta-")
        }
        try fields.replace(by: upload.fields.filter { dialect.sends($0, with: request) })
        return fields
    }

    // MARK: Answers

    package func reading(
        _ answer: UploadAnswer,
        to step: UploadStep,
        of upload: UploadRecord,
        at now: Instant
    ) -> UploadReading {
        let answers = S3Answers(answer: answer, upload: upload, dialect: dialect, now: now)
        do throws(Problem) {
            switch step {
            case .sendWhole: return try answers.whole()
            case .create: return try answers.creation()
            case .ask(let marker): return try answers.parts(after: marker)
            case .append(let part): return try answers.acceptance(of: part)
            case .complete: return try answers.completion()
            case .look: return try answers.look()
            case .abort: return try answers.removal()
            case .discover: return .failed(Problem(step.failure(in: dialect.name), .permanent))
            }
        } catch {
            return .failed(error)
        }
    }
}
