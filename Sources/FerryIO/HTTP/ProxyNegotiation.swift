internal import FerryCore
internal import HTTPTypes

/// Asks a proxy to connect to a server, without I/O: `CONNECT` of HTTP (RFC 9110 §9.3.6), or SOCKS.
enum ProxyNegotiation: Sendable {
    /// What follows from bytes of the proxy.
    typealias Step = SOCKSNegotiation.Step

    case tunnel(ResponseReader, request: [UInt8])
    case socks(SOCKSNegotiation)

    /// Plans the negotiation.
    ///
    /// - Parameter address: the server's address, where the proxy does not resolve names.
    /// - Throws: ``OpeningFailure`` when the proxy's protocol cannot express the request.
    init(_ proxy: Proxy, to origin: Origin, address: IPAddress?) throws {
        do {
            guard case .http = proxy.scheme else {
                let way = try SOCKSNegotiation(proxy, to: origin.host, port: origin.port, address: address)
                self = .socks(way)
                return
            }
            var fields = HTTPFields()
            if let credentials = proxy.credentials {
                fields[.proxyAuthorization] = credentials.authorizationFieldValue
            }
            let request = WireRequest(
                .connect,
                .authority(host: origin.host, port: origin.port),
                fields: fields
            )
            self = .tunnel(ResponseReader(answering: .connect), request: try request.head())
        } catch let fault as SOCKSFault {
            throw OpeningFailure.socks(fault)
        }
    }

    /// The first bytes to write.
    var opening: [UInt8] {
        switch self {
        case .tunnel(_, let request): request
        case .socks(let negotiation): negotiation.start()
        }
    }

    /// Removes the bytes of the negotiation from the front.
    ///
    /// - Throws: ``OpeningFailure`` when the proxy does not connect.
    mutating func receive(_ bytes: inout [UInt8]) throws -> Step {
        do {
            switch self {
            case .tunnel(var reader, let request):
                let step = try Self.receive(&reader, &bytes)
                self = .tunnel(reader, request: request)
                return step
            case .socks(var negotiation):
                defer { self = .socks(negotiation) }
                return try negotiation.receive(&bytes)
            }
        } catch let fault as SOCKSFault {
            throw OpeningFailure.socks(fault)
        } catch let fault as WireFault {
            throw OpeningFailure.tunnelFault(fault)
        }
    }

    private static func receive(_ reader: inout ResponseReader, _ bytes: inout [UInt8]) throws -> Step {
        var position = 0
        defer { bytes.removeFirst(position) }
        while let event = try reader.next(in: bytes.span.bytes, at: &position) {
            switch event {
            case .head(let head, _) where !(200..<300).contains(head.status):
                throw OpeningFailure.tunnelRefused(status: head.status)
            case .end: return .established
            case .head, .interim, .body: continue
            }
        }
        return .wait
    }
}
