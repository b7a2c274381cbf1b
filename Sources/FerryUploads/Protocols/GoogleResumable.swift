package import FerryCore
import HTTPTypes

/// Resumable uploads to Google Cloud Storage. A small file goes in one request where the form allows it.
///
/// The URL of a session needs no credentials, so it is a secret itself. Nothing is signed here.
package struct GoogleResumable: UploadProtocol {
    /// The interface of the store that an upload is created by.
    package enum Form: Hashable, Sendable {
        /// Its XML API, where the URL names the object.
        case xml
        /// Its JSON API, where the query does: `…/upload/storage/v1/b/BUCKET/o?name=KEY`.
        case json
    }

    private static let name = "A resumable upload to Google Cloud Storage"
    /// Each part but the last has a multiple of this many bytes.
    private static let unit: Int64 = 256 << 10

    private let form: Form
    private let longestWhole: Int64

    package init(_ form: Form = .xml, longestWhole: Int64 = 8 << 20) {
        self.form = form
        self.longestWhole = form == .xml ? longestWhole : 0
    }

    package var rules: UploadPartRules {
        UploadPartRules(
            areIndependent: false,
            shortest: Self.unit,
            unit: Self.unit,
            longestWhole: longestWhole
        )
    }

    // MARK: Requests

    package func request(
        for step: UploadStep,
        of upload: UploadRecord
    ) throws(TransferFailure) -> UploadRequest {
        switch step {
        case .sendWhole where form == .xml: return try whole(upload)
        case .create: return form == .xml ? try creation(of: upload) : try creationInJSON(of: upload)
        case .look where upload.handle == nil: return UploadRequest(.head, upload.url, isRepeatable: true)
        case .ask, .look, .complete: return try sending(nil, of: upload)
        case .append(let part):
            guard let end = Self.sentEnd(of: part) else {
                throw TransferFailure(
                    .internalFault,
                    "A part of an upload was to have less than \(Self.unit) bytes."
                )
            }
            return try sending(part.range.lowerBound..<end, of: upload)
        case .abort: return UploadRequest(.delete, try upload.created().url, isRepeatable: true)
        case .discover, .sendWhole: throw step.failure(in: Self.name)
        }
    }

    private func whole(_ upload: UploadRecord) throws(TransferFailure) -> UploadRequest {
        var fields = try given(upload)
        let sums = upload.checksums.filter { [.crc32c, .md5].contains($0.algorithm) }
        if !sums.isEmpty {
            fields[.googleHash] = sums.map { "\($0.algorithm.shortName)=\($0.base64)" }.joined(separator: ",")
        }
        let hasCondition = fields.contains { $0.name.canonicalName.hasPrefix("x-goog-if-") }
        return UploadRequest(
            .put,
            upload.url,
            fields: fields,
            body: .file(0..<upload.length),
            isRepeatable: !hasCondition
        )
    }

    private func creation(of upload: UploadRecord) throws(TransferFailure) -> UploadRequest {
        var fields = try given(upload)
        fields[.googleResumable] = "start"
        return UploadRequest(.post, upload.url, fields: fields, isRepeatable: false)
    }

    /// What belongs to the object: its type, the values that are stored with it, and the fields that were given.
    private func given(_ upload: UploadRecord) throws(TransferFailure) -> HTTPFields {
        var fields: HTTPFields = [:]
        fields[.contentType] = upload.contentType
        try fields.add(metadata: upload.metadata, named: "x-goog-meta-")
        try fields.replace(by: upload.fields)
        // Google knows this condition for answers only, and takes an object of generation 0 for one that does not exist.
        if fields[.ifNoneMatch] == "*", fields[.googleIfGeneration] == nil {
            (fields[.ifNoneMatch], fields[.googleIfGeneration]) = (nil, "0")
        }
        guard fields[.ifMatch] == nil, fields[.ifNoneMatch] == nil else {
            throw TransferFailure(
                .refused,
                "Google Cloud Storage takes no entity tag as a condition of an upload. Send x-goog-if-generation-match with "
                    + "the number of the generation instead.",
                remedies: [.sendAgain]
            )
        }
        return fields
    }

    private func creationInJSON(of upload: UploadRecord) throws(TransferFailure) -> UploadRequest {
        let names = (upload.url.query ?? "").split(separator: "&").map { $0.prefix { $0 != "=" } }
        let url = names.contains("uploadType") ? upload.url : try upload.url("uploadType=resumable")
        var members: [String] = []
        if !names.contains("name") { members.append("\"name\":\(JSONText.quoted(upload.fileName))") }
        if let type = upload.contentType { members.append("\"contentType\":\(JSONText.quoted(type))") }
        if !upload.metadata.isEmpty {
            let values = upload.metadata.map { "\(JSONText.quoted($0.name)):\(JSONText.quoted($0.value))" }
            members.append("\"metadata\":{\(values.joined(separator: ","))}")
        }
        var fields: HTTPFields = [:]
        try fields.add(upload.fields)
        fields[.contentType] = "application/json; charset=UTF-8"
        fields[.uploadContentType] = upload.contentType
        fields[.uploadContentLength] = String(upload.length)
        let body = Array("{\(members.joined(separator: ","))}".utf8)
        return UploadRequest(.post, url, fields: fields, body: .bytes(body), isRepeatable: false)
    }

    /// The request that sends a range of the file; `nil` sends nothing, and asks how far the store is.
    private func sending(
        _ range: Range<Int64>?,
        of upload: UploadRecord
    ) throws(TransferFailure) -> UploadRequest {
        let handle = try upload.created()
        // An empty file has no range. The question about it ends it.
        guard let range, !range.isEmpty else {
            let fields: HTTPFields = [.contentRange: "bytes */\(upload.length)"]
            return UploadRequest(.put, handle.url, fields: fields, isRepeatable: true)
        }
        let fields: HTTPFields = [
            .contentRange: ContentRange.bytes(range, total: upload.length).description
        ]
        return UploadRequest(.put, handle.url, fields: fields, body: .file(range), isRepeatable: false)
    }

    /// Where the bytes of a part end that are sent: the store refuses a part that has another number of them; `nil` if it is too
    /// short.
    private static func sentEnd(of part: UploadPart) -> Int64? {
        guard !part.isLast else { return part.range.upperBound }
        let length = (part.range.upperBound - part.range.lowerBound) / unit * unit
        return length > 0 ? part.range.lowerBound + length : nil
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
            case .sendWhole where form == .xml:
                guard answer.isSuccess else { throw problem(of: answer, at: now) }
                return .done(try result(answer, of: upload))
            case .create: return try creation(in: answer, at: now)
            case .look where upload.handle == nil: return try look(answer, of: upload, at: now)
            case .ask, .look, .complete:
                return try position(in: answer, of: upload, 0..<upload.length, isLast: true, at: now)
            case .append(let part):
                let range = part.range.lowerBound..<(Self.sentEnd(of: part) ?? part.range.upperBound)
                return try position(in: answer, of: upload, range, isLast: part.isLast, at: now)
            case .abort:
                guard answer.isSuccess || [404, 410, 499].contains(answer.status) else {
                    throw problem(of: answer, at: now)
                }
                return .removed
            case .discover, .sendWhole: return .failed(Problem(step.failure(in: Self.name), .permanent))
            }
        } catch {
            return .failed(error)
        }
    }

    private func creation(in answer: UploadAnswer, at now: Instant) throws(Problem) -> UploadReading {
        if [405, 501].contains(answer.status) { return .notSpoken }
        guard answer.isSuccess else { throw problem(of: answer, at: now) }
        return .created(UploadHandle(url: try answer.location()), offset: 0)
    }

    /// Reads how far the store is after it was sent a range.
    private func position(
        in answer: UploadAnswer,
        of upload: UploadRecord,
        _ range: Range<Int64>,
        isLast: Bool,
        at now: Instant
    ) throws(Problem) -> UploadReading {
        switch answer.status {
        case 200, 201:
            guard isLast else {
                throw answer.contradiction("took a part, and says that the file is complete")
            }
            return .done(try result(answer, of: upload))
        case 308: break
        case 404, 410, 499: return .gone
        default: throw problem(of: answer, at: now)
        }
        let offset = try offset(in: answer)
        guard offset <= range.upperBound else {
            throw answer.excess(at: offset)
        }
        return offset < range.lowerBound ? .misplaced(offset) : .reached(offset, expiry: nil)
    }

    /// How many bytes the store has: `Range: bytes=0-41` says 42, and no field says 0.
    private func offset(in answer: UploadAnswer) throws(Problem) -> Int64 {
        guard let text = try answer.value(of: .range) else { return 0 }
        let bytes = Array(text.utf8).trimmingBlanks
        let prefix = Array("bytes=0-".utf8)
        guard bytes.starts(with: prefix), let last = DecimalNumber(bytes.dropFirst(prefix.count))?.fitting,
            last < .max
        else { throw answer.contradiction("sent a range that does not say how far the upload is") }
        return last + 1
    }

    private func look(
        _ answer: UploadAnswer,
        of upload: UploadRecord,
        at now: Instant
    ) throws(Problem) -> UploadReading {
        if answer.status == 404 { return .absent }
        guard answer.isSuccess else { throw problem(of: answer, at: now) }
        let stored = try length(of: answer)
        let length = if let stored { stored as Int64? } else { try answer.bytes(in: .contentLength) }
        guard length == upload.length else { return .absent }
        let sums = checksums(of: answer)
        let known = upload.checksums.filter { own in sums.contains { $0.algorithm == own.algorithm } }
        // Another object of the same length may have been there before.
        let isSame =
            upload.former.map { former in
                described(upload).allSatisfy { $0.isTold(in: answer.fields) }
                    && former.isStill(answer.fields, length: length, at: now)
            } ?? (!known.isEmpty && known.allSatisfy(sums.contains))
        return isSame ? .done(try result(answer, of: upload)) : .absent
    }

    /// The fields that the object must have, as far as the store tells them.
    private func described(_ upload: UploadRecord) -> [HeaderField] {
        let type = upload.contentType.map { [HeaderField(name: "Content-Type", value: $0)] } ?? []
        let metadata = upload.metadata.map { HeaderField(name: "x-goog-meta-\($0.name)", value: $0.value) }
        return type + metadata
            + upload.fields.filter { field in
                !["x-goog-if-", "x-goog-encryption-"].contains { field.name.lowercased().hasPrefix($0) }
            }
    }

    // MARK: The object

    /// What the store says of the object.
    ///
    /// - Throws: a problem if the object has another length than the file.
    private func result(_ answer: UploadAnswer, of upload: UploadRecord) throws(Problem) -> UploadResult {
        if let length = try length(of: answer), length != upload.length {
            throw answer.contradiction(of: "the object", length, than: upload.length)
        }
        return answer.result(
            entityTag: text("/etag", of: answer),
            version: answer.fields[.googleGeneration] ?? text("/generation", of: answer),
            checksums: checksums(of: answer)
        )
    }

    private func length(of answer: UploadAnswer) throws(Problem) -> Int64? {
        if let length = try answer.bytes(in: .googleStoredLength) { return length }
        return text("/size", of: answer).flatMap { DecimalNumber($0.utf8)?.fitting }
    }

    private func checksums(of answer: UploadAnswer) -> [Checksum] {
        let told = VolunteeredDigest.all(
            in: ResponseHead(status: 200, headers: answer.fields, bodyLength: nil)
        )
        .filter { $0.source == .googleHash }.map(\.checksum)
        let described: [(Checksum.Algorithm, String)] = [(.crc32c, "/crc32c"), (.md5, "/md5Hash")]
        return told
            + described.compactMap { algorithm, pointer in
                text(pointer, of: answer).flatMap { Checksum(algorithm, base64: $0) }
            }
    }

    /// A text of the description that the JSON API sends of an object.
    private func text(_ pointer: String, of answer: UploadAnswer) -> String? {
        guard form == .json, let place = JSONPointer(pointer) else { return nil }
        return JSONText.values(at: [place], in: answer.body)?[place].flatMap { JSONText.string($0) }
    }

    private func problem(of answer: UploadAnswer, at now: Instant) -> Problem {
        ObjectStoreError(answer)?.problem(in: answer, at: now) ?? answer.problem(at: now)
    }
}

extension HTTPField.Name {
    static let googleResumable = HTTPField.Name("x-goog-resumable")!
    static let googleHash = HTTPField.Name("x-goog-hash")!
    static let googleIfGeneration = HTTPField.Name("x-goog-if-generation-match")!
    static let googleGeneration = HTTPField.Name("x-goog-generation")!
    static let googleStoredLength = HTTPField.Name("x-goog-stored-content-length")!
    static let uploadContentType = HTTPField.Name("X-Upload-Content-Type")!
    static let uploadContentLength = HTTPField.Name("X-Upload-Content-Length")!
}
