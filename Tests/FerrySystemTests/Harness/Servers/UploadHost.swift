import Crypto
import Foundation
import Synchronization

/// The uploads that a ``ScriptedServer`` takes: by tus 1.0.0 below `/tus/`, by the draft of the IETF below `/draft/`, to the
/// bucket `google` as Google does, and in parts to `bucket`, as stores of S3 and OSS do.
///
/// As such servers do, it keeps the bytes of a request that broke. A part of a store counts only as a whole.
final class UploadHost: Sendable {
    enum Upload {
        case sequence([UInt8], of: Int)
        case parts([Int: [UInt8]])

        var isComplete: Bool {
            if case .sequence(let bytes, let length) = self { bytes.count == length } else { false }
        }

        var isEmpty: Bool {
            switch self {
            case .sequence(let bytes, _): bytes.isEmpty
            case .parts(let parts): parts.isEmpty
            }
        }
    }

    /// What it holds at a moment.
    struct Moment: Sendable {
        fileprivate var state = State()
    }

    struct State {
        var uploads: [String: Upload] = [:]
        var created = 0
        var pieces = 0
        var objects: [[UInt8]] = []
        /// The entity tag of the latest object of the store.
        var tag = ""
        var isStalling = false
    }

    private enum Speech {
        case tus, draft, google, store
    }

    private let moments: Mutex<[Moment]?>
    private let state = Mutex(State())
    /// The number of the piece that is never answered, because the connection stalls after its arrival.
    private let stall: Int?

    init(stallingAt stall: Int? = nil, keepingHistory: Bool = false) {
        self.stall = stall
        moments = Mutex(keepingHistory ? [Moment()] : nil)
    }

    /// Ends the history. Returns what it held at first, and after each request that is not a `GET`.
    func takeHistory() -> [Moment] {
        moments.withLock { moments in
            defer { moments = nil }
            return moments ?? []
        }
    }

    /// Holds what it held at a former moment.
    func restore(_ moment: Moment) { state.withLock { $0 = moment.state } }

    /// The objects, in the order in which they were made.
    var objects: [[UInt8]] { state.withLock { $0.objects } }

    /// The number of pieces of files that have arrived, and of those that broke.
    var pieces: Int { state.withLock { $0.pieces } }

    /// The number of uploads that are not complete, with bytes and without any.
    var open: (begun: Int, empty: Int) {
        state.withLock { state in
            let open = state.uploads.values.filter { !$0.isComplete }
            let empty = open.count(where: \.isEmpty)
            return (open.count - empty, empty)
        }
    }

    /// Whether the stall has begun.
    var isStalling: Bool { state.withLock { $0.isStalling } }

    /// Answers a request.
    ///
    /// - Returns: `nil` if it is about no upload.
    func take(_ request: ScriptedRequest, from connection: ScriptedConnection) -> ScriptedServer.Ending? {
        let protocols: [String: Speech] = ["tus": .tus, "draft": .draft, "google": .google, "bucket": .store]
        let place = request.path.split { $0 == "/" || $0 == "?" }.first.map(String.init)
        guard let spoken = place.flatMap({ protocols[$0] }) else { return nil }
        // The draft names an upload before its bytes come.
        let named = spoken == .draft ? state.withLock { $0.beginDraft(request) } : nil
        if let named { _ = connection.send(Array(UploadHost.State.interim(named).utf8)) }
        guard let (body, isWhole) = connection.askForWhatComes(of: request) else { return .closes }
        let (reply, stalls) = state.withLock { state in
            let reply =
                switch spoken {
                case .tus: state.tus(request, body)
                case .draft: state.draft(request, body, to: named)
                case .google: state.google(request, body, isWhole: isWhole)
                case .store: state.store(request, isWhole ? body : nil)
                }
            let carries = ["PATCH", "PUT"].contains(request.method) && !body.isEmpty
            if carries { state.pieces += 1 }
            let stalls = carries && state.pieces == stall
            if stalls { state.isStalling = true }
            if request.method != "GET" {
                let moment = Moment(state: state)
                moments.withLock { $0?.append(moment) }
            }
            return (reply, stalls)
        }
        if stalls { connection.hold() }
        guard isWhole, !stalls else { return .closes }
        return connection.write(reply, to: request) ? .stays : .closes
    }
}

extension UploadHost.State {
    fileprivate mutating func tus(_ request: ScriptedRequest, _ body: [UInt8]) -> ScriptedReply {
        var reply = ScriptedReply(status: 204, fields: [("Tus-Resumable", "1.0.0")])
        switch (request.method, uploads[request.path]) {
        case ("OPTIONS", _):
            reply.fields += [("Tus-Version", "1.0.0"), ("Tus-Extension", "creation,termination")]
        case ("POST", _):
            guard let length = request["upload-length"].flatMap({ Int($0) }) else { break }
            created += 1
            uploads["/tus/\(created)"] = .sequence([], of: length)
            reply.status = 201
            reply.fields.append(("Location", "/tus/\(created)"))
        case ("HEAD", .sequence(let bytes, let length)?):
            reply.status = 200
            reply.fields += [("Upload-Offset", "\(bytes.count)"), ("Upload-Length", "\(length)")]
        case ("PATCH", .sequence(let bytes, let length)?):
            guard request["upload-offset"] == "\(bytes.count)", bytes.count + body.count <= length else {
                reply.status = 409
                break
            }
            uploads[request.path] = .sequence(bytes + body, of: length)
            reply.fields.append(("Upload-Offset", "\(bytes.count + body.count)"))
            if !body.isEmpty, bytes.count + body.count == length { objects.append(bytes + body) }
        case ("DELETE", .sequence?): uploads[request.path] = nil
        default: reply.status = 404
        }
        return reply
    }

    /// - Parameter body: `nil` if the connection broke before its end.
    fileprivate mutating func store(_ request: ScriptedRequest, _ body: [UInt8]?) -> ScriptedReply {
        let query = request.path.split(separator: "?").dropFirst().first ?? ""
        let values = query.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
        func value(_ name: String) -> String? {
            values.first { $0.first.map(String.init) == name && $0.count == 2 }.map { String($0[1]) }
        }
        guard let id = value("uploadId") else {
            if request.method == "POST" { return create() }
            guard request.method == "HEAD", let object = objects.last else {
                return ScriptedReply(status: 404)
            }
            return ScriptedReply(fields: [("ETag", tag)], body: object)
        }
        guard case .parts(var parts)? = uploads[id] else {
            return .xml(status: 404, "<Error><Code>NoSuchUpload</Code></Error>")
        }
        switch (request.method, body) {
        case ("PUT", let bytes?):
            guard let number = value("partNumber").flatMap({ Int($0) }) else { break }
            parts[number] = bytes
            uploads[id] = .parts(parts)
            return ScriptedReply(fields: [("ETag", Self.tag(bytes))])
        case ("GET", _):
            let listed = parts.sorted { $0.key < $1.key }.map { number, bytes in
                "<Part><PartNumber>\(number)</PartNumber><Size>\(bytes.count)</Size><ETag>\(Self.tag(bytes))</ETag></Part>"
            }
            return .xml("<ListPartsResult><UploadId>\(id)</UploadId>\(listed.joined())</ListPartsResult>")
        case ("POST", let bytes?):
            let said = String(decoding: bytes, as: UTF8.self)
            let numbers = said.matches(of: /<PartNumber>(\d+)</).compactMap { Int($0.1) }
            guard numbers == parts.keys.sorted() else {
                return .xml(status: 400, "<Error><Code>InvalidPart</Code></Error>")
            }
            let pieces = numbers.compactMap { parts[$0] }
            objects.append(pieces.flatMap(\.self))
            tag = Self.tag(pieces)
            uploads[id] = nil
            return .xml("<CompleteMultipartUploadResult><ETag>\(tag)</ETag></CompleteMultipartUploadResult>")
        case ("DELETE", _):
            uploads[id] = nil
            return ScriptedReply(status: 204)
        default: break
        }
        return ScriptedReply(status: 400)
    }

    /// The entity tag of a part: its MD5.
    private static func tag(_ part: [UInt8]) -> String { "\"\(hex(Insecure.MD5.hash(data: part)))\"" }

    /// The entity tag of an object in parts: the MD5 of their MD5s, and their number.
    private static func tag(_ parts: [[UInt8]]) -> String {
        let digests = parts.flatMap { Array(Insecure.MD5.hash(data: $0)) }
        return "\"\(hex(Insecure.MD5.hash(data: digests)))-\(parts.count)\""
    }

    private static func hex(_ digest: Insecure.MD5Digest) -> String {
        digest.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    private mutating func create() -> ScriptedReply {
        created += 1
        uploads["u\(created)"] = .parts([:])
        return .xml(
            "<InitiateMultipartUploadResult><UploadId>u\(created)</UploadId></InitiateMultipartUploadResult>"
        )
    }
}

extension ScriptedReply {
    fileprivate static func xml(status: Int = 200, _ text: String) -> ScriptedReply {
        ScriptedReply(status: status, fields: [("Content-Type", "application/xml")], body: Array(text.utf8))
    }
}

extension Sandbox {
    /// Writes keys of stores into the home directory.
    func writeKeys() throws {
        let directory = home + "/.aws"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try
            "[default]\naws_access_key_id = \(SeaweedFS.accessKey)\naws_secret_access_key = \(SeaweedFS.secret)\n"
            .write(toFile: directory + "/credentials", atomically: true, encoding: .utf8)
        try
            "[default]\naccessKeyID=\(SeaweedFS.accessKey)\naccessKeySecret=\(SeaweedFS.secret)\nregion=cn-test\n"
            .write(toFile: home + "/.ossutilconfig", atomically: true, encoding: .utf8)
    }
}
