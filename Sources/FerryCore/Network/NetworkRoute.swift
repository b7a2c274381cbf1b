/// The way that packets to one address take out of this machine, as the kernel would send them now.
public struct NetworkRoute: Hashable, Sendable {
    /// The address that it leads to.
    public var destination: IPAddress
    /// The address of this machine that packets have as their source; `nil` where the kernel does not tell.
    public var source: IPAddress?
    /// The router that they go to first; `nil` when the destination is on the link itself.
    public var gateway: IPAddress?
    /// The number of the link that they leave by.
    public var link: Int

    /// Creates a route.
    public init(destination: IPAddress, source: IPAddress?, gateway: IPAddress? = nil, link: Int) {
        self.destination = destination
        self.source = source
        self.gateway = gateway
        self.link = link
    }
}
