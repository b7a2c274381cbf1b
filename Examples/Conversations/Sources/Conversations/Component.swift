import Ferry

/// What the server has of an item, each at a URL of its own.
enum Component: String, CaseIterable {
    case header, thumbnail, data

    /// The component of the node that it is.
    var mark: NodeComponents {
        switch self {
        case .header: .header
        case .thumbnail: .thumbnail
        case .data: .data
        }
    }

    /// The type of the transfers that fetch it.
    var type: TransferType {
        switch self {
        case .header: "conversations.header"
        case .thumbnail: "conversations.thumbnail"
        case .data: "conversations.data"
        }
    }

    /// Headers come before thumbnails, of all items, and thumbnails before data.
    var priority: Int {
        switch self {
        case .header: 2
        case .thumbnail: 1
        case .data: 0
        }
    }
}

extension Node {
    /// The components that the user wants of an item, or of each item of a conversation. It is the payload of the node.
    var wanted: NodeComponents {
        get { NodeComponents(rawValue: payload.first ?? 0) }
        set { payload = [newValue.rawValue] }
    }
}
