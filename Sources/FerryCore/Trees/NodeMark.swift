/// The components of a node that still need downloading.
public struct NodeMark: Hashable, Sendable {
    /// The components.
    public private(set) var components: NodeComponents
    /// For each component, in the order of the bits, the generation in which it was last marked; 0 if it never was.
    package private(set) var generations: SIMD4<Int64>

    /// Creates a mark from what was stored.
    package init(_ components: NodeComponents = [], generations: SIMD4<Int64> = .zero) {
        self.components = components
        self.generations = generations
    }

    /// Grows with each ``TransferTree/mark(_:_:)``, so that a mark that was set during a download is told from the one
    /// that the download was begun for. No generation of a tree is used twice.
    public var generation: Int64 { generations.max() }

    /// Adds components.
    package mutating func add(_ added: NodeComponents, in generation: Int64) {
        components.formUnion(added)
        for bit in 0..<4 where added.rawValue >> UInt8(bit) & 1 == 1 { generations[bit] = generation }
    }

    /// Removes components.
    package mutating func remove(_ removed: NodeComponents) { components.subtract(removed) }

    /// Those of some components that were not marked again after a generation.
    package func unmarked(since generation: Int64, of candidates: NodeComponents) -> NodeComponents {
        var bits: UInt8 = 0
        for bit in 0..<4 where generations[bit] <= generation { bits |= 1 << UInt8(bit) }
        return candidates.intersection(NodeComponents(rawValue: bits))
    }
}
