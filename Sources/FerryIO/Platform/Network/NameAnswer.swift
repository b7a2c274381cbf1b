internal import FerryCore

/// The result of looking up a name.
enum NameAnswer: Hashable, Sendable {
    /// The addresses, the preferred one first (RFC 6724); at least one.
    case found([IPAddress])
    /// There is no host of that name.
    case unknown
    /// The lookup failed, so it is unknown.
    case failed
}
