import Testing

/// A sequence of commands that is traced once. Replays then cut the power at many of its moments.
struct Flow: Sendable, CustomTestStringConvertible {
    /// A file on the server.
    struct Resource: Sendable {
        var name: String
        var content: Content
        var framing = ScriptedReply.Framing.length
    }

    /// A request that the commands send, other than `GET`.
    struct Outgoing: Sendable {
        /// The path, and the name in promises.
        var path: String
        var body: Content
        /// Whether it may arrive more than once, because it has a key or an idempotent method.
        var isRepeatable = true
    }

    /// A file that the commands upload, by a protocol that can resume it.
    struct Upload {
        /// The file, which `SOURCE` in arguments stands for. It is not on the disk that loses power.
        var content: Content
        /// Whether a request to this path carries bytes of the file.
        var carries: @Sendable (String) -> Bool
        /// Whether a request to this path makes the object of parts that have arrived.
        var completes: @Sendable (String) -> Bool
    }

    /// How the destination keeps the bytes of a resource.
    enum Keeping: Hashable, Sendable {
        /// In a file with the name of the resource.
        case plain
        /// In a sealed file, with `.age` behind the name.
        case sealed
        /// In the file of the only entry of a pool. Its name is a digest.
        case pooled
    }

    /// One command.
    struct Step: Sendable {
        /// Its arguments. `URL` is replaced by the URL of the server, `DESTINATION` by the path of the destination, and
        /// `SOURCE` by that of the file that is uploaded.
        var arguments: [String]
        /// When Ctrl-C is pressed; `nil` for never.
        var interruption: Interruption?
        var status: Int32 = 0
        /// What must hold from its end on.
        var promise: Promise

        enum Interruption: Sendable {
            /// After the part file of the first resource holds this many bytes, and progress was recorded.
            case after(Int)
            /// After it holds this many bytes, and ferry has synced some of them during the transfer.
            case afterSync(Int)

            var count: Int {
                switch self {
                case .after(let count), .afterSync(let count): count
                }
            }
        }
    }

    /// What a command guarantees once it has ended.
    enum Promise: Hashable, Sendable {
        /// The transfers whose numbers it printed are in the list or are completed.
        case added
        /// These files are whole under their names, and are not requested again.
        case published([String])
        /// These files, which no transfer has brought, are whole under their names.
        case saved([String])
        /// The only entry of the pool is pinned.
        case pinned
        /// These requests are completed with their whole responses, and are not sent again.
        case answered([String])
        /// The upload is completed, and nothing more of it is sent.
        case uploaded
        /// These requests have an unknown outcome.
        case unknown([String])
        /// This many bytes are not fetched again.
        case kept(Int)
        /// Only that the next command works.
        case nothing
    }

    var name: String
    var resources: [Resource]
    var requests: [Outgoing] = []
    var upload: Upload?
    /// Files that exist in the destination before. If there is a manifest, it names only them at first, and the preparation
    /// downloads them.
    var former: [String: Content] = [:]
    var keeping = Keeping.plain
    /// Whether the commands seal a file, which `SOURCE` in arguments stands for. It has the bytes of the first resource, and is
    /// not on the disk that loses power.
    var seals = false
    /// Whether commands delete files that were published.
    var evicts = false
    /// Whether the server has a manifest of the resources (``manifestPath``).
    var hasManifest = false
    /// Commands before the recording.
    var preparation: [[String]] = []
    /// Whether the flow itself makes the store.
    var makesStore = false
    var steps: [Step]
    /// The command that completes all downloads, wherever the power was cut.
    var recovery: [String]

    /// The answer to each request.
    static let answer = "stored"
    /// The path of a request that the server resets at its first arrival.
    static let lost = "/lost"

    /// The path of the manifest.
    static let manifestPath = "/list.json"

    /// The folder of the former files on the server.
    static let formerFolder = "/former/"

    /// A manifest of the resources or of the former files, as `ferry mirror` reads it.
    func manifest(ofFormer isFormer: Bool) -> Content {
        let formerFiles = former.keys.sorted().map {
            #"{"name": "\#($0)", "url": "former/\#($0)", "etag": "\"former\""}"#
        }
        let files = resources.map { #"{"name": "\#($0.name)", "etag": "\"\#($0.name)\""}"# }
        return Content("[\((isFormer ? formerFiles : files).joined(separator: ", "))]")
    }

    /// The file that `SOURCE` in arguments stands for.
    var source: Content? { upload?.content ?? (seals ? resources.first?.content : nil) }

    var testDescription: String { name }

    /// The name of the file that has the bytes of a resource; `nil` if it is not known beforehand.
    func fileName(of resource: String) -> String? {
        switch keeping {
        case .plain: resource
        case .sealed: resource + ".age"
        case .pooled: nil
        }
    }

    /// The resource whose bytes a transfer brings, by the name of its file.
    func resource(savedAs name: String) -> Resource? {
        resources.first { fileName(of: $0.name).map { $0 == name } ?? true }
    }
}
