import ArgumentParser
import Foundation

@testable import FerryCLI

/// The commands and options that the parser itself lists for other tools. In a debug build that takes seconds, so the tests share
/// it.
struct DumpedHelp: Decodable, Sendable {
    /// `ferry`, with all its commands.
    static let tool: Result<Command, any Error> = Result {
        try JSONDecoder().decode(DumpedHelp.self, from: Data(FerryCommand._dumpHelp().utf8)).command
    }

    private let command: Command

    /// A command, with the commands below it.
    struct Command: Decodable, Sendable {
        let commandName: String
        let shouldDisplay: Bool?
        let subcommands: [Command]?
        let arguments: [Argument]?
    }

    struct Argument: Decodable, Sendable {
        /// `option` for one with a value, `flag`, or `positional`.
        let kind: String
        let names: [Name]?
    }

    struct Name: Decodable, Sendable {
        /// `long` or `short`.
        let kind: String
        let name: String
    }
}
