/// The addresses to connect to for a host and port, in place of those of its name. Redirects count too.
public struct HostOverride: Hashable, Sendable {
    /// The host in lower case; an IPv6 address has no brackets.
    public let host: String
    /// The port.
    public let port: Int
    /// The addresses, the preferred one first.
    public let addresses: [IPAddress]

    /// Parses `HOST:PORT:ADDRESS[,ADDRESS]…` as curl's `--resolve` does. An IPv6 address may have brackets; as the
    /// host it must have them.
    ///
    /// - Throws: ``ParseError``.
    public init(parsing text: String) throws(ParseError) {
        let bytes = Array(text.utf8)[...]
        let hostEnd = bytes.first == 0x5B ? bytes.firstIndex(of: 0x5D) : bytes.startIndex
        guard let hostEnd, let colon = bytes[hostEnd...].firstIndex(of: 0x3A),
            let end = bytes[(colon + 1)...].firstIndex(of: 0x3A)
        else { throw .invalidForm }
        let authority: Authority
        do {
            authority = try Authority(parsing: bytes[..<end])
        } catch {
            throw .invalidHost
        }
        guard authority.user == nil, authority.password == nil, let port = authority.port else {
            throw .invalidForm
        }
        var addresses: [IPAddress] = []
        for part in bytes[(end + 1)...].split(separator: 0x2C, omittingEmptySubsequences: false) {
            let hasBrackets = part.count >= 2 && part.first == 0x5B && part.last == 0x5D
            guard let address = IPAddress((hasBrackets ? part.dropFirst().dropLast() : part).text),
                address.isIPv6 || !hasBrackets
            else { throw .invalidAddress }
            addresses.append(address)
        }
        self.host = authority.host
        self.port = port
        self.addresses = addresses
    }

    /// Why a text is not an override.
    public enum ParseError: Error, Hashable, Sendable {
        /// A part is missing.
        case invalidForm
        /// Host or port is malformed.
        case invalidHost
        /// A text in the place of an address is not an address.
        case invalidAddress
    }
}

extension HostOverride.ParseError: CustomStringConvertible {
    /// The reason in one sentence for a person.
    public var description: String {
        switch self {
        case .invalidForm: "It must look like example.com:443:192.0.2.1."
        case .invalidHost: "The host or its port is not valid; it must look like example.com:443:192.0.2.1."
        case .invalidAddress: "What follows the port must be IP addresses, separated by commas."
        }
    }
}

extension HostOverride: CustomStringConvertible {
    /// The text that ``init(parsing:)`` reads.
    public var description: String {
        func bracketed(_ text: String) -> String { text.utf8.contains(0x3A) ? "[\(text)]" : text }
        return "\(bracketed(host)):\(port):" + addresses.map { bracketed("\($0)") }.joined(separator: ",")
    }
}

extension HostOverride: Codable {
    /// Reads the text of an override.
    public init(from decoder: any Decoder) throws {
        try self.init(parsing: try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the text of the override.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
