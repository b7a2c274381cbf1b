#if os(Linux)
internal import FerryCore
internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Asks the kernel for routes one after the other, and caches its answers about links.
struct RouteFinder: ~Copyable {
    /// The result for the route to one address.
    enum Finding: Hashable, Sendable {
        /// This route, over a working link.
        case route(NetworkRoute)
        /// There is no route, or its link is dead.
        case none
        /// The kernel does not report a result.
        case unknown
    }

    private var socket: NetlinkSocket
    private var links: [Int: LinkMessage] = [:]

    init() throws(Errno) {
        socket = try NetlinkSocket()
    }

    /// The route to an address.
    mutating func route(to address: IPAddress) -> Finding {
        let message: RouteMessage
        do {
            guard let answer = RouteMessage(try ask(for: address)) else { return .unknown }
            message = answer
        } catch {
            // A rule or a filter may send packets past the tables, so their answer may not apply.
            return Platform.canConnect(to: address) ? .unknown : .none
        }
        guard let link = message.links.first else { return .unknown }
        let route = NetworkRoute(
            destination: address,
            source: message.source,
            gateway: message.gateway,
            link: link
        )
        switch message.kind {
        case .local: return .route(route)
        case .unicast: return isRunning(link) ? .route(route) : .none
        // Unknown rather than no route, so that no transfer waits for a network that is present: a broadcast address is
        // not a server until the network changes.
        case .group: return .unknown
        case .other: return .none
        }
    }

    /// How a host with these addresses is reached.
    mutating func reachability(of addresses: [IPAddress]) -> Reachability {
        var routes: [NetworkRoute] = []
        var isAllKnown = true
        for address in addresses {
            switch route(to: address) {
            case .route(let route): routes.append(route)
            case .none: break
            case .unknown: isAllKnown = false
            }
        }
        if !routes.isEmpty { return .routes(routes) }
        return isAllKnown && !addresses.isEmpty ? .noRoute : .unknown
    }

    /// Whether packets still take a route, from the same address of this machine.
    mutating func stands(_ route: NetworkRoute) -> Bool {
        switch self.route(to: route.destination) {
        case .none: return false
        case .unknown: return true
        case .route(let now):
            guard now.link == route.link, now.gateway == route.gateway else { return false }
            return route.source.map { isOwn($0) } ?? true
        }
    }

    /// Whether an address belongs to this machine. A connection keeps using one that is no longer the first
    /// choice.
    private mutating func isOwn(_ address: IPAddress) -> Bool {
        do {
            return RouteMessage(try ask(for: address)).map { $0.kind == .local } ?? true
        } catch {
            return false
        }
    }

    /// Whether a route leads beyond this machine: any at all, or one that leads everywhere.
    ///
    /// - Returns: `nil` when the kernel does not report it.
    mutating func hasWayOut(everywhere: Bool) -> Bool? {
        var routes: [RouteMessage] = []
        do {
            for family in [IPAddress.family4, IPAddress.family6] {
                try socket.list(RouteMessage.question, RouteMessage.question(forAllOf: family)) { message in
                    guard let route = RouteMessage(message), route.kind == .unicast else { return true }
                    let isWide = everywhere ? route.prefixLength == 0 : !route.staysOnLink
                    if isWide { routes.append(route) }
                    return routes.count < 100
                }
            }
        } catch {
            return nil
        }
        return routes.contains { route in
            route.links.contains { isRunning($0) && links[$0]?.isLoopback == false }
        }
    }

    private mutating func ask(for address: IPAddress) throws(Errno) -> NetlinkMessage {
        try socket.ask(RouteMessage.question, RouteMessage.question(for: address))
    }

    private mutating func isRunning(_ number: Int) -> Bool {
        if let known = links[number] { return known.isRunning }
        do {
            let answer = LinkMessage(try socket.ask(LinkMessage.question, LinkMessage.question(for: number)))
            links[number] = answer
            return answer?.isRunning ?? true
        } catch {
            // The link has just gone; no other error proves it dead.
            return error != Errno(rawValue: ENODEV)
        }
    }
}

extension RouteMessage {
    /// Whether it only leads to link-local addresses, or to groups.
    fileprivate var staysOnLink: Bool {
        guard let bytes = destination?.bytes else { return false }
        if bytes.count == 4 { return bytes[0] >= 224 || (bytes[0] == 169 && bytes[1] == 254) }
        return bytes[0] == 0xFF || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80)
    }
}
#endif
