import ArgumentParser
import FerryFrontend

/// A command with `--user` that asks for a password that was not given.
protocol AskingCommand: AsyncParsableCommand {
    /// Where the value of `--user` is.
    static var userPath: WritableKeyPath<Self, String?> { get }
}

extension AskingCommand {
    /// The value of `--user`: a name, or a name and a password with a colon between them.
    var user: String? {
        get { self[keyPath: Self.userPath] }
        set { self[keyPath: Self.userPath] = newValue }
    }

    /// Asks for the password of a user without one. Without a terminal the user stays as it is, and is
    /// refused later.
    mutating func completeUser() throws(CommandFailure) {
        guard let name = user, !name.isEmpty, !name.utf8.contains(UInt8(ascii: ":")),
            let password = try SecretPrompt.password(of: name)
        else { return }
        user = "\(name):\(password)"
    }
}

extension EditCommand: AskingCommand {
    static var userPath: WritableKeyPath<Self, String?> { \.user }
}
