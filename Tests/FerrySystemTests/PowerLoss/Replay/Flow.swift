import Testing

/// A sequence of commands that is traced once, and then cut short by a power cut again and again.
struct Flow: Sendable, CustomTestStringConvertible {
    /// What a server has.
    struct Resource: Sendable {
        var name: String
        var content: Content
        var framing = ScriptedReply.Framing.length
    }

    /// One command.
    struct Step: Sendable {
        /// Its arguments; `URL/` stands for the server and `DESTINATION` for the destination.
        var arguments: [String]
        /// When to press Ctrl-C.
        var interruption: Interruption?
        var status: Int32 = 0
        /// What holds for ever once it has ended.
        var promise: Promise

        enum Interruption: Sendable {
            /// When the part file of the first resource holds so many bytes, and progress was recorded.
            case after(Int)
            /// When it holds so many, and some were brought to stable storage while the transfer was under way.
            case afterSync(Int)

            var count: Int {
                switch self {
                case .after(let count), .afterSync(let count): count
                }
            }
        }
    }

    /// What a command that has ended has promised.
    enum Promise: Hashable, Sendable {
        /// The transfers whose numbers it printed are there, or are done.
        case added
        /// These files are whole under their names, and nobody asks a server for them again.
        case published([String])
        /// So many bytes need not be fetched again.
        case kept(Int)
        /// Nothing but that the next command works.
        case nothing
    }

    var name: String
    var resources: [Resource]
    /// Files that lie in the destination beforehand.
    var former: [String: Content] = [:]
    /// Whether the store is made by the flow itself.
    var makesStore = false
    var steps: [Step]
    /// The command that completes everything, whenever the power was cut.
    var recovery: [String]

    var testDescription: String { name }

    /// The bytes that a file must have.
    func content(of name: String) -> Content? { resources.first { $0.name == name }?.content }
}
