/// Learns that bytes of a request may leave this machine.
public protocol DepartureListener: AnyObject, Sendable {
    /// The first byte may leave from now on. May be called on any thread and more than once; must be quick.
    func requestMayLeave()
}

/// Tells a listener that bytes of a request may leave.
public struct Departure: Hashable, Sendable {
    private let listener: any DepartureListener

    /// Creates a notice for a listener.
    public init(to listener: any DepartureListener) {
        self.listener = listener
    }

    /// Notes that the first byte may leave from now on.
    public func note() { listener.requestMayLeave() }

    /// Whether both are for the same listener.
    public static func == (lhs: Departure, rhs: Departure) -> Bool { lhs.listener === rhs.listener }

    /// Hashes the identity of the listener.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(listener)) }
}
