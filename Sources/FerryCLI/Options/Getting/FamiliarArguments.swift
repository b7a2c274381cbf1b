import ArgumentParser

/// Options of curl and wget that ask for what Ferry does anyway when it downloads. They are accepted, and change nothing.
struct FamiliarArguments: ParsableArguments {
    /// The flags among them.
    enum Accepted: EnumerableFlag {
        case resumes, takesRemoteName, takesHeaderName, takesRemoteNames, decodes, savesSessionCookies

        static func name(for value: Accepted) -> NameSpecification {
            switch value {
            case .resumes: [.customShort("c"), .customLong("continue")]
            case .takesRemoteName: [.customShort("O"), .customLong("remote-name")]
            case .takesHeaderName:
                [.customShort("J"), .customLong("remote-header-name"), .customLong("content-disposition")]
            case .takesRemoteNames: [.customLong("remote-name-all")]
            case .decodes: [.customLong("compressed")]
            case .savesSessionCookies: [.customLong("keep-session-cookies")]
            }
        }

        static func help(for value: Accepted) -> ArgumentHelp? {
            ArgumentHelp("Accepted: ferry does so anyway.", visibility: .hidden)
        }
    }

    @Flag var accepted: [Accepted] = []

    @Option(
        name: [.customShort("C"), .customLong("continue-at")],
        parsing: .unconditional,
        help: ArgumentHelp("Accepted with '-': ferry always resumes.", valueName: "-", visibility: .hidden)
    )
    var offset: String?

    /// Whether the person asks to continue a file.
    var continues: Bool { offset != nil || accepted.contains(.resumes) }

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
        if accepted.contains(.takesRemoteName), urls.count > 1,
            let name = urls.first(where: { !$0.contains("/") })
        {
            throw ValidationError(FamiliarWord.advice(onName: name))
        }
        // As in curl, where -c names the file for cookies.
        if accepted.contains(.resumes), urls.count > 1, urls.contains(where: FamiliarWord.isPath) {
            throw ValidationError("-c takes no file. `ferry get --cookie-jar FILE` saves cookies.")
        }
    }
}
