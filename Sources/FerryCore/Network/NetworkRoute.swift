/// The route over which the kernel would send packets to one address now.
public struct NetworkRoute: Hashable, Sendable {
    /// The address that it leads to.
    public var destination: IPAddress
    /// The source address of the packets; `nil` if the kernel does not say.
    public var source: IPAddress?
    /// The first router; `nil` if the destination is on the link itself.
    public var gateway: IPAddress?
    /// The number of the link.
    public var link: Int

    /// Creates a route.
    public init(destination: IPAddress, source: IPAddress?, gateway: IPAddress? = nil, link: Int) {
        self.destination = destination
        self.source = source
        self.gateway = gateway
        self.link = link
    }
}
