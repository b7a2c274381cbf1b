/// A version of the Internet Protocol.
public enum AddressFamily: String, Hashable, Sendable, Codable, CaseIterable {
    /// IPv4 (RFC 791).
    case ipv4
    /// IPv6 (RFC 8200).
    case ipv6

    /// The other one.
    package var other: AddressFamily {
        switch self {
        case .ipv4: .ipv6
        case .ipv6: .ipv4
        }
    }
}

extension AddressFamily: CustomStringConvertible {
    /// The name for a person.
    public var description: String {
        switch self {
        case .ipv4: "IPv4"
        case .ipv6: "IPv6"
        }
    }
}

extension IPAddress {
    /// The version of the protocol that the address belongs to.
    package var family: AddressFamily { isIPv6 ? .ipv6 : .ipv4 }
}
