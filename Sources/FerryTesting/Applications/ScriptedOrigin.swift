public import Ferry
internal import HTTPTypes
internal import Synchronization

/// A server for the tests of an application: it answers from memory, by a script, without a socket.
///
/// Pass it to ``Ferry/TransferEngine/withEngine(with:_:)`` or ``Ferry/TransferEngine/open(_:with:)``. It plays every host: a
/// request for a URL that nothing was served at is answered with 404 Not Found.
///
/// ``fail(_:times:status:)``, ``cut(_:after:)`` and ``change(_:to:)`` are the steps of a URL's script. Each request for the
/// URL takes the next step, in the order in which the test gave them. When no step is left, requests succeed. A request
/// without a step gets the file, or the part that it asks for. A file of less than a mebibyte is fetched with one request at
/// a time, so its script has one order.
public final class ScriptedOrigin: Sendable {
    /// What happens with a request.
    private enum Step {
        case fail(status: Int)
        case cut(after: Int)
        case change(to: [UInt8])
    }

    private struct State {
        var steps: [HTTPURL: [Step]] = [:]
        var versions = 0
    }

    private let state = Mutex(State())
    private let base = ScriptedTransport(clock: PresentTime(), pieceLength: 16 << 10)

    /// Creates an origin that serves nothing.
    public init() {}

    // MARK: The script

    /// Serves bytes at a URL from now on, as a new version with its own `ETag`.
    ///
    /// Requests of any method are answered with them; the answer to `HEAD` has no body.
    public func serve(_ bytes: some Sequence<UInt8>, at url: HTTPURL) {
        let version = state.withLock { state in
            state.versions += 1
            return state.versions
        }
        base.set(ScriptedResource(Array(bytes), entityTag: "\"v\(version)\""), at: Self.key(url))
    }

    /// Answers the next requests for a URL with an error, such as 503 Service Unavailable.
    ///
    /// - Parameters:
    ///   - count: the number of requests, at least 1.
    ///   - status: the status of the answers, from 400 to 599.
    public func fail(_ url: HTTPURL, times count: Int = 1, status: Int = 503) {
        precondition(count > 0, "a step answers at least one request")
        precondition((400...599).contains(status), "an error has a status from 400 to 599")
        add(Array(repeating: .fail(status: status), count: count), at: url)
    }

    /// Breaks the connection of the next request for a URL.
    ///
    /// - Parameter count: the number of bytes of the response's body before that. If the body is shorter, nothing breaks.
    public func cut(_ url: HTTPURL, after count: Int) {
        precondition(count >= 0, "a body has no bytes before its beginning")
        add([.cut(after: count)], at: url)
    }

    /// Changes the file when the next request for a URL arrives. That request is then answered by the step after this one.
    ///
    /// Between a ``cut(_:after:)`` and the request that resumes, it is what a server does that publishes a new version.
    /// - Parameter bytes: the new version.
    public func change(_ url: HTTPURL, to bytes: some Sequence<UInt8>) {
        add([.change(to: Array(bytes))], at: url)
    }

    private func add(_ steps: [Step], at url: HTTPURL) {
        state.withLock { $0.steps[Self.key(url), default: []] += steps }
    }

    // MARK: What arrived

    /// A request that arrived.
    public struct Request: Sendable {
        private let sent: TransportRequest

        init(_ sent: TransportRequest) { self.sent = sent }

        /// The URL, without userinfo and fragment.
        public var url: HTTPURL { ScriptedOrigin.key(sent.url) }

        /// The method, such as `GET`.
        public var method: String { sent.method.rawValue }

        /// The value of a header field; `nil` if the request does not have it. The case of the name does not count.
        public subscript(field name: String) -> String? {
            HTTPField.Name(name).flatMap { sent.headers[$0] }
        }

        /// The body; empty for one that is sent from a file.
        public var body: [UInt8] { sent.bodyBytes }
    }

    /// Every request so far, in the order in which they arrived.
    public var requests: [Request] { base.requests.map(Request.init) }

    /// The form of a URL that is sent.
    private static func key(_ url: HTTPURL) -> HTTPURL { url.withoutFragment.withoutUserinfo }

    /// Applies the changes that come before the next answer, and orders the fault of that answer.
    private func prepare(_ url: HTTPURL) {
        while true {
            let step = state.withLock { state in
                state.steps[url]?.isEmpty == false ? state.steps[url]?.removeFirst() : nil
            }
            switch step {
            case .change(let bytes): serve(bytes, at: url)
            case .fail(let status): return base.order(.answer(status: status, [:]), at: url)
            case .cut(let count): return base.order(.breakAfter(count), at: url)
            case nil: return
            }
        }
    }
}

extension ScriptedOrigin: HTTPTransport {
    /// Answers by the script.
    package func withResponse<Result: Sendable>(
        to request: TransportRequest,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        prepare(Self.key(request.url))
        return try await base.withResponse(to: request, handle)
    }

    /// Does nothing: another engine may use it.
    package func shutdown() async {}
}

/// The time of this machine.
private struct PresentTime: WallClock {
    var now: Instant { .now }

    func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
