package import FerryCore
import HTTPTypes

/// Resumable uploads by tus 1.0.0 (https://tus.io/protocols/resumable-upload).
///
/// An upload is complete when its offset equals its length; the answer to the last part says so, or that to a question.
package struct Tus: UploadProtocol {
    private static let version = "1.0.0"
    private static let name = "tus"

    package init() {}

    package var rules: UploadPartRules { UploadPartRules(areIndependent: false) }

    package var discovers: Bool { true }

    /// The first algorithm of these that the server offers; every server with checksums has SHA-1.
    package func partChecksum(of upload: UploadRecord) -> Checksum.Algorithm? {
        guard let offer = upload.offer, offer.extensions.contains("checksum") else { return nil }
        return [.sha1, .sha256, .md5].first(where: offer.checksums.contains)
    }

    // MARK: Requests

    package func request(
        for step: UploadStep,
        of upload: UploadRecord
    ) throws(TransferFailure) -> UploadRequest {
        switch step {
        case .discover: return UploadRequest(.options, upload.url, isRepeatable: true)
        case .create: return try creation(of: upload)
        case .ask, .look:
            return UploadRequest(.head, try upload.created().url, fields: Self.fields, isRepeatable: true)
        case .append(let part):
            var fields = Self.fields
            fields[.contentType] = Self.contentType
            fields[.uploadOffset] = String(part.range.lowerBound)
            if let checksum = part.checksum {
                fields[.uploadChecksum] = "\(checksum.algorithm.shortName) \(checksum.base64)"
            }
            return UploadRequest(
                .patch,
                try upload.created().url,
                fields: fields,
                body: .file(part.range),
                isRepeatable: false
            )
        case .abort:
            if let offer = upload.offer, !offer.extensions.contains("termination") {
                throw TransferFailure(
                    .refused,
                    "\(upload.url.hostAndPort) removes no uploads; it may forget this one after a while."
                )
            }
            return UploadRequest(.delete, try upload.created().url, fields: Self.fields, isRepeatable: true)
        case .sendWhole, .complete: throw step.failure(in: Self.name)
        }
    }

    private static var fields: HTTPFields { [.tusResumable: version] }
    private static let contentType = "application/offset+octet-stream"

    private func creation(of upload: UploadRecord) throws(TransferFailure) -> UploadRequest {
        let extensions = upload.offer?.extensions
        guard extensions?.contains("creation") != false else {
            throw TransferFailure(.refused, "\(upload.url.hostAndPort) does not let clients create uploads.")
        }
        if let longest = upload.offer?.longest, upload.length > longest {
            throw TransferFailure(
                .refused,
                UploadOffer.refusal(of: upload.length, longest: longest, host: upload.url.hostAndPort)
            )
        }
        // What the protocol says comes before what was given.
        var fields: HTTPFields = [:]
        try fields.add(upload.fields)
        fields[.tusResumable] = Self.version
        fields[.uploadLength] = String(upload.length)
        fields[.uploadMetadata] = try Self.metadata(of: upload)
        // No byte goes along, even where the server offers that: if the answer were lost, no one would know whether the file
        // is there, and under which name.
        return UploadRequest(.post, upload.url, fields: fields, isRepeatable: false)
    }

    /// The name and the type of the file, and what was given besides. A given value comes first.
    private static func metadata(of upload: UploadRecord) throws(TransferFailure) -> String {
        var pairs: [(key: String, value: String)] = [("filename", upload.fileName)]
        if let type = upload.contentType { pairs.append(("filetype", type)) }
        for field in upload.metadata {
            guard !field.name.isEmpty,
                field.name.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x2C })
            else {
                throw TransferFailure(
                    .refused,
                    "The name of a value that goes with the file may have neither blanks nor commas, only ASCII.",
                    remedies: [.sendAgain]
                )
            }
            if let place = pairs.firstIndex(where: { $0.key == field.name }) {
                pairs[place].value = field.value
            } else {
                pairs.append((field.name, field.value))
            }
        }
        return pairs.map { pair in
            // A value that is empty is left out, with the blank before it.
            pair.value.isEmpty ? pair.key : "\(pair.key) \(Base64.encoded(Array(pair.value.utf8)))"
        }.joined(separator: ",")
    }

    // MARK: Answers

    package func reading(
        _ answer: UploadAnswer,
        to step: UploadStep,
        of upload: UploadRecord,
        at now: Instant
    ) -> UploadReading {
        do throws(Problem) {
            switch step {
            case .discover: return try offer(in: answer, at: now)
            case .create: return try creation(in: answer, of: upload, at: now)
            case .ask, .look: return try position(in: answer, of: upload, at: now)
            case .append(let part): return try acceptance(in: answer, of: part, upload, at: now)
            case .abort: return try removal(in: answer, at: now)
            case .sendWhole, .complete: return .failed(Problem(step.failure(in: Self.name), .permanent))
            }
        } catch {
            return .failed(error)
        }
    }

    private func offer(in answer: UploadAnswer, at now: Instant) throws(Problem) -> UploadReading {
        switch answer.status {
        case 200..<300: break
        case 404, 405, 412, 501: return .notSpoken
        default: throw answer.problem(at: now)
        }
        guard answer.list(in: .tusVersion).contains(Self.version) else { return .notSpoken }
        let offer = UploadOffer(
            extensions: Set(answer.list(in: .tusExtension)),
            longest: try answer.bytes(in: .tusMaxSize),
            checksums: answer.list(in: .tusChecksumAlgorithm).compactMap { Checksum.Algorithm(named: $0) }
        )
        return .offers(offer)
    }

    private func creation(
        in answer: UploadAnswer,
        of upload: UploadRecord,
        at now: Instant
    ) throws(Problem) -> UploadReading {
        switch answer.status {
        // A server that knows nothing of tus may also take a POST and say where the new resource is.
        case 200..<300: guard answer.fields[.tusResumable] != nil else { return .notSpoken }
        case 405, 501: return .notSpoken
        default: throw try failure(in: answer, at: now)
        }
        guard answer.status == 201 else { throw answer.problem(at: now) }
        let url = try answer.location()
        // Nothing was sent yet. A server does not have to say that it has nothing.
        guard try offset(in: answer, of: upload) ?? 0 == 0 else {
            throw answer.contradiction("created an upload, and says that it has bytes of it")
        }
        if upload.length == 0 { return .done(answer.result()) }
        return .created(UploadHandle(url: url, expiry: answer.date(in: .uploadExpires, at: now)), offset: 0)
    }

    private func position(
        in answer: UploadAnswer,
        of upload: UploadRecord,
        at now: Instant
    ) throws(Problem) -> UploadReading {
        switch answer.status {
        case 200, 204: break
        // Not 401: that one is about credentials. A server that hides its uploads answers with 403 to all that it forgot.
        case 403, 404, 410: return .gone
        default: throw try failure(in: answer, at: now)
        }
        guard let offset = try offset(in: answer, of: upload) else {
            throw answer.contradiction("did not say how far the upload is")
        }
        return reached(offset, in: answer, of: upload, at: now)
    }

    private func acceptance(
        in answer: UploadAnswer,
        of part: UploadPart,
        _ upload: UploadRecord,
        at now: Instant
    ) throws(Problem) -> UploadReading {
        switch answer.status {
        case 200, 204: break
        case 404, 410: return .gone
        case 409: return .misplaced(nil)
        case 460: return .damaged
        default: throw try failure(in: answer, at: now)
        }
        guard let offset = try offset(in: answer, of: upload) else {
            throw answer.contradiction("took bytes, and did not say how many")
        }
        guard offset <= part.range.upperBound else {
            throw answer.excess(at: offset)
        }
        guard offset >= part.range.lowerBound else { return .misplaced(offset) }
        return reached(offset, in: answer, of: upload, at: now)
    }

    private func removal(in answer: UploadAnswer, at now: Instant) throws(Problem) -> UploadReading {
        if answer.isSuccess || answer.status == 404 || answer.status == 410 { return .removed }
        throw try failure(in: answer, at: now)
    }

    private func reached(
        _ offset: Int64,
        in answer: UploadAnswer,
        of upload: UploadRecord,
        at now: Instant
    ) -> UploadReading {
        upload.isComplete(at: offset)
            ? .done(answer.result()) : .reached(offset, expiry: answer.date(in: .uploadExpires, at: now))
    }

    /// How far the server is; `nil` if it does not say.
    ///
    /// - Throws: a problem if the server means another file: bytes of two files must never become one.
    private func offset(in answer: UploadAnswer, of upload: UploadRecord) throws(Problem) -> Int64? {
        if let length = try answer.bytes(in: .uploadLength), length != upload.length {
            throw answer.contradiction(of: "the upload", length, than: upload.length)
        }
        guard let offset = try answer.bytes(in: .uploadOffset) else { return nil }
        guard offset <= upload.length else {
            throw answer.contradiction(of: "it", offset, than: upload.length)
        }
        return offset
    }

    private func failure(in answer: UploadAnswer, at now: Instant) throws(Problem) -> Problem {
        guard answer.status == 412 else { return answer.problem(at: now) }
        let versions = answer.list(in: .tusVersion).filter { $0.utf8.allSatisfy { $0.isOfVersion } }
        let others = versions.isEmpty ? "" : "; it speaks \(versions.prefix(8).joined(separator: ", "))"
        return .permanent(
            .refused,
            "\(answer.url.hostAndPort) does not speak version \(Self.version) of tus (412)\(others)."
        )
    }
}

extension UInt8 {
    /// Whether it may be in the number of a version, so that a message can quote it.
    fileprivate var isOfVersion: Bool { (0x30...0x39).contains(self) || self == 0x2E }
}

extension HTTPField.Name {
    static let tusResumable = HTTPField.Name("Tus-Resumable")!
    static let tusVersion = HTTPField.Name("Tus-Version")!
    static let tusExtension = HTTPField.Name("Tus-Extension")!
    static let tusMaxSize = HTTPField.Name("Tus-Max-Size")!
    static let tusChecksumAlgorithm = HTTPField.Name("Tus-Checksum-Algorithm")!
    static let uploadLength = HTTPField.Name("Upload-Length")!
    static let uploadOffset = HTTPField.Name("Upload-Offset")!
    static let uploadExpires = HTTPField.Name("Upload-Expires")!
    static let uploadMetadata = HTTPField.Name("Upload-Metadata")!
    static let uploadChecksum = HTTPField.Name("Upload-Checksum")!
}
