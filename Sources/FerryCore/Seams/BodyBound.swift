/// The offset up to which one connection may write its body. The bound may become lower while the body arrives, so that
/// another connection can take the bytes after it. No byte is ever written by both.
package protocol BodyBound: Sendable {
    /// Asks to write everything before `offset`. May be called on any thread, and must be quick.
    func grant(upTo offset: Int64) -> BodyGrant
}

/// The part of a body that may be written.
package struct BodyGrant: Hashable, Sendable {
    /// Everything before this offset.
    package var upTo: Int64
    /// Whether no byte after it will ever be allowed.
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
