/// The place of a node among the children of its parent.
package struct NodePlace: Hashable, Sendable {
    /// Its name.
    package let name: String
    /// Its number.
    package let number: Int64

    package init(name: String, number: Int64) {
        (self.name, self.number) = (name, number)
    }

    package init(_ stored: StoredNode) { self.init(name: stored.node.name, number: stored.number) }

    /// Whether it comes before another: by the bytes of the names, as a store sorts them, and then by numbers.
    package func isBefore(_ other: NodePlace) -> Bool {
        if name.hasSameOctets(as: other.name) { return number < other.number }
        return name.utf8.lexicographicallyPrecedes(other.name.utf8)
    }
}
