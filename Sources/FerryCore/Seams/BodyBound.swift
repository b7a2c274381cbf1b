/// Up to where one connection may write its body. The bound may move nearer while the body arrives, so that another
/// connection can take what lies behind it. No byte is ever written by both.
public protocol BodyBound: Sendable {
    /// Asks to write everything before `offset`. May be called on any thread, and must be quick.
    func grant(upTo offset: Int64) -> BodyGrant
}

/// What may be written of a body.
public struct BodyGrant: Hashable, Sendable {
    /// Everything before this offset.
    public var upTo: Int64
    /// Whether nothing behind it will ever be allowed.
    public var isLast: Bool

    /// Creates a grant.
    public init(upTo: Int64, isLast: Bool) {
        self.upTo = upTo
        self.isLast = isLast
    }
}

/// A bound that never limits.
public struct NoBound: BodyBound {
    /// Creates the bound.
    public init() {}

    /// Grants everything.
    public func grant(upTo offset: Int64) -> BodyGrant { BodyGrant(upTo: offset, isLast: false) }
}
