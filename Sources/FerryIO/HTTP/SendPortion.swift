internal import NIOCore

/// How much of a request's body is written at once.
///
/// A large part costs less for each byte. But only a part that has left as a whole shows that the peer still receives, so
/// none may take long on a slow network.
struct SendPortion: Hashable, Sendable {
    /// Smallest part: a connection that takes less than this within the idle timeout counts as silent.
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
