import Ferry

/// The terms of every request of a command line: how its server is reached, and which passwords it has. All files that they
/// need are read once.
package struct SendTerms: Sendable {
    /// How servers are reached.
    let connection: ConnectionOptions
    /// The proxy for each URL.
    let routes: Routes
    /// The passwords of hosts.
    let passwords: NetrcFile
    /// The process environment.
    let environment: ProcessEnvironment
    /// Warnings for the user.
    package var warnings: [String] { [passwords.warning].compactMap(\.self) }

    /// Reads the input.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for invalid arguments, and 15 for a file that cannot be read.
    package init(_ input: SendInput, _ environment: ProcessEnvironment) throws(CommandFailure) {
        try input.request.checkConflicts()
        try input.connection.checkConflicts()
        var connection = ConnectionOptions()
        try connection.apply(input.connection, environment: environment)
        self.connection = connection
        routes = try Routes(input.connection, environment: environment)
        passwords =
            input.request.ignoresNetrc
            ? NetrcFile() : try NetrcFile(path: input.request.netrcFile, environment: environment)
        self.environment = environment
    }
}
