/// Up to where one connection may write its body. The bound may be brought nearer while the body comes, so that
/// another connection can take what lies behind it; no byte is ever written by both.
public protocol BodyBound: Sendable {
    /// Asks for leave to write everything before `offset`. May be called on any thread, and must be quick.
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

/// The bound of a body that is taken as far as it goes.
public struct NoBound: BodyBound {
    /// Creates a bound that is none.
    public init() {}

    /// Grants everything.
    public func grant(upTo offset: Int64) -> BodyGrant { BodyGrant(upTo: offset, isLast: false) }
}
