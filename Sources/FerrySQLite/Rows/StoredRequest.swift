import FerryCore

/// The columns that a specification is spread over.
struct StoredRequest {
    /// The host of the URL's origin.
    var host: String
    /// The whole URL.
    var url: String
    /// The directory of a file.
    var directory: String?
    /// The name of a file, where it was given.
    var name: String?
    /// The path of a stream.
    var stream: String?
    /// The options as JSON; `nil` for the plain ones.
    var options: String?
    /// What makes two transfers the same one.
    var identity: String
    /// The time window, which the options have as well; `nil` for one that never closes.
    var window: String?

    /// Spreads a specification.
    init(_ specification: DownloadSpecification, codec: RowCodec) throws {
        host = specification.url.host
        url = specification.url.absoluteString
        switch specification.destination {
        case .file(let directory, let name):
            self.directory = directory
            self.name = name?.rawValue
        case .stream(let path):
            stream = path
        }
        options = try codec.encode(specification.options)
        identity = StoredIdentity.unfinished(specification).text
        window = Self.text(of: specification.options.window)
    }

    /// The column of a time window.
    static func text(of window: TimeWindow) -> String? {
        window == .always ? nil : window.description
    }
}
