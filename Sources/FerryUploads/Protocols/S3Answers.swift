import FerryCore
import HTTPTypes

/// The answer of a store to a step of an upload.
struct S3Answers {
    let answer: UploadAnswer
    let upload: UploadRecord
    let dialect: S3Dialect
    let now: Instant

    func whole() throws(Problem) -> UploadReading {
        try succeed()
        return .done(result(checksums))
    }

    func creation() throws(Problem) -> UploadReading {
        if !answer.isSuccess {
            if ObjectStoreError(answer)?.meaning == .notSpoken || [405, 501].contains(answer.status) {
                return .notSpoken
            }
            throw problem
        }
        try succeed()
        // rclone leaves out the last word.
        guard
            let root = root(named: "InitiateMultipartUploadResult") ?? root(named: "InitiateMultipartUpload"),
            let name = root.text(of: "UploadId"),
            (1...Self.longestUploadID).contains(name.utf8.count)
        else { throw answer.contradiction("created an upload, and did not name it") }
        return .created(UploadHandle(url: upload.url, name: name), offset: 0)
    }

    /// The longest name of an upload that fits into a URL whatever is in it, in bytes.
    private static let longestUploadID = 4096

    func parts(after marker: String?) throws(Problem) -> UploadReading {
        if isGone { return .gone }
        try succeed()
        guard let list = PartList(answer.body, of: upload.handle?.name, after: marker, dialect) else {
            throw answer.contradiction("sent a list of parts that cannot be used")
        }
        return .lists(list.parts, next: list.next)
    }

    func acceptance(of part: UploadPart) throws(Problem) -> UploadReading {
        if isGone { return .gone }
        if ObjectStoreError(answer)?.meaning == .damaged { return .damaged }
        try succeed()
        guard let tag = try answer.value(of: .eTag), !tag.isEmpty else {
            throw answer.contradiction("took a part, and sent no entity tag")
        }
        let told = checksums.first { $0.algorithm == part.checksum?.algorithm }
        if let told, told != part.checksum { return .damaged }
        let length = part.range.upperBound - part.range.lowerBound
        return .took(
            SentPart(number: part.number, length: length, tag: tag, checksum: told ?? checksums.first)
        )
    }

    func completion() throws(Problem) -> UploadReading {
        // A store may begin to answer with 200, and fail afterwards.
        switch ObjectStoreError(answer)?.meaning {
        case .noSuchUpload: return .gone
        case .noSuchPart: return .misplaced(nil)
        default: break
        }
        if answer.status == 404, ObjectStoreError(answer) == nil { return .gone }
        try succeed()
        guard let root = root(named: "CompleteMultipartUploadResult") else {
            // The connection may have ended within the answer. Whether the object is there must be looked up.
            throw .transient(
                .badResponse,
                "\(answer.url.hostAndPort) did not say whether it made one object of the parts (\(answer.status))."
            )
        }
        var known = checksums
        // The checksum of checksums is another thing.
        if root.text(of: "ChecksumType") != "COMPOSITE", let checksum = dialect.checksum(in: root) {
            known.append(checksum)
        }
        return .done(result(known, entityTag: root.text(of: "ETag")))
    }

    func look() throws(Problem) -> UploadReading {
        if answer.status == 404 { return .absent }
        guard answer.status != 403 else {
            throw .permanent(
                .outcomeUnknown,
                "The answer to the end of the upload was lost, and \(answer.url.hostAndPort) does not allow Ferry to see whether "
                    + "the object is there (403)."
            )
        }
        try succeed()
        guard let length = try answer.bytes(in: .contentLength) else {
            throw answer.contradiction("did not tell the length of the object")
        }
        guard length == upload.length else { return .absent }
        guard let former = upload.former else { return likeness(result(checksums)) }
        guard described.allSatisfy({ $0.isTold(in: answer.fields) }) else { return .absent }
        let isStill = former.isStill(answer.fields, length: length, at: now)
        return isStill ? .done(result(checksums)) : likeness(result(checksums))
    }

    func removal() throws(Problem) -> UploadReading {
        if answer.isSuccess || answer.status == 404 { return .removed }
        throw problem
    }

    // MARK: What the object is

    /// Judges an object of the right length. Another one may have been there before, so its length alone proves nothing.
    private func likeness(_ result: UploadResult) -> UploadReading {
        let expected = upload.expected ?? ExpectedObject(upload.parts, dialect)
        let own = upload.checksums + (expected?.checksum.map { [$0] } ?? [])
        let compared = own.filter { known in checksums.contains { $0.algorithm == known.algorithm } }
        if !compared.isEmpty { return compared.allSatisfy(checksums.contains) ? .done(result) : .absent }
        let tag = answer.fields[.eTag].map(MultipartTag.plain) ?? ""
        if let own = expected?.tag, tag.contains("-") { return own == tag ? .done(result) : .absent }
        if let md5 = MultipartTag.md5(tag), let own = own.first(where: { $0.algorithm == .md5 }) {
            return own == md5 ? .done(result) : .absent
        }
        guard upload.length <= Self.longestRead, let told = checksums.first ?? MultipartTag.md5(tag) else {
            return .absent
        }
        return .resembles(result, told)
    }

    /// The longest file that is read only to compare it, in bytes: an attempt must be able to end soon.
    private static let longestRead: Int64 = 1 << 30

    /// The fields that the object must have, as far as a store tells them.
    private var described: [HeaderField] {
        var fields = upload.fields.filter { field in
            // What goes with this request as well is about the request.
            dialect.sends(field, with: .create) && !dialect.sends(field, with: .look)
                && !dialect.isCondition(field) && !isUsual(field)
        }
        if let type = upload.contentType, !fields.contains(where: { $0.isNamed("Content-Type") }) {
            fields.append(HeaderField(name: "Content-Type", value: type))
        }
        return fields
            + upload.metadata.map { HeaderField(name: "\(dialect.prefix)meta-\($0.name)", value: $0.value) }
    }

    /// Whether a field asks for the storage class that stores do not tell.
    private func isUsual(_ field: HeaderField) -> Bool {
        let name = dialect.field("storage-class")
        return field.isNamed(name.canonicalName) && field.value.uppercased() == "STANDARD"
            && answer.fields[name] == nil
    }

    // MARK: Reading

    /// The checksums in the fields of the answer, of the part or object that it is about.
    private var checksums: [Checksum] {
        VolunteeredDigest.all(in: ResponseHead(status: 200, headers: answer.fields, bodyLength: nil))
            .filter { $0.source.rawValue.hasPrefix(dialect.prefix) }.map(\.checksum)
    }

    private func result(_ checksums: [Checksum], entityTag: String? = nil) -> UploadResult {
        answer.result(
            entityTag: entityTag,
            version: answer.fields[dialect.field("version-id")],
            checksums: checksums
        )
    }

    private func root(named name: String) -> XMLElement? {
        do {
            let root = try XMLElement(reading: answer.body)
            return root.name == name ? root : nil
        } catch {
            return nil
        }
    }

    /// Whether the store does not know the upload.
    private var isGone: Bool {
        guard let error = ObjectStoreError(answer) else { return answer.status == 404 }
        return error.meaning == .noSuchUpload
    }

    private func succeed() throws(Problem) {
        guard answer.isSuccess, ObjectStoreError(answer) == nil else { throw problem }
    }

    private var problem: Problem {
        ObjectStoreError(answer)?.problem(in: answer, at: now) ?? answer.problem(at: now)
    }
}
