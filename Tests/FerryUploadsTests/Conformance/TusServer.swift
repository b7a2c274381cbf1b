import FerryCore
import HTTPTypes

@testable import FerryUploads

/// A server of tus 1.0.0 with all extensions that Ferry uses.
struct TusServer: ModelServer {
    private var uploads: [String: (length: Int, bytes: [UInt8])] = [:]
    private var count = 0
    private(set) var object: [UInt8]?
    var lies = false
    /// The extensions that it offers.
    private let extensions: String

    init(extensions: String = "creation,termination,expiration") {
        self.extensions = extensions
    }

    var openUploads: Int { uploads.values.count { $0.bytes.count < $0.length } }

    mutating func answers(_ request: UploadRequest, _ body: [UInt8], isCut: Bool) -> [UploadAnswer] {
        let status: Int
        var fields: HTTPFields = [.tusResumable: "1.0.0"]
        if request.method == .options {
            fields[.tusVersion] = "1.0.0"
            fields[.tusExtension] = extensions
            fields[.tusChecksumAlgorithm] = "md5,sha1"
            return [request.answer(204, fields)]
        }
        guard request.fields[.tusResumable] == "1.0.0" else {
            return [request.answer(412, [.tusVersion: "1.0.0"])]
        }
        switch request.method {
        case .post: status = create(request, body, &fields)
        case .head: status = tell(request, &fields)
        case .patch: status = append(request, body, isCut, &fields)
        case .delete: status = uploads.removeValue(forKey: request.url.path) == nil ? 404 : 204
        default: status = 405
        }
        return [request.answer(status, fields)]
    }

    private mutating func create(_ request: UploadRequest, _ body: [UInt8], _ fields: inout HTTPFields) -> Int
    {
        guard let length = request.fields[.uploadLength].flatMap({ Int($0) }) else { return 400 }
        count += 1
        let path = "/files/\(count)"
        uploads[path] = (length, body)
        fields[.location] = path
        fields[.uploadExpires] = "Wed, 25 Jun 2025 16:00:00 GMT"
        finish(path)
        return 201
    }

    private func tell(_ request: UploadRequest, _ fields: inout HTTPFields) -> Int {
        guard let upload = uploads[request.url.path] else { return 404 }
        fields[.uploadOffset] = offset(upload.bytes.count)
        fields[.uploadLength] = String(upload.length)
        return 200
    }

    private mutating func append(
        _ request: UploadRequest,
        _ body: [UInt8],
        _ isCut: Bool,
        _ fields: inout HTTPFields
    ) -> Int {
        let path = request.url.path
        guard let upload = uploads[path] else { return 410 }
        guard request.fields[.contentType] == "application/offset+octet-stream" else { return 415 }
        guard request.fields[.uploadOffset] == String(upload.bytes.count) else { return 409 }
        guard upload.bytes.count + body.count <= upload.length else { return 413 }
        if let sum = request.fields[.uploadChecksum] {
            // What cannot be checked is dropped.
            guard !isCut, sum == "sha1 \(ModelChecksum.of(body, by: .sha1).base64)" else { return 460 }
        }
        uploads[path]?.bytes += body
        fields[.uploadOffset] = offset(upload.bytes.count + body.count)
        finish(path)
        return 204
    }

    private func offset(_ count: Int) -> String { String(lies ? count + 1_000_000_000 : count) }

    private mutating func finish(_ path: String) {
        guard let upload = uploads[path], upload.bytes.count == upload.length else { return }
        object = upload.bytes
    }

    mutating func forget() { uploads = [:] }

    mutating func shrink() {
        uploads = uploads.mapValues { ($0.length, $0.bytes.dropLast(3)) }
    }
}
