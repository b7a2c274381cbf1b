import FerryCore

/// The columns that tell what a transfer does.
struct StoredWork {
    /// The whole URL.
    var url: String
    /// The directory of a file.
    var directory: String?
    /// The name of a file, where it was given.
    var name: String?
    /// The path of a stream.
    var stream: String?
    /// The options of a download, `nil` for the plain ones, or a whole request; as JSON.
    var options: String?
    /// What makes two transfers the same one; `nil` for what never is the same as another one.
    var identity: StoredIdentity?

    /// Spreads what a transfer does.
    init(_ work: Work, codec: RowCodec) throws {
        try self.init(work, identity: StoredIdentity.unfinished(work), codec: codec)
    }

    /// Spreads what a transfer does of which the identity is known.
    init(_ work: Work, identity: StoredIdentity?, codec: RowCodec) throws {
        url = work.url.absoluteString
        switch work {
        case .download(let download):
            switch download.specification.destination {
            case .file(let directory, let name):
                self.directory = directory
                self.name = name?.rawValue
            case .stream(let path):
                stream = path
            }
            options = try codec.encode(download.specification.options)
        case .request(let request):
            options = try codec.encodeJSON(request.specification)
        }
        self.identity = identity
    }

    /// The column of a time window.
    static func text(of window: TimeWindow) -> String? {
        window == .always ? nil : window.description
    }
}
