/// A client's negotiation with a SOCKS proxy, without I/O: SOCKS 5 (RFC 1928, RFC 1929), SOCKS 4 and 4a.
///
/// Its owner writes ``start()``, then passes received bytes to ``receive(_:)`` until the tunnel is open.
package struct SOCKSNegotiation: Sendable {
    /// What follows from the bytes so far.
    package enum Step: Hashable, Sendable {
        /// More bytes are needed.
        case wait
        /// Write these bytes.
        case send([UInt8])
        /// The tunnel is open; the following bytes belong to it.
        case established
    }

    private enum State {
        /// The proxy chooses a method. Exits: `login`, `reply`, `failed`.
        case method
        /// The proxy checks the login. Exits: `reply`, `failed`.
        case login
        /// The proxy connects. Exits: `established`, `failed`.
        case reply
        /// The proxy connects, under SOCKS 4. Exits: `established`, `failed`.
        case oldReply
        /// The tunnel is open. Final.
        case established
        /// Final.
        case failed(SOCKSFault)
    }

    /// The first bytes to write.
    private let opening: [UInt8]
    /// The request of SOCKS 5.
    private let request: [UInt8]
    /// The login of SOCKS 5; `nil` without credentials.
    private let login: [UInt8]?
    private var state: State
    /// The bytes of the current message that have arrived.
    private var message: [UInt8] = []

    /// Plans the negotiation.
    ///
    /// SOCKS 4 has no password, and a given one is not sent.
    ///
    /// - Parameters:
    ///   - host: the server's name or address, without brackets.
    ///   - address: the server's address, where the proxy does not resolve the name.
    /// - Throws: why the protocol cannot express the request.
    package init(
        _ proxy: Proxy,
        to host: String,
        port: Int,
        address: IPAddress?
    ) throws(SOCKSFault) {
        guard let port = UInt16(exactly: port), port > 0 else { throw .invalidTarget }
        let target: Target
        switch proxy.scheme {
        case .http: throw .speaksHTTP
        case .socks4, .socks5: target = try Target(host, resolved: address)
        case .socks4a, .socks5h: target = try Target(host)
        }
        let user = try Self.userAndPassword(proxy.credentials)
        let portBytes = [UInt8(port >> 8), UInt8(port & 0xFF)]
        switch proxy.scheme {
        case .socks4, .socks4a:
            guard user?.name.contains(0) != true else { throw .invalidCredentials }
            let (address, name) = try target.version4
            opening = [4, 1] + portBytes + address + (user?.name ?? []) + [0] + name
            request = []
            login = nil
            state = .oldReply
        case .http, .socks5, .socks5h:
            request = [5, 1, 0] + target.version5 + portBytes
            login = user.map { user in
                [1, UInt8(user.name.count)] + user.name + [UInt8(user.password.count)] + user.password
            }
            opening = login == nil ? [5, 1, 0] : [5, 2, 0, 2]
            state = .method
        }
    }

    private static func userAndPassword(
        _ credentials: Credentials?
    ) throws(SOCKSFault) -> (name: [UInt8], password: [UInt8])? {
        switch credentials {
        case nil: return nil
        case .bearer: throw .tokenCredentials
        case .basic(let user, let password):
            guard user.utf8.count <= 255, password.utf8.count <= 255 else { throw .invalidCredentials }
            return (Array(user.utf8), Array(password.utf8))
        }
    }

    /// The first bytes to write.
    package func start() -> [UInt8] { opening }

    /// Removes the bytes of the negotiation from the front. Call it again after ``Step/send(_:)``, because the proxy may
    /// have sent more.
    package mutating func receive(_ bytes: inout [UInt8]) throws(SOCKSFault) -> Step {
        var position = 0
        defer { bytes.removeFirst(position) }
        while true {
            do throws(SOCKSFault) {
                if let step = try readMessage() { return step }
            } catch {
                state = .failed(error)
                throw error
            }
            guard position < bytes.count else { return .wait }
            message.append(bytes[position])
            position += 1
        }
    }

    /// The proxy closed the connection. Returns `nil` if the tunnel was open.
    package func closed() -> SOCKSFault? {
        switch state {
        case .established: nil
        case .failed(let fault): fault
        case .method, .login, .reply, .oldReply: .closedEarly
        }
    }

    /// Reads the current message; `nil` when it needs another byte.
    private mutating func readMessage() throws(SOCKSFault) -> Step? {
        switch state {
        case .established: return .established
        case .failed(let fault): throw fault
        case .method:
            try checkVersion(5)
            guard message.count == 2 else { return nil }
            return try choose(message[1])
        case .login:
            // The version is not checked: some proxies send 5 instead of 1.
            guard message.count == 2 else { return nil }
            guard message[1] == 0 else { throw .loginRefused }
            return proceed(to: .reply, sending: request)
        case .reply:
            try checkVersion(5)
            // A proxy that fails may close before the end of its reply.
            if message.count == 2, let fault = Self.fault(message[1]) { throw fault }
            guard let length = try replyLength, message.count == length else { return nil }
        case .oldReply:
            try checkVersion(0)
            if message.count == 2, let fault = Self.oldFault(message[1]) { throw fault }
            guard message.count == 8 else { return nil }
        }
        message = []
        state = .established
        return .established
    }

    private mutating func choose(_ method: UInt8) throws(SOCKSFault) -> Step {
        switch (method, login) {
        case (0, _): return proceed(to: .reply, sending: request)
        case (2, let login?): return proceed(to: .login, sending: login)
        case (2, nil), (0xFF, nil): throw .loginNeeded
        default: throw .noAcceptableMethod
        }
    }

    private mutating func proceed(to next: State, sending bytes: [UInt8]) -> Step {
        message = []
        state = next
        return .send(bytes)
    }

    private func checkVersion(_ expected: UInt8) throws(SOCKSFault) {
        guard let version = message.first, version != expected else { return }
        switch version {
        case 0, 4, 5: throw .otherVersion
        case UInt8(ascii: "H"): throw .speaksHTTP
        default: throw .notSOCKS
        }
    }

    /// The length of a reply of SOCKS 5; `nil` as long as it is not known.
    private var replyLength: Int? {
        get throws(SOCKSFault) {
            guard message.count >= 4 else { return nil }
            switch message[3] {
            case 1: return 4 + 4 + 2
            case 3: return message.count < 5 ? nil : 5 + Int(message[4]) + 2
            case 4: return 4 + 16 + 2
            default: throw .unknownAddressType
            }
        }
    }

    /// RFC 1928 §6.
    private static func fault(_ code: UInt8) -> SOCKSFault? {
        switch code {
        case 0: nil
        case 1: .generalFailure
        case 2: .notAllowed
        case 3: .networkUnreachable
        case 4: .hostUnreachable
        case 5: .connectionRefused
        case 6: .timeToLiveExpired
        case 7: .commandNotSupported
        case 8: .addressTypeNotSupported
        default: .unknownReply(code)
        }
    }

    private static func oldFault(_ code: UInt8) -> SOCKSFault? {
        switch code {
        case 90: nil
        case 91: .rejected
        case 92: .identityUnavailable
        case 93: .identityRefused
        default: .unknownReply(code)
        }
    }
}

/// What the proxy is asked to connect to.
private enum Target {
    case address(IPAddress)
    case name([UInt8])

    /// A server whose address is known on this side.
    init(_ host: String, resolved address: IPAddress?) throws(SOCKSFault) {
        guard let address = address ?? IPAddress(host) else { throw .noAddress }
        self = .address(address)
    }

    /// A server whose name the proxy resolves.
    init(_ host: String) throws(SOCKSFault) {
        if let address = IPAddress(host) {
            self = .address(address)
            return
        }
        let name = Array(host.utf8)
        guard (1...255).contains(name.count), !name.contains(0) else { throw .invalidTarget }
        self = .name(name)
    }

    /// Address type and address (RFC 1928 §5).
    var version5: [UInt8] {
        switch self {
        case .address(let address): [address.isIPv6 ? 4 : 1] + address.bytes
        case .name(let name): [3, UInt8(name.count)] + name
        }
    }

    /// The address, and the name with its end, which follows the user. 0.0.0.1 announces a name (SOCKS 4a).
    var version4: (address: [UInt8], name: [UInt8]) {
        get throws(SOCKSFault) {
            switch self {
            case .name(let name): return ([0, 0, 0, 1], name + [0])
            case .address(let address):
                guard !address.isIPv6 else { throw .noIPv4Address }
                // As an address, 0.0.0.x would announce a name.
                guard !address.bytes.starts(with: [0, 0, 0]) else { throw .invalidTarget }
                return (address.bytes, [])
            }
        }
    }
}
