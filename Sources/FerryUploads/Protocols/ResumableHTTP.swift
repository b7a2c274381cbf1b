package import FerryCore
import HTTPTypes

/// Resumable uploads of the IETF (draft-ietf-httpbis-resumable-upload).
///
/// The request that creates the upload brings the whole file. A server that knows nothing of the draft takes it as the
/// upload that it is; another one says in an interim answer where it can be resumed.
package struct ResumableHTTP: UploadProtocol {
    private static let name = "A resumable upload of HTTP"

    private let version: DraftVersion

    /// Creates the protocol in a version of the draft.
    ///
    /// - Parameter version: the number of the version; `nil` if Ferry has no such version.
    package init?(version: Int) {
        guard let version = DraftVersion.all.first(where: { $0.number == version }) else { return nil }
        self.version = version
    }

    /// Creates the protocol in the latest version of the draft.
    package init() {
        version = DraftVersion.all[0]
    }

    package var rules: UploadPartRules { UploadPartRules(areIndependent: false) }

    package var discovers: Bool { true }

    /// The protocol in the version that the server has asked for; `nil` if it is this one.
    private func other(for upload: UploadRecord) -> Self? {
        guard let number = upload.offer?.draft, number != version.number else { return nil }
        return Self(version: number)
    }

    // MARK: Requests

    package func request(
        for step: UploadStep,
        of upload: UploadRecord
    ) throws(TransferFailure) -> UploadRequest {
        if let other = other(for: upload) { return try other.request(for: step, of: upload) }
        switch step {
        case .discover: return UploadRequest(.options, upload.url, fields: fields(), isRepeatable: true)
        case .create: return try creation(of: upload)
        case .look where upload.handle == nil && upload.method == .put:
            return UploadRequest(.head, upload.url, isRepeatable: true)
        case .ask, .look:
            return UploadRequest(.head, try upload.created().url, fields: fields(), isRepeatable: true)
        case .append(let part):
            return try appending(part.range.lowerBound..<sentEnd(of: part, upload), to: upload)
        // All bytes are there, and the server waits to be told so.
        case .complete: return try appending(upload.length..<upload.length, to: upload)
        case .abort:
            return UploadRequest(.delete, try upload.created().url, fields: fields(), isRepeatable: true)
        case .sendWhole: throw step.failure(in: Self.name)
        }
    }

    private func fields(complete: Bool? = nil, offset: Int64? = nil) -> HTTPFields {
        var fields: HTTPFields = [.uploadDraftInteropVersion: String(version.number)]
        if let complete { fields[version.completeness] = (complete == version.complete) ? "?1" : "?0" }
        if let offset { fields[.uploadOffset] = String(offset) }
        return fields
    }

    private func creation(of upload: UploadRecord) throws(TransferFailure) -> UploadRequest {
        if let longest = upload.offer?.longest, upload.length > longest {
            throw TransferFailure(
                .refused,
                UploadOffer.refusal(of: upload.length, longest: longest, host: upload.url.hostAndPort)
            )
        }
        guard upload.metadata.isEmpty else {
            throw TransferFailure(
                .refused,
                "\(Self.name) has no place for values that are stored with the file.",
                remedies: [.sendAgain]
            )
        }
        let end = Self.createdEnd(upload)
        var fields: HTTPFields = [:]
        fields[.contentType] = upload.contentType
        // The URL of a PUT names the file.
        if upload.method == .post { fields[.contentDisposition] = Self.disposition(of: upload.fileName) }
        fields[.reprDigest] = Self.digests(upload.checksums)
        try fields.replace(by: upload.fields)
        // What the protocol says comes before what was given.
        for field in self.fields(complete: end == upload.length) { fields[field.name] = field.value }
        fields[.uploadLength] = String(upload.length)
        return UploadRequest(
            upload.method,
            upload.url,
            fields: fields,
            body: .file(0..<end),
            isRepeatable: end < upload.length || Self.isRepeatable(upload)
        )
    }

    /// Whether the request that makes the object has the same effect when it arrives twice.
    private static func isRepeatable(_ upload: UploadRecord) -> Bool {
        upload.method == .put && !upload.fields.contains { conditions.contains($0.name.lowercased()) }
    }

    private static let conditions: Set = ["if-match", "if-none-match", "if-unmodified-since"]

    /// Where the bytes end that go along with the request that creates the upload.
    ///
    /// A POST makes another object each time it arrives. If its answer were lost, no one would know whether there is one. So
    /// a server that certainly speaks the protocol is first asked for the upload, with no more bytes than it demands.
    private static func createdEnd(_ upload: UploadRecord) -> Int64 {
        let offer = upload.offer
        let isCertain = offer?.extensions.contains(partialUpload) == true
        if upload.method == .post, isCertain { return min(upload.length, offer?.shortestAppend ?? 0) }
        return min(upload.length, offer?.longestAppend ?? .max)
    }

    private static let partialUpload = "application/partial-upload"

    /// Where the bytes of a part end that are sent at once.
    private func sentEnd(of part: UploadPart, _ upload: UploadRecord) -> Int64 {
        let longest = min(upload.handle?.longestAppend ?? .max, upload.offer?.longestAppend ?? .max)
        let (end, overflows) = part.range.lowerBound.addingReportingOverflow(longest)
        return overflows ? part.range.upperBound : min(end, part.range.upperBound)
    }

    private func appending(
        _ range: Range<Int64>,
        to upload: UploadRecord
    ) throws(TransferFailure) -> UploadRequest {
        var fields = fields(complete: range.upperBound == upload.length, offset: range.lowerBound)
        fields[.contentType] = version.mediaType
        return UploadRequest(
            .patch,
            try upload.created().url,
            fields: fields,
            body: .file(range),
            isRepeatable: false
        )
    }

    /// The name of the file (RFC 6266), in ASCII and percent-encoded.
    private static func disposition(of name: String) -> String {
        "inline; filename*=UTF-8''\(PercentEncoding.escaped(name.utf8))"
    }

    /// The digests that the field has names for (RFC 9530 §5); `nil` without one.
    private static func digests(_ checksums: [Checksum]) -> String? {
        let members = checksums.filter { [.sha512, .sha256].contains($0.algorithm) }
            .map { "\($0.algorithm.rawValue)=:\($0.base64):" }
        return members.isEmpty ? nil : members.joined(separator: ", ")
    }

    // MARK: Answers

    package func reading(
        _ answer: UploadAnswer,
        to step: UploadStep,
        of upload: UploadRecord,
        at now: Instant
    ) -> UploadReading {
        if let other = other(for: upload) { return other.reading(answer, to: step, of: upload, at: now) }
        do throws(Problem) {
            switch step {
            case .discover:
                if answer.status == 429 || answer.status == 503 { throw answer.problem(at: now) }
                // A server that does not say what it can do may still take the file.
                var offer = answer.isSuccess ? UploadLimits(answer.fields, at: now).offer : UploadOffer()
                offer.draft = otherVersion(in: answer)
                guard answer.isSuccess else { return .offers(offer) }
                if answer.list(in: .acceptPatch).contains(Self.partialUpload) {
                    offer.extensions = [Self.partialUpload]
                }
                return .offers(offer)
            case .create: return try creation(in: answer, of: upload, at: now)
            case .look where upload.handle == nil:
                return try Self.hasFormer(answer, of: upload, at: now) ? .done(answer.result()) : .absent
            case .ask, .look: return try position(in: answer, of: upload, at: now)
            case .append(let part):
                let range = part.range.lowerBound..<sentEnd(of: part, upload)
                return try acceptance(in: answer, of: range, upload, at: now)
            case .complete:
                if Self.isAboutComplete(answer) { return .done(answer.result()) }
                return try acceptance(in: answer, of: upload.length..<upload.length, upload, at: now)
            case .abort:
                if answer.isSuccess || answer.status == 404 || answer.status == 410 { return .removed }
                throw answer.problem(at: now)
            case .sendWhole: return .failed(Problem(step.failure(in: Self.name), .permanent))
            }
        } catch {
            return .failed(error)
        }
    }

    private func creation(
        in answer: UploadAnswer,
        of upload: UploadRecord,
        at now: Instant
    ) throws(Problem) -> UploadReading {
        let sent = Self.createdEnd(upload)
        if answer.status == 104 {
            let offset = try offset(in: answer, of: upload, atMost: sent)
            guard answer.fields[.location] != nil else {
                return .reached(offset ?? upload.offset, expiry: upload.handle?.expiry)
            }
            return .created(try handle(in: answer, at: now), offset: offset ?? 0)
        }
        if (400..<500).contains(answer.status), let draft = otherVersion(in: answer) {
            var offer = upload.offer ?? UploadOffer()
            offer.draft = draft
            return .offers(offer)
        }
        if answer.status == 413 {
            var offer = UploadLimits(answer.fields, at: now).offer
            (offer.extensions, offer.draft) = (upload.offer?.extensions ?? [], upload.offer?.draft)
            if let longest = offer.longestAppend, longest < sent { return .offers(offer) }
        }
        guard answer.isSuccess else { throw failure(in: answer, at: now) }
        let isWhole = sent == upload.length
        switch isComplete(answer) {
        case true? where !isWhole:
            throw answer.contradiction("took a part of the file, and says that it is complete")
        case true?: return .done(answer.result())
        case nil where isWhole: return .done(answer.result())
        case nil where answer.fields[.location] == nil:
            throw answer.contradiction(
                "does not speak version \(version.number) of resumable uploads, and took a part of the file"
            )
        case false?, nil: break
        }
        let offset = try offset(in: answer, of: upload, atMost: sent)
        return .created(try handle(in: answer, at: now), offset: offset ?? (isWhole ? 0 : sent))
    }

    private func handle(in answer: UploadAnswer, at now: Instant) throws(Problem) -> UploadHandle {
        let limits = UploadLimits(answer.fields, at: now)
        return UploadHandle(
            url: try answer.location(),
            expiry: limits.expiry,
            longestAppend: limits.longestAppend
        )
    }

    private func position(
        in answer: UploadAnswer,
        of upload: UploadRecord,
        at now: Instant
    ) throws(Problem) -> UploadReading {
        switch answer.status {
        case 200..<300: break
        case 403, 404, 410: return .gone
        default: throw answer.problem(at: now)
        }
        let offset = try offset(in: answer, of: upload, atMost: upload.length)
        if isComplete(answer) == true {
            guard offset ?? upload.length == upload.length else {
                throw answer.contradiction(
                    "says that the upload is complete, and that bytes of it are missing"
                )
            }
            return .done(answer.result())
        }
        guard let offset else { throw answer.contradiction("did not say how far the upload is") }
        return .reached(offset, expiry: UploadLimits(answer.fields, at: now).expiry)
    }

    private func acceptance(
        in answer: UploadAnswer,
        of range: Range<Int64>,
        _ upload: UploadRecord,
        at now: Instant
    ) throws(Problem) -> UploadReading {
        let isLast = range.upperBound == upload.length
        switch answer.status {
        case 104:
            let offset = try offset(in: answer, of: upload, atMost: range.upperBound)
            return .reached(offset ?? range.lowerBound, expiry: upload.handle?.expiry)
        case 200..<300: break
        case 404 where isComplete(answer) != true, 410 where isComplete(answer) != true: return .gone
        case 409: return .misplaced(try expectedOffset(in: answer, of: upload))
        case _ where Self.isAboutComplete(answer): return .misplaced(nil)
        default: throw failure(in: answer, at: now)
        }
        let isComplete = isComplete(answer)
        if isComplete == true || isComplete == nil && isLast && !version.marksCompletion {
            guard isLast else {
                throw answer.contradiction("took a part, and says that the file is complete")
            }
            return .done(answer.result())
        }
        let offset = try offset(in: answer, of: upload, atMost: range.upperBound)
        // Whether the server is done is not certain: it is asked.
        if isLast, isComplete == nil { return .misplaced(nil) }
        guard let reached = offset ?? (isLast ? nil : range.upperBound) else { return .misplaced(nil) }
        guard reached >= range.lowerBound else { return .misplaced(reached) }
        return .reached(reached, expiry: UploadLimits(answer.fields, at: now).expiry)
    }

    /// Whether the server still has what an earlier upload brought.
    private static func hasFormer(
        _ answer: UploadAnswer,
        of upload: UploadRecord,
        at now: Instant
    ) throws(Problem) -> Bool {
        guard answer.isSuccess, let former = upload.former else { return false }
        let length = try answer.bytes(in: .contentLength)
        let type = upload.contentType.map { [HeaderField(name: "Content-Type", value: $0)] } ?? []
        let described = type + upload.fields.filter(\.describesObject)
        return described.allSatisfy { $0.isTold(in: answer.fields) }
            && former.isStill(answer.fields, length: length, at: now)
    }

    // MARK: Fields

    /// Whether the server says that the upload is complete; `nil` if it says nothing.
    private func isComplete(_ answer: UploadAnswer) -> Bool? {
        let values = answer.fields[values: version.completeness]
        guard values.count == 1, case .boolean(let value)? = StructuredItem(values[0]) else { return nil }
        return value == version.complete
    }

    /// The version that the server asks for instead of this one; `nil` if there is none, or Ferry does not have it.
    private func otherVersion(in answer: UploadAnswer) -> Int? {
        guard let number = number(in: .uploadDraftInteropVersion, of: answer), number != version.number else {
            return nil
        }
        return DraftVersion.all.map(\.number).first { $0 == number }
    }

    private func number(in name: HTTPField.Name, of answer: UploadAnswer) -> Int64? {
        let values = answer.fields[values: name]
        guard values.count == 1, case .integer(let number)? = StructuredItem(values[0]), number >= 0 else {
            return nil
        }
        return number
    }

    /// How far the server is; `nil` if it does not say.
    ///
    /// - Throws: a problem if the server means another file, or has bytes that were not sent.
    private func offset(
        in answer: UploadAnswer,
        of upload: UploadRecord,
        atMost sent: Int64
    ) throws(Problem) -> Int64? {
        if let length = number(in: .uploadLength, of: answer), length != upload.length {
            throw answer.contradiction(of: "the upload", length, than: upload.length)
        }
        guard let offset = number(in: .uploadOffset, of: answer) else { return nil }
        guard offset <= sent else {
            throw answer.excess(at: offset)
        }
        return offset
    }

    /// The right offset in an answer to a part with a wrong one.
    private func expectedOffset(in answer: UploadAnswer, of upload: UploadRecord) throws(Problem) -> Int64? {
        if let offset = try offset(in: answer, of: upload, atMost: upload.length) { return offset }
        guard let text = Self.member("/expected-offset", of: answer),
            let offset = DecimalNumber(text)?.fitting, offset <= upload.length
        else { return nil }
        return offset
    }

    /// Whether the server refuses a part because the upload is complete (RFC 9457, type `completed-upload`).
    private static func isAboutComplete(_ answer: UploadAnswer) -> Bool {
        guard (400..<500).contains(answer.status), let type = member("/type", of: answer) else {
            return false
        }
        return JSONText.string(type)?.hasSuffix("#completed-upload") == true
    }

    /// A member of a description of a problem, as it is written (RFC 9457).
    private static func member(_ pointer: String, of answer: UploadAnswer) -> ArraySlice<UInt8>? {
        guard answer.body.count <= longestProblem, let place = JSONPointer(pointer) else { return nil }
        return JSONText.values(at: [place], in: answer.body)?[place]
    }

    /// Longer descriptions of problems are not read, in bytes.
    private static let longestProblem = 64 << 10

    /// The problem of an answer. If the server has all bytes and could not use them, sending more of them resolves nothing.
    private func failure(in answer: UploadAnswer, at now: Instant) -> Problem {
        var problem = answer.problem(at: now)
        if isComplete(answer) == true { problem.disposition = .permanent }
        return problem
    }
}

extension HTTPField.Name {
    static let acceptPatch = HTTPField.Name("Accept-Patch")!
    static let reprDigest = HTTPField.Name("Repr-Digest")!
}
