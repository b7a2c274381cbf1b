import Foundation
import Testing

/// One play of a hostile server, as its file tells it: what there is, what the server answers, what is run, and what
/// must come of it. docs/SCENARIOS.md describes the form.
struct Scenario: Sendable {
    var name: String
    /// What the scenario is for, in a sentence.
    var why = ""
    /// The bytes that the server has, by name: every version of the file that it offers.
    var versions: [String: ScenarioVersion] = [:]
    /// What is put into the destination directory beforehand.
    var plants: [Plant] = []
    /// What the server answers: the first rule that fits a request counts.
    var rules: [AnswerRule] = []
    /// What is run, in order.
    var runs: [ScenarioRun] = []
    /// The version that an honest server's answer must complete the transfer to after all runs.
    var resumable: String?
    /// The most memory that the client may have at any time, in bytes.
    var peak: Int?
    /// Why Ferry does not pass it yet.
    var known: String?

    /// Something that waits where the file is to lie.
    enum Plant: Hashable, Sendable {
        case file(String, text: String)
        case directory(String)
        case link(String, to: String)
    }

    /// Whether any of its texts names the origin `{tls}`.
    var needsTLS = false
    /// Whether a server proposes a name, so that peers are asked to heed it.
    var proposesName = false
}

extension Scenario: CustomTestStringConvertible {
    var testDescription: String { name }
}

/// The bytes of one version, and what an honest server says about them.
struct ScenarioVersion: Sendable {
    var content: Content
    var tag: String?
    var modified: String?
    var type: String?
    /// Whether it is something else than the file, such as a login page: never a right result.
    var isImpostor = false
}

/// A command, and what must come of it.
struct ScenarioRun: Sendable {
    /// The words behind `ferry get`; a word that begins with `/` is a path on the server.
    var arguments: [ScenarioText]
    /// The exit statuses that are right.
    var exits: Set<Int32> = [0]
    /// What lies in the destination directory afterwards; `nil` when that is not told.
    var left: [Leftover]?
    /// The transfer's state afterwards.
    var state: String?
    /// How many requests the server gets; `nil` when that is not told.
    var asked: ClosedRange<Int>?
    /// When Ctrl-C is pressed, if it is.
    var interruption: Interruption?
    /// What standard error must say, and what it must not.
    var says: [String] = []
    var omits: [String] = []

    /// A moment of a command.
    enum Interruption: Hashable, Sendable {
        /// The client has written so many bytes, and the server holds.
        case written(Int)
        /// The transfer waits to be tried again.
        case waiting
    }

    /// A name in the destination directory and what is there.
    struct Leftover: Hashable, Sendable {
        var name: String
        var thing: Thing

        enum Thing: Hashable, Sendable {
            /// Anything: an unfinished part.
            case something
            /// The bytes of a version.
            case version(String)
            /// What was planted.
            case text(String)
        }
    }
}
