internal import AsyncHTTPClient
internal import FerryCore
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Translates network failures into the core's problems.
///
/// A message names hosts only: paths and queries may be secrets (I7).
struct ProblemClassifier: Sendable {
    private let host: String
    private let options: ConnectionOptions
    private let proxy: Proxy?
    private let isForwarded: Bool

    init(_ request: TransportRequest, route: Route) {
        host = request.url.host
        options = request.connection
        proxy = route.proxy
        isForwarded = route.isForwarded
    }

    /// The host that Ferry connects to.
    private var peer: String { proxy.map { "the proxy \($0.host)" } ?? host }

    /// The target of connecting; behind a tunnelling proxy, the connect time includes the server's.
    private var way: String {
        guard let proxy, !isForwarded else { return peer }
        return "\(host) through the proxy \(proxy.host)"
    }

    // MARK: - Faulty responses

    /// The failure of a body that is longer than requested.
    var tooLong: Problem {
        .transient(.badResponse, "\(host) sent more bytes than announced.")
    }

    /// The problem for a verdict on a server.
    func problem(of verdict: StallDetector.Verdict) -> Problem {
        switch verdict {
        case .silent:
            .transient(.timeout, "\(host) sent nothing for \(seconds(options.idleTimeout)).")
        case .slow:
            .transient(
                .tooSlow,
                "\(host) sent less than \(options.speedFloor?.bytesASecond ?? 0) bytes per second for "
                    + "\(seconds(options.speedFloor?.time ?? .zero))."
            )
        }
    }

    /// The problem of a failed lookup; `nil` when the name was found.
    func problem(of answer: NameLookups.Answer) -> Problem? {
        switch answer {
        case .found: nil
        case .unknown where proxy != nil, .failed where proxy != nil:
            proxyFailed("has a name that does not resolve")
        case .unknown: unknownHost
        case .failed: nameNotResolved
        }
    }

    /// The failure of an address that cannot be connected to. The kernel reports it as an unreachable
    /// network.
    func problem(of impossibility: IPAddress.Impossibility) -> Problem {
        let reason =
            switch impossibility {
            case .broadcast: "is a broadcast address, not the address of a server"
            case .multicast: "is a multicast address, not the address of a server"
            case .linkLocal:
                "is a link-local address, which a URL cannot name because it is ambiguous"
            }
        guard proxy == nil else {
            return .permanent(
                .proxyFailed,
                "The address of the proxy, \(proxy?.host ?? host), \(reason).",
                remedies: [.chooseOtherProxy]
            )
        }
        return .permanent(
            .networkUnreachable,
            "\(host) \(reason).",
            remedies: [.checkURL, .giveURL, .retry]
        )
    }

    /// The failure of a name whose lookup takes longer than the connect timeout.
    var lookupTookTooLong: Problem {
        proxy == nil
            ? .transient(
                .nameNotResolved,
                "Looking up \(host) took longer than \(seconds(options.connectTimeout)).",
                remedies: [.checkNetwork, .retry]
            ) : proxyFailed("has a name that took longer than \(seconds(options.connectTimeout)) to look up")
    }

    /// The failure of a forwarding proxy's own response, as opposed to the server's.
    func refusal(by status: HTTPResponseStatus) -> Problem? {
        isForwarded && status == .proxyAuthenticationRequired ? proxyWantsCredentials : nil
    }

    // MARK: - Network errors

    /// The problem behind an error of AsyncHTTPClient, NIO or BoringSSL.
    ///
    /// - Parameters:
    ///   - received: the number of bytes of the body that have arrived; `nil` before the body.
    ///   - framing: the announced framing of the body.
    /// - Returns: a ``Problem``; or the error itself if it is Ferry's own, such as a cancellation.
    func classify(_ error: any Error, received: Int64?, framing: ResponseFraming?) -> any Error {
        switch error {
        case is Problem, is StorageProblem, is CancellationError, is BodyNotWanted:
            error
        case let violation as ProtocolViolation:
            Problem.transient(.badResponse, "The answer of \(host) \(violation.explanation).")
        case let error as HTTPClientError:
            classify(error, received: received, framing: framing)
        case let error as NIOConnectionError:
            classify(error)
        case let error as IOError:
            classify(errno: error.errnoCode, received: received, framing: framing)
        case let error as ChannelError:
            classify(error, received: received, framing: framing)
        case let error as HTTPParserError:
            classify(error, received: received, framing: framing)
        case let error as NIOSSLError:
            classify(error, received: received, framing: framing)
        case let mismatch as CertificateMismatch:
            mismatch == .noName ? certificateWithoutName : certificateOfAnother
        case is NIOSSLExtraError:
            certificateOfAnother
        case is BoringSSLError:
            connectionLost(received, framing)
        default:
            received == nil && proxy != nil ? proxyFailed("failed") : connectionLost(received, framing)
        }
    }

    private func classify(
        _ error: HTTPClientError,
        received: Int64?,
        framing: ResponseFraming?
    ) -> any Error {
        switch error {
        case .cancelled, .alreadyShutdown:
            return CancellationError()
        case .connectTimeout, .getConnectionFromPoolTimeout:
            return timeout("Connecting to \(way)")
        case .tlsHandshakeTimeout:
            return timeout("The TLS handshake with \(host)")
        case .socksHandshakeTimeout, .httpProxyHandshakeTimeout:
            return proxyFailed("made no connection within \(seconds(options.connectTimeout))")
        case .proxyAuthenticationRequired:
            return proxyWantsCredentials
        case .invalidProxyResponse:
            return proxyFailed("refused to connect to \(host)")
        default:
            return connectionLost(received, framing)
        }
    }

    /// Several addresses may have been tried. The error that says most about the server counts: a refusal
    /// comes from a host, but an unreachable network may only mean that IPv4 or IPv6 is not available.
    private func classify(_ error: NIOConnectionError) -> Problem {
        let errors = error.connectionErrors.map(\.error)
        let numbers = errors.compactMap { ($0 as? IOError)?.errnoCode }
        if errors.isEmpty {
            guard proxy == nil else { return proxyFailed("has a name that does not resolve") }
            return Self.isUnknownHost(error) ? unknownHost : nameNotResolved
        }
        let telling =
            numbers.first { $0 == ECONNREFUSED } ?? numbers.first { !Self.unreachable.contains($0) }
        if let telling { return classify(errno: telling, received: nil, framing: nil) }
        if numbers.count < errors.count { return timeout("Connecting to \(peer)") }
        return classify(errno: numbers.first ?? ENETUNREACH, received: nil, framing: nil)
    }

    /// Whether the resolver knows that no such host exists. A failure to ask it is another answer.
    private static func isUnknownHost(_ error: NIOConnectionError) -> Bool {
        let answer = (error.dnsAError ?? error.dnsAAAAError) as? SocketAddressError.UnknownHost
        return answer.map { $0.errorCode == Int(EAI_NONAME) } ?? false
    }

    private static let unreachable: Set<CInt> = [ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN]

    private func classify(errno: CInt, received: Int64?, framing: ResponseFraming?) -> Problem {
        switch errno {
        case _ where Self.unreachable.contains(errno):
            return .condition(.network, .networkUnreachable, "There is no route to \(peer).")
        case ECONNREFUSED:
            return proxy == nil
                ? .transient(.connectionRefused, "\(host) refuses the connection.")
                : proxyFailed("refuses the connection")
        case ETIMEDOUT:
            return .transient(.timeout, "\(peer.capitalizedFirst) does not answer.")
        case EMFILE, ENFILE, EADDRNOTAVAIL, ENOBUFS, ENOMEM:
            return .transient(
                .cannotOpen,
                "No more connections can be opened on this machine.",
                remedies: [.raiseFileLimit, .retry]
            )
        default:
            return connectionLost(received, framing)
        }
    }

    private func classify(_ error: ChannelError, received: Int64?, framing: ResponseFraming?) -> Problem {
        if case .connectTimeout = error { return timeout("Connecting to \(peer)") }
        return connectionLost(received, framing)
    }

    private func classify(_ error: HTTPParserError, received: Int64?, framing: ResponseFraming?) -> Problem {
        switch error {
        case .invalidEOFState, .closedConnection:
            connectionLost(received, framing)
        default:
            .transient(.badResponse, "The answer of \(host) is not valid HTTP.")
        }
    }

    private func classify(_ error: NIOSSLError, received: Int64?, framing: ResponseFraming?) -> Problem {
        switch error {
        case .handshakeFailed(.sslError(let stack)), .handshakeFailed(.unknownError(let stack)):
            // BoringSSL gives its reasons only as text.
            let reason = "\(stack)"
            if reason.contains("EOF during") { return connectionLost(received, framing) }
            if reason.contains("CERTIFICATE_VERIFY_FAILED") {
                return tlsFailed("its certificate is not trusted")
            }
            return noHandshake(isSpoken: !reason.contains("WRONG_VERSION_NUMBER"))
        case .unableToValidateCertificate, .noCertificateToValidate:
            return tlsFailed("its certificate is not trusted")
        default:
            return connectionLost(received, framing)
        }
    }

    /// Whether an error says only that the connection is closed.
    static func isClosing(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .remoteConnectionClosed
        case let error as IOError: [ECONNRESET, EPIPE, ECONNABORTED, ENOTCONN].contains(error.errnoCode)
        case ChannelError.ioOnClosedChannel, ChannelError.eof: true
        default: false
        }
    }

    // MARK: - Problems

    private func connectionLost(_ received: Int64?, _ framing: ResponseFraming?) -> Problem {
        let message =
            switch (received, framing) {
            case (let received?, .length(let length)?):
                "The connection closed after \(received) of \(length) bytes."
            case (let received?, _):
                "The connection closed after \(received) bytes, before the end of the body."
            case (nil, _):
                "The connection to \(peer) closed before an answer came."
            }
        return .transient(.connectionLost, message)
    }

    private var nameNotResolved: Problem {
        .transient(
            .nameNotResolved,
            "The name \(host) does not resolve.",
            remedies: [.checkURL, .checkNetwork, .retry]
        )
    }

    private var unknownHost: Problem {
        var problem = Problem.transient(
            .nameNotResolved,
            "There is no host named \(host).",
            remedies: [.checkURL, .giveURL, .retry]
        )
        problem.isUnknownHost = true
        return problem
    }

    private func timeout(_ what: String) -> Problem {
        .transient(.timeout, "\(what) took longer than \(seconds(options.connectTimeout)).")
    }

    private func tlsFailed(_ reason: String) -> Problem {
        .permanent(
            .tlsFailed,
            "There is no secure connection to \(host): \(reason).",
            remedies: [.trustCertificates, .skipVerification]
        )
    }

    private var certificateOfAnother: Problem {
        .permanent(
            .tlsFailed,
            "There is no secure connection to \(host): its certificate is for another name.",
            remedies: [.checkURL, .giveURL, .retry, .skipVerification]
        )
    }

    private var certificateWithoutName: Problem {
        .permanent(
            .tlsFailed,
            "There is no secure connection to \(host): its certificate names no host in a subjectAltName. "
                + "A common name does not count.",
            remedies: [.skipVerification]
        )
    }

    /// The handshake ended before a certificate, so trusting another certificate would not help.
    private func noHandshake(isSpoken: Bool) -> Problem {
        .permanent(
            .tlsFailed,
            "There is no secure connection to \(host): "
                + (isSpoken
                    ? "the handshake failed. Perhaps both sides have no TLS version or cipher in common."
                    : "the server at that port does not use TLS."),
            remedies: isSpoken ? [.retry] : [.checkScheme, .giveURL, .retry]
        )
    }

    private func proxyFailed(_ what: String) -> Problem {
        .transient(.proxyFailed, "The proxy \(proxy?.host ?? host) \(what).")
    }

    private var proxyWantsCredentials: Problem {
        .permanent(
            .notAuthorised,
            "The proxy \(proxy?.host ?? host) requires a user and a password.",
            remedies: [.giveProxyCredentials]
        )
    }

    private func seconds(_ duration: Duration) -> String {
        let milliseconds = duration.wholeMilliseconds
        if milliseconds % 1000 == 0 { return "\(milliseconds / 1000) s" }
        return "\(Double(milliseconds) / 1000) s"
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
