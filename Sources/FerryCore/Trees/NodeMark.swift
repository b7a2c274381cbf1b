/// The components of a node that still need downloading.
public struct NodeMark: Hashable, Sendable {
    /// The components.
    public private(set) var components: NodeComponents
    /// For each component, in the order of the bits, the generation in which it was last marked; 0 if it never was.
    package private(set) var generations: Generations

    /// A generation for each component. This is no `SIMD4`: Swift 6.3 for Linux misplaces values with its alignment in the frames
    /// of async functions that return them through generic ones, and the program crashes.
    package struct Generations: Hashable, Sendable {
        private var header: Int64 = 0
        private var metadata: Int64 = 0
        private var thumbnail: Int64 = 0
        private var data: Int64 = 0

        /// Components that were never marked.
        package init() {}

        /// The generation of the component with a bit, 0 to 3.
        package subscript(bit: Int) -> Int64 {
            get {
                switch bit {
                case 0: header
                case 1: metadata
                case 2: thumbnail
                default: data
                }
            }
            set {
                switch bit {
                case 0: header = newValue
                case 1: metadata = newValue
                case 2: thumbnail = newValue
                default: data = newValue
                }
            }
        }

        fileprivate var latest: Int64 { max(header, metadata, thumbnail, data) }
    }

    /// Creates a mark from what was stored.
    package init(_ components: NodeComponents = [], generations: Generations = Generations()) {
        self.components = components
        self.generations = generations
    }

    /// Grows with each ``TransferTree/mark(_:_:)``, so that a mark that was set during a download is told from the one
    /// that the download was begun for. No generation of a tree is used twice.
    public var generation: Int64 { generations.latest }

    /// Adds components.
    package mutating func add(_ added: NodeComponents, in generation: Int64) {
        components.formUnion(added)
        for bit in 0..<4 where added.rawValue >> UInt8(bit) & 1 == 1 { generations[bit] = generation }
    }

    /// Removes components.
    package mutating func remove(_ removed: NodeComponents) { components.subtract(removed) }

    /// Whether components may be unmarked although the node may have changed: the ETags are equal, byte by byte, or one of them
    /// is unknown.
    package static func mayUnmark(ifETagMatches etag: String?, current: String?) -> Bool {
        guard let etag, let current else { return true }
        return etag.hasSameOctets(as: current)
    }

    /// Those of some components that were not marked again after a generation.
    package func unmarked(since generation: Int64, of candidates: NodeComponents) -> NodeComponents {
        var bits: UInt8 = 0
        for bit in 0..<4 where generations[bit] <= generation { bits |= 1 << UInt8(bit) }
        return candidates.intersection(NodeComponents(rawValue: bits))
    }
}
