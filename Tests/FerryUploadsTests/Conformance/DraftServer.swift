import FerryCore
import HTTPTypes

@testable import FerryUploads

/// A server of resumable uploads of the IETF, or one that knows nothing of them.
struct DraftServer: ModelServer {
    /// The longest body that it takes; `nil` without a bound.
    private let longestAppend: Int?
    /// Whether it tells its limits only when they matter.
    private let isReserved: Bool
    /// Whether it takes a file as the upload that it is, without any way to resume.
    private let isPlain: Bool
    /// The version that it speaks, of those with the same fields.
    private let version: String
    var lies = false
    private var uploads: [String: (length: Int?, bytes: [UInt8], isComplete: Bool)] = [:]
    private var count = 0
    private(set) var object: [UInt8]?

    init(longestAppend: Int? = nil, isReserved: Bool = false, isPlain: Bool = false, version: String = "8") {
        (self.longestAppend, self.isReserved, self.isPlain) = (longestAppend, isReserved, isPlain)
        self.version = version
    }

    var openUploads: Int { uploads.values.count { !$0.isComplete } }

    private var limits: HTTPFields {
        longestAppend.map { [.uploadLimit: "max-append-size=\($0), max-age=60"] } ?? [:]
    }

    mutating func answers(_ request: UploadRequest, _ body: [UInt8], isCut: Bool) -> [UploadAnswer] {
        if isPlain { return plainAnswers(request, body, isCut) }
        guard
            request.fields[.uploadDraftInteropVersion] == version || isReserved && request.method == .options
        else { return [request.answer(400, [.uploadDraftInteropVersion: version])] }
        if let longestAppend, body.count > longestAppend { return [request.answer(413, limits)] }
        switch request.method {
        case .options:
            var fields = isReserved ? [:] : limits
            fields[.acceptPatch] = "text/x-patch, application/partial-upload"
            return [request.answer(204, fields)]
        case .put, .post: return create(request, body, isCut)
        case .head:
            guard let upload = uploads[request.url.path] else { return [request.answer(404)] }
            var fields = state(upload.bytes.count, upload.isComplete)
            if let length = upload.length { fields[.uploadLength] = String(length) }
            return [request.answer(204, fields)]
        case .patch: return [append(request, body, isCut)]
        case .delete:
            return [request.answer(uploads.removeValue(forKey: request.url.path) == nil ? 404 : 204)]
        default: return [request.answer(405)]
        }
    }

    private mutating func plainAnswers(
        _ request: UploadRequest,
        _ body: [UInt8],
        _ isCut: Bool
    ) -> [UploadAnswer] {
        guard request.method == .put else { return [request.answer(405)] }
        if !isCut { object = body }
        return [request.answer(201, [.location: "/elsewhere"])]
    }

    private func state(_ count: Int, _ isComplete: Bool) -> HTTPFields {
        [
            .uploadOffset: String(lies ? count + 1_000_000_000 : count),
            .uploadComplete: isComplete ? "?1" : "?0",
        ]
    }

    private mutating func create(_ request: UploadRequest, _ body: [UInt8], _ isCut: Bool) -> [UploadAnswer] {
        count += 1
        let path = "/uploads/\(count)"
        uploads[path] = (request.fields[.uploadLength].flatMap { Int($0) }, body, false)
        var fields = limits
        fields[.location] = path
        var moved = fields
        moved[.uploadOffset] = state(body.count, false)[.uploadOffset]
        let interim = [request.answer(104, fields), request.answer(104, moved)]
        guard !isCut, request.fields[.uploadComplete] == "?1" else {
            fields.append(contentsOf: state(body.count, false))
            return interim + [request.answer(201, fields)]
        }
        finish(path)
        return interim + [request.answer(200, [.uploadComplete: "?1"])]
    }

    private mutating func append(_ request: UploadRequest, _ body: [UInt8], _ isCut: Bool) -> UploadAnswer {
        let path = request.url.path
        guard let upload = uploads[path] else { return request.answer(404) }
        guard !upload.isComplete else {
            return request.answer(400, [:], "{\"type\":\"https://iana.org/x#completed-upload\"}")
        }
        guard request.fields[.contentType] == "application/partial-upload" else { return request.answer(415) }
        guard request.fields[.uploadOffset] == String(upload.bytes.count) else {
            return request.answer(409, state(upload.bytes.count, false))
        }
        uploads[path]?.bytes += body
        guard !isCut, request.fields[.uploadComplete] == "?1" else {
            return request.answer(204, state(upload.bytes.count + body.count, false))
        }
        finish(path)
        return request.answer(200, [.uploadComplete: "?1"])
    }

    private mutating func finish(_ path: String) {
        uploads[path]?.isComplete = true
        object = uploads[path]?.bytes
    }

    mutating func forget() { uploads = [:] }

    mutating func shrink() {
        uploads = uploads.mapValues { $0.isComplete ? $0 : ($0.length, $0.bytes.dropLast(3), false) }
    }
}
