/// Gets reports about the progress of a request while it is being sent. Its methods may be called on any thread, and
/// must be quick.
package protocol ExchangeListener: AnyObject, Sendable {
    /// A connection carries the request from now on. Called again when the request is sent again.
    ///
    /// - Parameter connection: finds out what is known of the connection, if that is of interest.
    func carried(by connection: () -> ConnectionFacts)

    /// The first byte of the request may leave this machine from now on. Called again when the request is sent again.
    func requestMayLeave()

    /// The kernel has taken the first `count` bytes of the request's body.
    func bodyLeft(upTo count: Int64)

    /// An interim answer has arrived (RFC 9110 §15.2), such as 103 Early Hints.
    func received(interim: ResponseHead)
}

extension ExchangeListener {
    /// Does nothing.
    package func carried(by connection: () -> ConnectionFacts) {}

    /// Does nothing.
    package func bodyLeft(upTo count: Int64) {}

    /// Does nothing.
    package func received(interim: ResponseHead) {}
}
