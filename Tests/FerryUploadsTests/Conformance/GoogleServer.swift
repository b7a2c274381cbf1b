import FerryCore
import HTTPTypes

@testable import FerryUploads

/// A server of resumable uploads to Google.
struct GoogleServer: ModelServer {
    private var sessions: [String: [UInt8]] = [:]
    private var count = 0
    private(set) var object: [UInt8]?
    var lies = false

    private static let unit = 256 << 10

    var openUploads: Int { sessions.count }

    mutating func answers(_ request: UploadRequest, _ body: [UInt8], isCut: Bool) -> [UploadAnswer] {
        switch request.method {
        case .post:
            guard request.fields[.googleResumable] == "start" else { return [request.answer(400)] }
            count += 1
            sessions[String(count)] = []
            return [request.answer(201, [.location: "\(request.url.path)?upload_id=\(count)"])]
        case .put:
            guard let id = request.parameters["upload_id"] else { return [whole(request, body, isCut)] }
            return [append(request, body, id, isCut)]
        case .delete:
            let known = request.parameters["upload_id"].flatMap { sessions.removeValue(forKey: $0) }
            return [request.answer(known == nil ? 404 : 499)]
        case .head:
            guard let object else { return [request.answer(404)] }
            return [request.answer(200, described(object))]
        default: return [request.answer(405)]
        }
    }

    private func described(_ object: [UInt8]) -> HTTPFields {
        [
            .googleStoredLength: String(object.count), .googleGeneration: String(count),
            .googleHash: "crc32c=\(ModelChecksum.of(object.prefix(64), by: .crc32c).base64)",
        ]
    }

    private mutating func whole(_ request: UploadRequest, _ body: [UInt8], _ isCut: Bool) -> UploadAnswer {
        if !isCut { object = body }
        return request.answer(200, described(body))
    }

    private mutating func append(
        _ request: UploadRequest,
        _ body: [UInt8],
        _ id: String,
        _ isCut: Bool
    ) -> UploadAnswer {
        guard let bytes = sessions[id], let text = request.fields[.contentRange] else {
            return request.answer(410)
        }
        guard let total = text.split(separator: "/").last.flatMap({ Int($0) }) else {
            return request.answer(400)
        }
        var kept = bytes
        if case .bytes(let range, _)? = ContentRange(text) {
            let isLast = range.upperBound == total
            guard isLast || Int(range.upperBound - range.lowerBound).isMultiple(of: Self.unit) else {
                return request.answer(400)
            }
            // Bytes beyond those that it has are dropped.
            guard range.lowerBound <= bytes.count else { return state(request, bytes.count) }
            kept = bytes.prefix(Int(range.lowerBound)) + body
            if isCut || !isLast { kept.removeLast(kept.count % Self.unit) }
        }
        sessions[id] = kept
        guard kept.count == total, !isCut else { return state(request, kept.count) }
        object = kept
        sessions[id] = nil
        return request.answer(200, described(kept))
    }

    private func state(_ request: UploadRequest, _ count: Int) -> UploadAnswer {
        let last = lies ? count + 1_000_000_000 : count - 1
        return request.answer(308, last < 0 ? [:] : [.range: "bytes=0-\(last)"])
    }

    mutating func forget() { sessions = [:] }

    mutating func shrink() {
        sessions = sessions.mapValues { $0.dropLast(Self.unit) }
    }
}
