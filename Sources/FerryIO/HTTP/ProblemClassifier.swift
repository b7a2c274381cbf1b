internal import FerryCore
internal import NIOCore
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
/// A message names hosts only, and ports unless they are the usual ones: paths and queries may be secrets (I7).
struct ProblemClassifier: Sendable {
    /// The name or the address, without a port: for what is true of each port.
    private let host: String
    /// The host, with a port that is not the usual one.
    private let server: String
    private let options: ConnectionOptions
    private let proxy: Proxy?
    private let isForwarded: Bool

    init(_ request: TransportRequest, over route: WireKey.Route) {
        (host, server) = (request.url.host, request.url.hostAndPort)
        options = request.connection
        switch route {
        case .direct: (proxy, isForwarded) = (nil, false)
        case .forwarded(let proxy): (self.proxy, isForwarded) = (proxy, true)
        case .tunnelled(_, let proxy): (self.proxy, isForwarded) = (proxy, false)
        }
    }

    /// What Ferry connects to.
    private var peer: String { proxy.map { "the proxy \($0.hostAndPort)" } ?? server }

    private var proxyServer: String { proxy?.hostAndPort ?? server }

    // MARK: - Faulty responses

    /// The failure of a body that is longer than requested.
    var tooLong: Problem {
        .transient(.badResponse, "\(server) sent more bytes than announced.")
    }

    /// The problem for a verdict on a server.
    func problem(of verdict: StallDetector.Verdict) -> Problem {
        switch verdict {
        case .silent:
            .transient(.timeout, "\(server) sent nothing for \(seconds(options.idleTimeout)).")
        case .slow:
            .transient(
                .tooSlow,
                "\(server) sent less than \(ByteCount(options.speedFloor?.bytesASecond ?? 0).formatted)/s for "
                    + "\(seconds(options.speedFloor?.time ?? .zero))."
            )
        }
    }

    /// The failure of a forwarding proxy's own response, as opposed to the server's.
    func refusal(by status: Int) -> Problem? {
        isForwarded && status == 407 ? proxyWantsCredentials : nil
    }

    /// The failure of a request that cannot be written.
    func problem(of fault: RequestFault) -> Problem {
        .permanent(.refused, "The request to \(server) cannot be sent: \(fault.explanation).")
    }

    // MARK: - Connections that were not opened

    /// The failure of a request whose connection could not be opened; the error itself if it is a cancellation.
    func problem(of failure: OpeningFailure) -> any Error {
        switch failure {
        case .cancelled: CancellationError()
        case .certificates(let problem): problem
        case .tookTooLong(let step): tookTooLong(step)
        case .notFound(.proxy, .unknown): unknownProxy
        case .notFound(.proxy, _): proxyFailed("has a name that does not resolve")
        case .notFound(.server, .unknown): unknownHost
        case .notFound(.server, _): nameNotResolved
        case .impossible(let side, let reason): problem(of: reason, side)
        case .noAddressOfFamily(let side): noAddressOfFamily(side)
        case .noInterface: notHere("no interface \(options.localAddress ?? "") with an address")
        case .notConnected(let errors): notConnected(errors)
        case .tunnelRefused(status: 407): proxyWantsCredentials
        case .tunnelRefused(let status): proxyFailed("refused to connect to \(server) with status \(status)")
        case .tunnelFault(let fault): proxyFailed("gave an answer that \(fault.explanation)")
        case .socks(let fault): problem(of: fault)
        case .mismatch(.noName): certificateWithoutName
        case .mismatch(.otherName): certificateOfAnother
        case .broken(let step, let error): broken(step, error)
        }
    }

    private func tookTooLong(_ step: ConnectionOpening.Step) -> Problem {
        switch step {
        case .lookingUp(.proxy):
            proxyFailed("has a name that took longer than \(seconds(options.connectTimeout)) to look up")
        case .lookingUp(.server):
            .transient(
                .nameNotResolved,
                "Looking up \(host) took longer than \(seconds(options.connectTimeout)).",
                remedies: [.checkNetwork, .retry]
            )
        case .connecting: timeout("Connecting to \(peer)")
        case .negotiating: proxyFailed("made no connection within \(seconds(options.connectTimeout))")
        case .handshaking: timeout("The TLS handshake with \(server)")
        }
    }

    /// The failure of an address that cannot be connected to. The kernel reports it as an unreachable
    /// network.
    private func problem(of impossibility: IPAddress.Impossibility, _ side: ConnectionOpening.Side) -> Problem
    {
        let reason =
            switch impossibility {
            case .broadcast: "is a broadcast address, not the address of a server"
            case .multicast: "is a multicast address, not the address of a server"
            case .linkLocal:
                "is a link-local address, which a URL cannot name because it is ambiguous"
            }
        switch side {
        case .proxy:
            return .permanent(
                .proxyFailed,
                "The address of the proxy, \(proxy?.host ?? host), \(reason).",
                remedies: [.chooseOtherProxy]
            )
        case .server:
            return .permanent(
                .networkUnreachable,
                "\(host) \(reason).",
                remedies: [.checkURL, .giveURL, .retry]
            )
        }
    }

    private func noAddressOfFamily(_ side: ConnectionOpening.Side) -> Problem {
        // A local address allows its own family only.
        let family = options.addressFamily.map { "\($0) address" } ?? "address that can be reached from there"
        switch side {
        case .proxy: return proxyFailed("has no \(family)")
        // A name may get another address later; an address never changes.
        case .server where IPAddress(host) != nil:
            return .permanent(.networkUnreachable, "\(host) is no \(family).", remedies: [.giveURL, .retry])
        case .server:
            return .transient(.nameNotResolved, "\(host) has no \(family).", remedies: [.checkURL, .retry])
        }
    }

    private func notHere(_ what: String) -> Problem {
        .condition(.network, .networkUnreachable, "This machine has \(what).")
    }

    /// Several addresses may have been tried. The error that says most about the server counts: a refusal
    /// comes from a host, but an unreachable network may only mean that IPv4 or IPv6 is not available.
    private func notConnected(_ errors: [any Error]) -> Problem {
        let numbers = errors.compactMap { ($0 as? IOError)?.errnoCode }
        let telling =
            numbers.first { $0 == ECONNREFUSED } ?? numbers.first { !Self.unreachable.contains($0) }
        if let local = options.localAddress, telling == EADDRNOTAVAIL {
            return notHere("no address \(local)")
        }
        return problem(ofErrno: telling ?? numbers.first ?? ENETUNREACH, received: nil, framing: nil)
    }

    private func problem(of fault: SOCKSFault) -> Problem {
        let message = "The proxy \(proxyServer) \(fault.explanation)."
        return switch fault.subject {
        case .request: .permanent(.proxyFailed, message, remedies: [.chooseOtherProxy])
        case .credentials: .permanent(.notAuthorised, message, remedies: [.giveProxyCredentials])
        case .target, .proxy: .transient(.proxyFailed, message)
        }
    }

    private func broken(_ step: ConnectionOpening.Step, _ error: (any Error)?) -> Problem {
        if let refusal = CertificateRefusal(error) { return problem(of: refusal) }
        if let failure = (error as? NIOSSLError).flatMap(handshakeFailure) { return failure }
        return switch (step, error) {
        case (.negotiating, _): proxyFailed("closed the connection before it had connected to \(server)")
        case (.handshaking, let error as IOError) where [ECONNRESET, EPIPE].contains(error.errnoCode):
            handshakeCutOff
        case (_, let error as IOError): problem(ofErrno: error.errnoCode, received: nil, framing: nil)
        case (.handshaking, _): handshakeCutOff
        default: connectionLost(nil, nil)
        }
    }

    /// Why a handshake failed; `nil` if the connection was lost.
    private func handshakeFailure(_ error: NIOSSLError) -> Problem? {
        switch error {
        case .handshakeFailed(.sslError(let stack)), .handshakeFailed(.unknownError(let stack)):
            // BoringSSL gives its reasons only as text.
            let reason = "\(stack)"
            if reason.contains("EOF during") { return nil }
            if reason.contains("CERTIFICATE_VERIFY_FAILED") {
                return tlsFailed("its certificate is not trusted")
            }
            if reason.contains("ALERT_HANDSHAKE_FAILURE"), options.clientCertificate == nil {
                return noHandshakeOrCertificate
            }
            return noHandshake(isSpoken: !reason.contains("WRONG_VERSION_NUMBER"))
        case .unableToValidateCertificate, .noCertificateToValidate:
            return tlsFailed("its certificate is not trusted")
        default:
            return nil
        }
    }

    // MARK: - Connections that were lost

    /// The failure of a request whose connection was lost.
    ///
    /// - Parameters:
    ///   - breakage: what broke the connection; `nil` for an orderly end.
    ///   - received: the number of bytes of the body that have arrived; `nil` before the body.
    ///   - framing: how the end of the body is found.
    func problem(
        of loss: ExchangeLoss,
        because breakage: (any Error)?,
        received: Int64?,
        framing: BodyFraming?
    ) -> Problem {
        if received == nil, let refusal = CertificateRefusal(breakage) {
            var problem = problem(of: refusal)
            // A connection that has carried a request, or brought the beginning of an answer, had been accepted.
            problem.precedesRequest = loss == .unanswered(isReused: false)
            return problem
        }
        if case .fault(let fault) = loss, !fault.isClosing {
            return .transient(.badResponse, "The answer of \(server) \(fault.explanation).")
        }
        // The answer was whole, so its length says nothing.
        if loss == .closedWhileSending {
            return .transient(
                .connectionLost,
                "\(server) answered and closed the connection before it had received the whole request."
            )
        }
        switch breakage {
        case let error as IOError:
            return problem(ofErrno: error.errnoCode, received: received, framing: framing)
        default:
            return connectionLost(received, framing)
        }
    }

    private static let unreachable: Set<CInt> = [ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN]

    private func problem(ofErrno errno: CInt, received: Int64?, framing: BodyFraming?) -> Problem {
        switch errno {
        case _ where Self.unreachable.contains(errno):
            // A route leads to all ports of a host.
            let away = proxy.map { "the proxy \($0.host)" } ?? host
            return .noRoute(to: away)
        case ECONNREFUSED:
            return proxy == nil
                ? .transient(.connectionRefused, "\(server) refuses the connection.")
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

    // MARK: - Problems

    private func connectionLost(_ received: Int64?, _ framing: BodyFraming?) -> Problem {
        let message =
            switch (received, framing) {
            case (let received?, .length(let length)?):
                "The connection closed after \(ByteCount(received).formatted(beside: length)) of "
                    + "\(ByteCount(length).formatted(beside: received))."
            case (let received?, _):
                "The connection closed after \(ByteCount(received).formatted), before the end of the body."
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

    private var unknownProxy: Problem {
        var problem = proxyFailed("has a name that does not resolve")
        problem.isUnknownHost = true
        return problem
    }

    private func timeout(_ what: String) -> Problem {
        .transient(.timeout, "\(what) took longer than \(seconds(options.connectTimeout)).")
    }

    /// A proxy or a firewall on the way may have closed it, so no one is named.
    private var handshakeCutOff: Problem {
        .transient(.connectionLost, "The connection to \(server) closed during the TLS handshake.")
    }

    private func tlsFailed(_ reason: String) -> Problem {
        .permanent(
            .tlsFailed,
            "There is no secure connection to \(server): \(reason).",
            remedies: [.trustCertificates, .skipVerification]
        )
    }

    private var certificateOfAnother: Problem {
        .permanent(
            .tlsFailed,
            "There is no secure connection to \(server): its certificate is for another name.",
            remedies: [.checkURL, .giveURL, .retry, .skipVerification]
        )
    }

    private var certificateWithoutName: Problem {
        .permanent(
            .tlsFailed,
            "There is no secure connection to \(server): its certificate names no host in a subjectAltName. "
                + "A common name does not count.",
            remedies: [.skipVerification]
        )
    }

    /// The handshake ended before a certificate, so trusting another certificate would not help.
    private func noHandshake(isSpoken: Bool) -> Problem {
        .permanent(
            .tlsFailed,
            "There is no secure connection to \(server): "
                + (isSpoken
                    ? "the handshake failed. Perhaps both sides have no TLS version or cipher in common."
                    : "the server at that port does not use TLS."),
            remedies: isSpoken ? [.retry] : [.checkScheme, .giveURL, .retry]
        )
    }

    /// With TLS 1.2, this alert is also the answer to a client without a certificate.
    private var noHandshakeOrCertificate: Problem {
        .permanent(
            .tlsFailed,
            "There is no secure connection to \(server): the handshake failed. Perhaps the server requires a client "
                + "certificate, or both sides have no TLS version or cipher in common.",
            remedies: [.giveClientCertificate, .retry]
        )
    }

    private func problem(of refusal: CertificateRefusal) -> Problem {
        let isGiven = options.clientCertificate != nil
        let reason = isGiven ? refusal.explanation : "it requires a client certificate"
        return .permanent(
            .tlsFailed,
            "There is no secure connection to \(server): \(reason).",
            remedies: [isGiven ? .giveOtherClientCertificate : .giveClientCertificate, .retry]
        )
    }

    private func proxyFailed(_ what: String) -> Problem {
        .transient(.proxyFailed, "The proxy \(proxyServer) \(what).")
    }

    private var proxyWantsCredentials: Problem {
        .permanent(
            .notAuthorised,
            "The proxy \(proxyServer) requires a user and a password.",
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
