/// A tree in a store.
package struct StoredTree: Hashable, Sendable {
    /// Its number, counted from 1.
    package let number: Int64
    /// The latest generation of its marks.
    package var generation: Int64

    package init(number: Int64, generation: Int64 = 0) {
        (self.number, self.generation) = (number, generation)
    }

    /// The parent of its nodes at the top. Numbers of nodes are positive, so it is none of them.
    package var top: Int64 { -number }
}
