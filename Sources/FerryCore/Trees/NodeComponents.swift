/// The parts of a node that are downloaded separately.
public struct NodeComponents: OptionSet, Hashable, Sendable {
    /// The bits, each of them one component. Other bits are ignored.
    public let rawValue: UInt8

    /// Creates a set from its bits. Bits that stand for no component are dropped.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0b1111 }

    /// The header: 1.
    public static let header = NodeComponents(rawValue: 1)
    /// The metadata: 2.
    public static let metadata = NodeComponents(rawValue: 2)
    /// The thumbnail: 4.
    public static let thumbnail = NodeComponents(rawValue: 4)
    /// The data: 8.
    public static let data = NodeComponents(rawValue: 8)
    /// All components: 15.
    public static let all = NodeComponents(rawValue: 15)
}
