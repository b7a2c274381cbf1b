/// Learns that bytes of a request may leave this machine.
package protocol DepartureListener: AnyObject, Sendable {
    /// The first byte may leave from now on. May be called on any thread and more than once; must be quick.
    func requestMayLeave()
}

/// Tells a listener that bytes of a request may leave.
package struct Departure: Hashable, Sendable {
    private let listener: any DepartureListener

    /// Creates a notice for a listener.
    package init(to listener: any DepartureListener) {
        self.listener = listener
    }

    /// Notes that the first byte may leave from now on.
    package func note() { listener.requestMayLeave() }

    /// Whether both are for the same listener.
    package static func == (lhs: Departure, rhs: Departure) -> Bool { lhs.listener === rhs.listener }

    /// Hashes the identity of the listener.
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(listener)) }
}
