/// What a store will say of the object that it makes of parts, as far as that follows from the parts.
///
/// It is recorded before the store is asked to make the object. If the answer is lost, it proves that the object is there,
/// after the store has forgotten the parts.
package struct ExpectedObject: Hashable, Sendable, Codable {
    /// The entity tag, without quotes; `nil` if it does not follow from those of the parts.
    package var tag: String?
    /// The checksum of the whole; `nil` if it does not follow from those of the parts.
    package var checksum: Checksum?

    /// Creates an expected object; `nil` if nothing is known.
    package init?(tag: String?, checksum: Checksum?) {
        guard tag != nil || checksum != nil else { return nil }
        (self.tag, self.checksum) = (tag, checksum)
    }
}
