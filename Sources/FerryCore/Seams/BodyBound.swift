/// Up to where one connection may write its body. The bound may move nearer while the body arrives, so that another
/// connection can take what lies behind it. No byte is ever written by both.
package protocol BodyBound: Sendable {
    /// Asks to write everything before `offset`. May be called on any thread, and must be quick.
    func grant(upTo offset: Int64) -> BodyGrant
}

/// What may be written of a body.
package struct BodyGrant: Hashable, Sendable {
    /// Everything before this offset.
    package var upTo: Int64
    /// Whether nothing behind it will ever be allowed.
    package var isLast: Bool

    /// Creates a grant.
    package init(upTo: Int64, isLast: Bool) {
        self.upTo = upTo
        self.isLast = isLast
    }
}

/// A bound that never limits.
package struct NoBound: BodyBound {
    /// Creates the bound.
    package init() {}

    /// Grants everything.
    package func grant(upTo offset: Int64) -> BodyGrant { BodyGrant(upTo: offset, isLast: false) }
}
