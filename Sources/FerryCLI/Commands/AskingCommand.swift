import ArgumentParser
import FerryFrontend

/// A command with `--user` that asks for a password that was not given.
protocol AskingCommand: AsyncParsableCommand {
    /// The value of `--user`: a name, or a name and a password with a colon between them.
    var user: String? { get set }
}

extension AskingCommand {
    /// Asks for the password of a user without one. Without a terminal the user stays as it is, and is
    /// refused later.
    mutating func completeUser() throws(CommandFailure) {
        guard let name = user, !name.isEmpty, !name.utf8.contains(UInt8(ascii: ":")),
            let password = try SecretPrompt.password(of: name)
        else { return }
        user = "\(name):\(password)"
    }
}

extension GetCommand: AskingCommand {
    var user: String? {
        get { download.request.user }
        set { download.request.user = newValue }
    }
}

extension AddCommand: AskingCommand {
    var user: String? {
        get { download.request.user }
        set { download.request.user = newValue }
    }
}

extension AdoptCommand: AskingCommand {
    var user: String? {
        get { download.request.user }
        set { download.request.user = newValue }
    }
}

extension MirrorCommand: AskingCommand {
    var user: String? {
        get { mirror.request.user }
        set { mirror.request.user = newValue }
    }
}

extension SendCommand: AskingCommand {
    var user: String? {
        get { sending.delivery.request.user }
        set { sending.delivery.request.user = newValue }
    }
}

extension PutCommand: AskingCommand {
    var user: String? {
        get { putting.delivery.request.user }
        set { putting.delivery.request.user = newValue }
    }
}

extension CatCommand: AskingCommand {
    var user: String? {
        get { request.user }
        set { request.user = newValue }
    }
}

extension EditCommand: AskingCommand {}
