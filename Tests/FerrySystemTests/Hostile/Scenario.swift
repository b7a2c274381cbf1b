import Foundation
import Testing

/// One scenario of a hostile server, as its file describes it: the versions, the server's answers, the commands and the
/// expected results. docs/SCENARIOS.md describes the format.
struct Scenario: Sendable {
    var name: String
    /// The purpose of the scenario, in one sentence.
    var why = ""
    /// The versions of the file that the server offers, by name.
    var versions: [String: ScenarioVersion] = [:]
    /// Entries that exist in the destination directory before the first command.
    var plants: [Plant] = []
    /// The rules of the server. The first rule that matches a request applies.
    var rules: [AnswerRule] = []
    /// The commands, in order.
    var runs: [ScenarioRun] = []
    /// The version that the transfer must be completed to, once the server is honest after all commands.
    var resumable: String?
    /// The maximum memory of the client, in bytes.
    var peak: Int?
    /// The reason why Ferry does not pass yet; `nil` if it passes.
    var known: String?

    /// An entry that exists in the destination directory before the first command.
    enum Plant: Hashable, Sendable {
        case file(String, text: String)
        case directory(String)
        case link(String, to: String)
    }

    /// Whether one of its texts uses the origin `{tls}`.
    var needsTLS = false
    /// Whether the server proposes a file name, so that peers get the flag to use it.
    var proposesName = false
}

extension Scenario: CustomTestStringConvertible {
    var testDescription: String { name }
}

/// The bytes of one version, and the metadata that an honest server sends.
struct ScenarioVersion: Sendable {
    var content: Content
    var tag: String?
    var modified: String?
    var type: String?
    /// Whether it is not the file but, for example, a login page. It is never a right result.
    var isImpostor = false
}

/// A command and its expected result.
struct ScenarioRun: Sendable {
    /// The arguments of `ferry get`. An argument that begins with `/` is a path on the server.
    var arguments: [ScenarioText]
    /// The exit statuses that are right.
    var exits: Set<Int32> = [0]
    /// The entries in the destination directory afterwards; `nil` if the scenario does not say.
    var left: [Leftover]?
    /// The transfer's state afterwards.
    var state: String?
    /// How many requests the server gets; `nil` if the scenario does not say.
    var asked: ClosedRange<Int>?
    /// When Ctrl-C is pressed; `nil` for never.
    var interruption: Interruption?
    /// Text that standard error must contain, and text that it must not contain.
    var says: [String] = []
    var omits: [String] = []

    /// A moment of a command.
    enum Interruption: Hashable, Sendable {
        /// The client has written this many bytes, and the server sends no more.
        case written(Int)
        /// The transfer waits for its next attempt.
        case waiting
    }

    /// An expected entry of the destination directory.
    struct Leftover: Hashable, Sendable {
        var name: String
        var thing: Thing

        enum Thing: Hashable, Sendable {
            /// Any content: an unfinished part file.
            case something
            /// The bytes of a version.
            case version(String)
            /// The entry that existed before.
            case text(String)
        }
    }
}
