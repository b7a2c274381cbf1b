/// An item of a tree.
public struct Node: Hashable, Sendable {
    /// Its id.
    public var id: NodeID
    /// The node that it is below; `nil` at the top. It must be discovered earlier, or earlier in the same call.
    public var parent: NodeID?
    /// Its name among the children of its parent, at most 1,024 bytes of UTF-8. Two children may share a name.
    public var name: String
    /// The ETag that its source gives for its present version (RFC 9110 §8.8.3); `nil` if unknown.
    ///
    /// Ferry compares it byte by byte with the one that a download gets. So it has to be the exact value of that field,
    /// with its quotes. If the source lists another value than its responses have, leave it out.
    public var etag: String?
    /// When its content last changed; `nil` if unknown.
    public var modified: Instant?
    /// Its size in bytes; `nil` if unknown.
    public var size: Int64?
    /// The application's own data for it, at most ``largestPayload`` bytes. Ferry stores it without reading it.
    public var payload: [UInt8]
    /// The text of its source, which is read again only on request.
    package var sourceText: String?

    /// The maximum size of a ``payload`` in bytes.
    public static let largestPayload = NodeFlaw.largestPayload

    /// Creates a node.
    ///
    /// - Parameter source: where its content is: a URL, or the name of an object in a store.
    public init(
        _ id: NodeID,
        parent: NodeID? = nil,
        name: String,
        etag: String? = nil,
        modified: Instant? = nil,
        size: Int64? = nil,
        source: HTTPURL? = nil,
        payload: [UInt8] = []
    ) {
        self.id = id
        self.parent = parent
        self.name = name
        self.etag = etag
        self.modified = modified
        self.size = size
        self.payload = payload
        sourceText = source?.absoluteString
    }

    /// Where its content is: a URL, or the name of an object in a store; `nil` for a node without content, such as a
    /// folder.
    public var source: HTTPURL? {
        get {
            do throws(HTTPURL.ParseError) {
                return try sourceText.map { text throws(HTTPURL.ParseError) in try HTTPURL(parsing: text) }
            } catch {
                // Only another program can have stored it.
                return nil
            }
        }
        set { sourceText = newValue?.absoluteString }
    }

    /// Whether its source is at this URL. This is cheaper than reading ``source``.
    package func isFrom(_ url: HTTPURL?) -> Bool { sourceText == url?.absoluteString }

    /// Whether it has the content of an earlier discovery. ETags decide if both have one; otherwise size and time do.
    package func hasVersion(of former: Node) -> Bool {
        if let etag, let other = former.etag { return etag.hasSameOctets(as: other) }
        return size == former.size && modified == former.modified
    }

    /// Why it cannot be stored; `nil` if it can.
    package var flaw: NodeFlaw? {
        if !(1...NodeID.longest).contains(id.text.utf8.count) { return .id }
        if let parent, !(1...NodeID.longest).contains(parent.text.utf8.count) { return .id }
        if name.utf8.count > NodeFlaw.longestText { return .name }
        if etag?.utf8.count ?? 0 > NodeFlaw.longestText { return .etag }
        if sourceText?.utf8.count ?? 0 > NodeFlaw.longestSource { return .source }
        if payload.count > Self.largestPayload { return .payload }
        return nil
    }
}

extension Node: CustomStringConvertible {
    /// The id and the name. The source may have a secret in it (I7).
    public var description: String { "\(id) (\(name))" }
}
