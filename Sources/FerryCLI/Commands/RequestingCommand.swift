import ArgumentParser
import FerryFrontend

/// A command with the options that say what goes along with requests and how servers are reached.
///
/// These options are groups of the command itself. In a debug build, the parser checks each group again for each level of
/// groups above it: each level takes four times as long.
protocol RequestingCommand: AskingCommand {
    var request: RequestArguments { get set }
    var store: ObjectStoreArguments { get }
    var connection: ConnectionArguments { get }
}

extension RequestingCommand {
    static var userPath: WritableKeyPath<Self, String?> { \.request.user }

    /// What was typed about requests, without its parser.
    var requestInput: RequestInput { request.input(store) }
}

extension GetCommand: RequestingCommand {}
extension AddCommand: RequestingCommand {}
extension AdoptCommand: RequestingCommand {}
extension MirrorCommand: RequestingCommand {}
extension SendCommand: RequestingCommand {}
extension PutCommand: RequestingCommand {}
extension CatCommand: RequestingCommand {}
