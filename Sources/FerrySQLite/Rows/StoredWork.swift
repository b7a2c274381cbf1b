import FerryCore

/// The columns that describe the work of a transfer.
struct StoredWork {
    /// The whole URL.
    var url: String
    /// The directory of a file.
    var directory: String?
    /// The name of a file, if one was given.
    var name: String?
    /// The path of a stream.
    var stream: String?
    /// The options of a download, `nil` for the plain ones, or a request without its body; as JSON.
    var options: String?
    /// The body of a request; `nil` for an empty one.
    var body: [UInt8]?
    /// The identity of the work; `nil` if no other transfer can have the same work.
    var identity: StoredIdentity?

    /// Creates the columns of a work.
    init(_ work: Work, codec: RowCodec) throws {
        try self.init(work, identity: StoredIdentity.unfinished(work), codec: codec)
    }

    /// Creates the columns of a work whose identity is known.
    init(_ work: Work, identity: StoredIdentity?, codec: RowCodec) throws {
        url = work.url.absoluteString
        self.identity = identity
        try work.stored.store(in: &self, codec: codec)
    }

    /// The column of a time window.
    static func text(of window: TimeWindow) -> String? {
        window == .always ? nil : window.description
    }
}
