import Foundation

/// Resumable uploads to Google Cloud Storage, by its XML API.
extension UploadHost.State {
    /// All pieces but the last have a multiple of this many bytes.
    private static let unit = 256 << 10

    /// - Parameter isWhole: whether the whole body has arrived. Otherwise only full units are kept.
    mutating func google(_ request: ScriptedRequest, _ body: [UInt8], isWhole: Bool) -> ScriptedReply {
        if request.method == "POST", request["x-goog-resumable"] == "start" {
            created += 1
            // The length is known when the first piece comes.
            let path = "/google/object?upload_id=\(created)"
            uploads[path] = .sequence([], of: .max)
            return ScriptedReply(status: 201, fields: [("Location", path)])
        }
        guard case .sequence(let bytes, let known)? = uploads[request.path] else {
            return ScriptedReply(status: 404)
        }
        switch request.method {
        case "DELETE":
            uploads[request.path] = nil
            return ScriptedReply(status: 499)
        case "PUT":
            guard let words = request["content-range"]?.firstMatch(of: /bytes (?:(\d+)-(\d+)|\*)\/(\d+)/),
                let length = Int(words.3)
            else { return ScriptedReply(status: 400) }
            // What is complete stays so, and is told again.
            if bytes.count == known { return Self.made(bytes) }
            var kept = bytes
            if let start = words.1.flatMap({ Int($0) }), let last = words.2.flatMap({ Int($0) }) {
                let isLast = last + 1 == length
                guard isLast || (last + 1 - start).isMultiple(of: Self.unit) else {
                    return ScriptedReply(status: 400)
                }
                if start <= kept.count { kept += body.dropFirst(kept.count - start) }
                if !isWhole || !isLast { kept.removeLast(kept.count % Self.unit) }
            }
            uploads[request.path] = .sequence(kept, of: length)
            guard kept.count == length else {
                let range = kept.isEmpty ? [] : [("Range", "bytes=0-\(kept.count - 1)")]
                return ScriptedReply(status: 308, fields: range)
            }
            objects.append(kept)
            return Self.made(kept)
        default: return ScriptedReply(status: 405)
        }
    }

    private static func made(_ object: [UInt8]) -> ScriptedReply {
        ScriptedReply(
            fields: [
                ("ETag", "\"object\""), ("x-goog-stored-content-length", "\(object.count)"),
                ("x-goog-generation", "1"),
            ]
        )
    }
}
