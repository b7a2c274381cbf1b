internal import FerryCore

/// The kernel's message about one route (`struct rtmsg` and its attributes).
struct RouteMessage: Hashable, Sendable {
    /// What happens to packets on it.
    var kind: Kind
    /// The number of significant bits of the destination: 0 in a default route, all in the answer to a
    /// request.
    var prefixLength: Int
    /// Its destination; `nil` in a default route.
    var destination: IPAddress?
    /// The source address for packets without one.
    var source: IPAddress?
    /// The router on the way.
    var gateway: IPAddress?
    /// The links that packets leave by; several when the load is spread.
    var links: [Int]

    /// What happens to packets on a route.
    enum Kind: Hashable, Sendable {
        /// They are sent.
        case unicast
        /// They stay on this machine.
        case local
        /// They go to several machines, so no connection can be made.
        case group
        /// They are dropped.
        case other
    }

    /// The type of a message about a route.
    static let type: UInt16 = 24
    /// The type of the request for it.
    static let question: UInt16 = 26
    private static let headerLength = 12

    /// Reads a message; `nil` when it has another type or is incomplete.
    init?(_ message: NetlinkMessage) {
        let payload = message.payload
        guard message.type == Self.type, payload.count >= Self.headerLength else { return nil }
        let family = payload[0]
        prefixLength = Int(payload[1])
        kind =
            switch payload[7] {
            case 1: .unicast
            case 2: .local
            case 3, 5: .group
            default: .other
            }
        let attributes = message.attributes(from: Self.headerLength)
        func value(_ type: UInt16) -> ArraySlice<UInt8>? { attributes.first { $0.type == type }?.value }
        func address(_ type: UInt16) -> IPAddress? {
            value(type).flatMap { IPAddress(family: family, bytes: $0) }
        }
        destination = address(1)
        source = address(7)
        gateway = address(5) ?? value(18).flatMap(Self.routerOfAnotherFamily)
        links = value(4)?.number(at: 0, as: Int32.self).map { [Int($0)] } ?? []
        if let hops = value(9) { links += Self.links(ofHops: hops) }
    }

    /// `struct rtvia`: its own family, and the address.
    private static func routerOfAnotherFamily(_ value: ArraySlice<UInt8>) -> IPAddress? {
        guard let family = value.number(at: 0, as: UInt16.self) else { return nil }
        return IPAddress(family: UInt8(clamping: family), bytes: value.dropFirst(2))
    }

    /// A row of `struct rtnexthop`.
    private static func links(ofHops value: ArraySlice<UInt8>) -> [Int] {
        var links: [Int] = []
        var rest = value
        while let length = rest.number(at: 0, as: UInt16.self), length >= 8, Int(length) <= rest.count,
            let link = rest.number(at: 4, as: Int32.self)
        {
            links.append(Int(link))
            rest = rest[min(rest.startIndex + (Int(length) + 3) & ~3, rest.endIndex)...]
        }
        return links
    }

    /// The request for the route to an address.
    static func question(for address: IPAddress) -> [UInt8] {
        let family: UInt8 = address.isIPv6 ? IPAddress.family6 : IPAddress.family4
        let header = [family, UInt8(address.bytes.count * 8)] + [UInt8](repeating: 0, count: 10)
        return header + NetlinkMessage.attribute(1, address.bytes)
    }

    /// The request for all routes of a family.
    static func question(forAllOf family: UInt8) -> [UInt8] {
        [family] + [UInt8](repeating: 0, count: headerLength - 1)
    }
}

extension IPAddress {
    /// `AF_INET` and `AF_INET6` of Linux.
    static let family4: UInt8 = 2
    static let family6: UInt8 = 10

    /// An address from the kernel; `nil` when its length does not match its family.
    init?(family: UInt8, bytes: some Collection<UInt8>) {
        switch (family, bytes.count) {
        case (Self.family4, 4), (Self.family6, 16): self.init(bytes: Array(bytes))
        default: return nil
        }
    }
}
