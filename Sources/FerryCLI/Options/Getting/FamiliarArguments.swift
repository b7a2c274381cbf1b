import ArgumentParser

/// Options of curl and wget that ask for what Ferry does anyway. They are accepted, and change nothing.
struct FamiliarArguments: ParsableArguments {
    @Flag(
        name: [.customShort("c"), .customLong("continue")],
        help: ArgumentHelp("Accepted: ferry always resumes.", visibility: .hidden)
    )
    var resumes = false

    @Option(
        name: [.customShort("C"), .customLong("continue-at")],
        parsing: .unconditional,
        help: ArgumentHelp("Accepted with '-': ferry always resumes.", valueName: "-", visibility: .hidden)
    )
    var offset: String?

    @Flag(
        name: [.customShort("L"), .customLong("location")],
        help: ArgumentHelp("Accepted: ferry follows redirects.", visibility: .hidden)
    )
    var followsRedirects = false

    @Flag(
        name: [.customShort("f"), .customLong("fail")],
        help: ArgumentHelp("Accepted: an HTTP error always fails.", visibility: .hidden)
    )
    var fails = false

    @Flag(
        name: [.customShort("S"), .customLong("show-error")],
        help: ArgumentHelp("Accepted: ferry always prints errors.", visibility: .hidden)
    )
    var printsErrors = false

    @Flag(
        name: [.customShort("O"), .customLong("remote-name")],
        help: ArgumentHelp("Accepted: a file gets its name from the server or the URL.", visibility: .hidden)
    )
    var takesRemoteName = false

    @Flag(
        name: [.customShort("J"), .customLong("remote-header-name")],
        help: ArgumentHelp("Accepted: a name from the server comes first.", visibility: .hidden)
    )
    var takesHeaderName = false

    /// Refuses what these options cannot mean here.
    ///
    /// - Parameter urls: the other words of the command line.
    func check(_ urls: [String]) throws {
        if let offset, offset != "-" {
            throw ValidationError(
                "-C takes only '-': ferry knows how much it has. `--range FROM-` fetches the rest of a file."
            )
        }
        // As in wget, where -O names the file.
        if takesRemoteName, urls.count > 1, let name = urls.first(where: { !$0.contains("/") }) {
            throw ValidationError("-O takes no name, as in curl. `-o \(name)` names the file.")
        }
    }
}
