import Ferry

/// What the server lists: the conversations, or the items of one of them.
struct Listing: Decodable {
    /// A conversation or an item. Its id stays when it is renamed or moved.
    struct Entry: Decodable {
        var id: String
        var name: String
        /// The version of its list of items, or of its components.
        var etag: String

        var node: NodeID { NodeID(id) }
    }

    /// The version of the list.
    var etag: String
    var entries: [Entry]
}
