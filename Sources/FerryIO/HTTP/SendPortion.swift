internal import NIOCore

/// How much of a request's body is written at once.
///
/// A large part costs less for each byte. But listeners hear only of whole parts, so none may take long on a slow network.
struct SendPortion: Hashable, Sendable {
    /// Smallest part.
    static let least = 16 * 1024
    /// Largest part.
    static let most = 1024 * 1024

    /// The size of the next part.
    private(set) var bytes = 64 * 1024

    /// The latest part took this long.
    mutating func took(_ time: TimeAmount) {
        if time < .milliseconds(250) {
            bytes = min(bytes * 2, Self.most)
        } else if time > .seconds(2) {
            bytes = max(bytes / 4, Self.least)
        }
    }
}
