import FerryCore
import HTTPTypes

@testable import FerryUploads

/// A store that takes files in parts.
struct StoreServer: ModelServer {
    private typealias Part = (bytes: [UInt8], tag: String)

    private let dialect: S3Dialect
    /// Whether it computes checksums, as all but old stores do.
    private let hasChecksums: Bool
    private var uploads: [String: [Int: Part]] = [:]
    private var count = 0
    private var tag = ""
    private(set) var object: [UInt8]?
    var lies = false

    init(_ dialect: S3Dialect, hasChecksums: Bool = true) {
        (self.dialect, self.hasChecksums) = (dialect, hasChecksums)
    }

    var openUploads: Int { uploads.count }

    mutating func answers(_ request: UploadRequest, _ body: [UInt8], isCut: Bool) -> [UploadAnswer] {
        let id = request.parameters["uploadId"]
        if let id, uploads[id] == nil { return [error(request, 404, "NoSuchUpload")] }
        switch (request.method, id) {
        case (.post, nil):
            count += 1
            uploads["u+\(count)".replacing("+", with: "%2B")] = [:]
            let name = "<UploadId>u+\(count)</UploadId>"
            return [
                request.answer(
                    200,
                    [:],
                    "<InitiateMultipartUploadResult>\(name)</InitiateMultipartUploadResult>"
                )
            ]
        case (.get, let id?): return [list(request, id)]
        case (.put, let id): return [put(request, body, id, isCut)]
        case (.post, let id?): return [complete(request, body, id)]
        case (.delete, let id?):
            uploads[id] = nil
            return [request.answer(204)]
        case (.head, _): return [look(request)]
        default: return [error(request, 405, "MethodNotAllowed")]
        }
    }

    private func error(_ request: UploadRequest, _ status: Int, _ code: String) -> UploadAnswer {
        request.answer(status, [:], "<Error><Code>\(code)</Code></Error>")
    }

    /// The field with the checksum that it computes.
    private func checksum(of bytes: [UInt8]) -> HTTPFields {
        guard hasChecksums else { return [:] }
        if let algorithm = dialect.toldChecksum {
            let hex = ModelChecksum.of(bytes, by: algorithm).hex
            return [dialect.field("hash-crc64ecma"): String(UInt64(hex, radix: 16) ?? 0)]
        }
        return [dialect.field("checksum-crc32c"): ModelChecksum.of(bytes, by: .crc32c).base64]
    }

    private mutating func put(
        _ request: UploadRequest,
        _ body: [UInt8],
        _ id: String?,
        _ isCut: Bool
    ) -> UploadAnswer {
        if let sum = request.fields[dialect.field("checksum-crc32c")], hasChecksums, !isCut {
            guard sum == ModelChecksum.of(body, by: .crc32c).base64 else {
                return error(request, 400, "BadDigest")
            }
        }
        let tag = "\"\(ModelChecksum.md5(body))\""
        // A part that did not arrive as a whole is none.
        if !isCut, let id, let number = request.parameters["partNumber"].flatMap({ Int($0) }) {
            uploads[id]?[number] = (body, tag)
        } else if !isCut, id == nil {
            (object, self.tag) = (body, tag)
        }
        var fields = checksum(of: body)
        fields[.eTag] = tag
        return request.answer(200, fields)
    }

    /// Two parts a page.
    private func list(_ request: UploadRequest, _ id: String) -> UploadAnswer {
        let marker = request.parameters["part-number-marker"].flatMap { Int($0) } ?? 0
        let rest = (uploads[id] ?? [:]).filter { $0.key > marker }.sorted { $0.key < $1.key }
        let page = rest.prefix(2)
        var text = "<UploadId>\(id.replacing("%2B", with: lies ? "-" : "+"))</UploadId>"
        text += "<IsTruncated>\(rest.count > 2)</IsTruncated>"
        text += "<NextPartNumberMarker>\(page.last?.key ?? 0)</NextPartNumberMarker>"
        for (number, part) in page {
            text += "<Part><PartNumber>\(number)</PartNumber><Size>\(part.bytes.count)</Size>"
            text += "<ETag>\(XMLElement.escaped(part.tag))</ETag>"
            if hasChecksums, let name = dialect.element(of: .crc32c) {
                text += "<\(name)>\(ModelChecksum.of(part.bytes, by: .crc32c).base64)</\(name)>"
            }
            if let sum = checksum(of: part.bytes).first(where: { $0.name.canonicalName.hasPrefix("x-oss-") })
            {
                text += "<HashCrc64ecma>\(sum.value)</HashCrc64ecma>"
            }
            text += "</Part>"
        }
        return request.answer(200, [:], "<ListPartsResult>\(text)</ListPartsResult>")
    }

    private mutating func complete(_ request: UploadRequest, _ body: [UInt8], _ id: String) -> UploadAnswer {
        guard let parts = uploads[id] else { return error(request, 404, "NoSuchUpload") }
        let listed: [XMLElement]
        do {
            listed = try XMLElement(reading: body).all("Part")
        } catch {
            return self.error(request, 400, "MalformedXML")
        }
        var bytes: [UInt8] = []
        var tags: [String] = []
        for element in listed {
            guard let number = element.number(of: "PartNumber"), let part = parts[Int(number)],
                element.text(of: "ETag") == part.tag
            else { return error(request, 400, "InvalidPart") }
            bytes += part.bytes
            tags.append(part.tag)
        }
        let combined = dialect.combinesTags ? MultipartTag.of(tags) ?? "" : "OSS-\(count)"
        (object, tag, uploads[id]) = (bytes, "\"\(combined)\"", nil)
        let named = "<ETag>\(XMLElement.escaped(tag))</ETag>"
        return request.answer(
            200,
            checksum(of: bytes),
            "<CompleteMultipartUploadResult>\(named)</CompleteMultipartUploadResult>"
        )
    }

    private func look(_ request: UploadRequest) -> UploadAnswer {
        guard let object else { return request.answer(404) }
        var fields = checksum(of: object)
        fields[.contentLength] = String(object.count)
        fields[.eTag] = tag
        return request.answer(200, fields)
    }

    mutating func forget() { uploads = [:] }

    mutating func shrink() {
        for id in uploads.keys { uploads[id]?[1] = nil }
    }
}
