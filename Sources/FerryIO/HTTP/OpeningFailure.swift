internal import FerryCore

/// Why a connection could not be opened.
enum OpeningFailure: Error {
    /// A step took longer than the connect timeout.
    case tookTooLong(ConnectionOpening.Step)
    /// A name was looked up and not found.
    case notFound(ConnectionOpening.Side, NameAnswer)
    /// No host can have this address.
    case impossible(ConnectionOpening.Side, IPAddress.Impossibility)
    /// The host has no address of the requested family.
    case noAddressOfFamily(ConnectionOpening.Side)
    /// The requested interface does not exist, or has no address.
    case noInterface
    /// Connecting to each address failed, for these reasons.
    case notConnected([any Error])
    /// An HTTP proxy refused the tunnel with this status.
    case tunnelRefused(status: Int)
    /// An HTTP proxy's answer to `CONNECT` is not valid HTTP.
    case tunnelFault(WireFault)
    /// A SOCKS proxy did not connect.
    case socks(SOCKSFault)
    /// A file of certificates, or the private key, cannot be used.
    case certificates(Problem)
    /// The certificate is for another host.
    case mismatch(CertificateMismatch)
    /// The connection broke during a step; `nil` when the peer closed it in order.
    case broken(ConnectionOpening.Step, (any Error)?)
    /// The connection is no longer wanted.
    case cancelled
}
