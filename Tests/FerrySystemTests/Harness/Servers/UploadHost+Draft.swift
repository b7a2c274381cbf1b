import Foundation

/// Resumable uploads of the IETF (draft-ietf-httpbis-resumable-upload, interop version 8).
extension UploadHost.State {
    /// The longest body that it takes, in bytes, so that a file comes in several pieces.
    private static let longestAppend = 500_000
    private static let version = ("Upload-Draft-Interop-Version", "8")

    /// Begins the upload that a request creates; `nil` for any other request.
    ///
    /// - Returns: its path.
    mutating func beginDraft(_ request: ScriptedRequest) -> String? {
        guard request.method == "PUT", let length = request["upload-length"].flatMap({ Int($0) }) else {
            return nil
        }
        created += 1
        let path = "/draft/\(created)"
        uploads[path] = .sequence([], of: length)
        return path
    }

    /// The interim answer that names an upload.
    static func interim(_ path: String) -> String {
        "HTTP/1.1 104 Upload Resumption Supported\r\n\(version.0): \(version.1)\r\nLocation: \(path)\r\n\r\n"
    }

    /// - Parameter named: the upload that the request has created.
    mutating func draft(_ request: ScriptedRequest, _ body: [UInt8], to named: String?) -> ScriptedReply {
        var reply = ScriptedReply(status: 204, fields: [Self.version])
        let path = named ?? request.path
        switch (request.method, uploads[path]) {
        case ("OPTIONS", _):
            reply.fields += [
                ("Accept-Patch", "application/partial-upload"),
                ("Upload-Limit", "max-append-size=\(Self.longestAppend)"),
            ]
        case ("HEAD", .sequence(let bytes, let length)?):
            reply.fields += Self.standing(bytes.count, of: length) + [("Upload-Length", "\(length)")]
        case ("PUT", .sequence(_, let length)?), ("PATCH", .sequence(_, let length)?):
            guard case .sequence(let bytes, _)? = uploads[path] else { break }
            let isPlaced = named != nil || request["upload-offset"] == "\(bytes.count)"
            guard isPlaced, bytes.count < length, bytes.count + body.count <= length else {
                reply.status = 409
                reply.fields += Self.standing(bytes.count, of: length)
                break
            }
            guard body.count <= Self.longestAppend else {
                reply.status = 413
                break
            }
            let now = bytes + body
            uploads[path] = .sequence(now, of: length)
            if now.count == length { objects.append(now) }
            if named != nil {
                reply.status = 201
                reply.fields.append(("Location", path))
            }
            reply.fields += Self.standing(now.count, of: length)
        case ("DELETE", .sequence?): uploads[path] = nil
        default: reply.status = 404
        }
        return reply
    }

    private static func standing(_ count: Int, of length: Int) -> [(String, String)] {
        [("Upload-Offset", "\(count)"), ("Upload-Complete", count == length ? "?1" : "?0")]
    }
}
