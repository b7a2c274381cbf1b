package import FerryCore
internal import HTTPTypes
internal import Synchronization

/// A transport that plays a server of tus 1.0.0 from memory. As a server does, it keeps the bytes of a request that broke.
package final class TusOrigin: HTTPTransport {
    /// What happens to one request that carries bytes, or to the request that creates an upload.
    package enum Fault: Hashable, Sendable {
        /// The connection breaks after this many bytes of the body.
        case breakAfter(Int)
        /// The request waits for ``release()`` after this many bytes of the body.
        case stallAfter(Int)
        /// The answer is lost.
        case loseAnswer
        /// Nothing: a later fault is for a later request.
        case answer
    }

    fileprivate struct State {
        var uploads: [String: (length: Int, bytes: [UInt8])] = [:]
        var latest = 0
        var objects: [[UInt8]] = []
        var requests: [TransportRequest] = []
        var faults: [Fault] = []
        var isAway = false
        var refusals = 0
        var home: HTTPURL?
    }

    private let state = Mutex(State())
    private let stalls = StallGate()

    /// Creates a server without uploads.
    package init() {}

    // MARK: A test's actions

    /// The files that have arrived whole, in order.
    package var objects: [[UInt8]] { state.withLock { $0.objects } }

    /// The number of uploads that have begun and are not complete.
    package var openUploads: Int {
        state.withLock { $0.uploads.values.count { $0.bytes.count < $0.length } }
    }

    /// Every request so far.
    package var requests: [TransportRequest] { state.withLock { $0.requests } }

    /// The number of connections that were refused.
    package var refusals: Int { state.withLock { $0.refusals } }

    /// Orders a fault for the next request that creates an upload or carries bytes; several queue up.
    package func order(_ fault: Fault) { state.withLock { $0.faults.append(fault) } }

    /// Accepts no connections from now on, or does again.
    package func set(away isAway: Bool) { state.withLock { $0.isAway = isAway } }

    /// Gives new uploads URLs under this one, such as on another host.
    package func place(uploadsUnder url: HTTPURL) { state.withLock { $0.home = url } }

    /// Forgets all uploads.
    package func forget() { state.withLock { $0.uploads = [:] } }

    /// Releases requests that stall.
    package func release() { stalls.release() }

    /// Returns when a request has begun to stall.
    package func nextStall() async throws { try await stalls.nextStall() }

    // MARK: The seam

    private static let lost = Problem.transient(.connectionLost, "The connection broke, as was ordered.")

    /// Answers a request.
    package func withResponse<Result: Sendable>(
        to request: TransportRequest,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let (isRefused, fault) = state.withLock { state -> (Bool, Fault?) in
            if state.isAway {
                state.refusals += 1
                return (true, nil)
            }
            state.requests.append(request)
            guard [.post, .patch].contains(request.method), !state.faults.isEmpty else { return (false, nil) }
            return (false, state.faults.removeFirst())
        }
        if isRefused {
            var problem = Problem.transient(.connectionRefused, "No one listens, as was ordered.")
            problem.precedesRequest = true
            throw problem
        }
        request.listener?.requestMayLeave()
        var body = try Self.bytes(of: request.body)
        switch fault {
        case .breakAfter(let count)?:
            body = Array(body.prefix(count))
            request.listener?.bodyLeft(upTo: Int64(body.count))
            _ = answer(to: request, body)
            throw Self.lost
        case .stallAfter(let count)?:
            request.listener?.bodyLeft(upTo: Int64(count))
            do {
                try await stalls.wait()
            } catch {
                _ = answer(to: request, Array(body.prefix(count)))
                throw error
            }
        case .loseAnswer?, .answer?, nil: break
        }
        request.listener?.bodyLeft(upTo: Int64(body.count))
        let head = answer(to: request, body)
        if case .loseAnswer? = fault { throw Self.lost }
        return try await handle(head, NoBody())
    }

    /// Does nothing.
    package func shutdown() async {}

    private static func bytes(of body: RequestBody) throws(Problem) -> [UInt8] {
        guard case .source(let source) = body else {
            if case .bytes(let bytes) = body { return bytes }
            return []
        }
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 1)
        defer { buffer.deallocate() }
        while Int64(bytes.count) < source.length ?? 0 {
            let count = try source.read(at: Int64(bytes.count), into: buffer)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    // MARK: The server

    private func answer(to request: TransportRequest, _ body: [UInt8]) -> ResponseHead {
        state.withLock { state in
            var fields: HTTPFields = [Self.resumable: "1.0.0"]
            let status = state.answer(to: request, body, &fields)
            return ResponseHead(status: status, headers: fields, bodyLength: 0)
        }
    }

    fileprivate static let resumable = HTTPField.Name("Tus-Resumable")!
    fileprivate static let version = HTTPField.Name("Tus-Version")!
    fileprivate static let extensions = HTTPField.Name("Tus-Extension")!
    fileprivate static let length = HTTPField.Name("Upload-Length")!
    fileprivate static let offset = HTTPField.Name("Upload-Offset")!
}

extension TusOrigin.State {
    /// Does what a request asks for, and returns the status of the answer.
    fileprivate mutating func answer(
        to request: TransportRequest,
        _ body: [UInt8],
        _ fields: inout HTTPFields
    ) -> Int {
        let path = request.url.path
        switch request.method {
        case .options:
            fields[TusOrigin.version] = "1.0.0"
            fields[TusOrigin.extensions] = "creation,termination"
            return 204
        case .post:
            guard let length = request.headers[TusOrigin.length].flatMap({ Int($0) }) else { return 400 }
            latest += 1
            uploads["/uploads/\(latest)"] = (length, [])
            fields[.location] = (home?.withoutPath ?? "") + "/uploads/\(latest)"
            return 201
        case .head:
            guard let upload = uploads[path] else { return 404 }
            fields[TusOrigin.offset] = String(upload.bytes.count)
            fields[TusOrigin.length] = String(upload.length)
            return 200
        case .patch:
            guard let upload = uploads[path] else { return 404 }
            guard request.headers[TusOrigin.offset] == String(upload.bytes.count) else { return 409 }
            uploads[path]?.bytes += body
            fields[TusOrigin.offset] = String(upload.bytes.count + body.count)
            if upload.bytes.count + body.count == upload.length { objects.append(upload.bytes + body) }
            return 204
        case .delete: return uploads.removeValue(forKey: path) == nil ? 404 : 204
        default: return 405
        }
    }
}

extension HTTPURL {
    /// Its origin, as it begins a URL.
    fileprivate var withoutPath: String { "\(scheme.rawValue)://\(hostAndPort)" }
}

/// A body without bytes.
struct NoBody: ResponseBody {
    func receive(
        into sink: any ByteSink,
        at offset: Int64,
        limit: Int64?,
        bound: any BodyBound,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> Int64 { 0 }

    func collect(upTo bound: Int) async throws -> [UInt8] { [] }
}
