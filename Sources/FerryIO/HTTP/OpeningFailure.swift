internal import FerryCore

/// Why a connection could not be opened.
enum OpeningFailure: Error {
    /// A step took longer than the connect timeout.
    case tookTooLong(Opening.Step)
    /// A name was looked up and not found.
    case notFound(Opening.Side, NameAnswer)
    /// Nothing can be connected to at this address.
    case impossible(Opening.Side, IPAddress.Impossibility)
    /// The host has no address of the family that is asked for.
    case noAddressOfFamily(Opening.Side)
    /// The interface that is asked for is not there, or has no address.
    case noInterface
    /// No address could be connected to, for these reasons.
    case notConnected([any Error])
    /// An HTTP proxy opened no tunnel.
    case tunnelRefused(status: Int)
    /// An HTTP proxy answered what is not HTTP.
    case tunnelFault(WireFault)
    /// A SOCKS proxy made no connection.
    case socks(SOCKSFault)
    /// A file of certificates, or the private key, cannot be used.
    case certificates(Problem)
    /// The certificate is for another host.
    case mismatch(CertificateMismatch)
    /// The connection broke during a step; `nil` when the peer closed it in order.
    case broken(Opening.Step, (any Error)?)
    /// It is not wanted any more.
    case cancelled
}
