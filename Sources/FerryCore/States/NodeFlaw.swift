/// Why a tree refuses a node.
public enum NodeFlaw: Hashable, Sendable {
    /// No node of the tree has this id.
    case unknown
    /// Its parent was not discovered before it.
    case unknownParent(NodeID)
    /// Its id, or that of its parent, is empty or longer than ``NodeID/longest``.
    case id
    /// Its name is longer than 1,024 bytes.
    case name
    /// Its ETag is longer than 1,024 bytes.
    case etag
    /// Its source is longer than 8,192 bytes.
    case source
    /// Its payload is larger than 65,536 bytes.
    case payload
    /// The name of the tree is empty or longer than 255 bytes.
    case tree

    /// The maximum length of the name of a tree in bytes of UTF-8.
    package static let longestTreeName = 255
    /// The maximum length of the name and of the ETag of a node in bytes.
    package static let longestText = 1_024
    /// The maximum length of the source of a node in bytes.
    package static let longestSource = 8_192
    /// The maximum size of the payload of a node in bytes.
    package static let largestPayload = 65_536

    /// The reason in one sentence for a person.
    package func description(of id: NodeID) -> String {
        switch self {
        case .unknown: "There is no node \"\(id)\" in the tree."
        case .unknownParent(let parent):
            "The parent \"\(parent)\" of node \"\(id)\" is not in the tree. Discover it first."
        case .id: "The id of a node or of its parent is empty or longer than \(NodeID.longest) bytes."
        case .name: "The name of node \"\(id)\" is longer than \(Self.longestText) bytes."
        case .etag: "The ETag of node \"\(id)\" is longer than \(Self.longestText) bytes."
        case .source: "The source of node \"\(id)\" is longer than \(Self.longestSource) bytes."
        case .payload: "The payload of node \"\(id)\" is larger than \(Self.largestPayload) bytes."
        case .tree: "The name of the tree is empty or longer than \(Self.longestTreeName) bytes."
        }
    }
}
