import ArgumentParser

/// Options of curl that ask for what Ferry does anyway with every request. They are accepted, and change nothing.
struct FamiliarRequestArguments: ParsableArguments {
    /// The flags among them.
    enum Accepted: EnumerableFlag {
        case followsRedirects, fails, readsNetrc, speaksNewTLS

        static func name(for value: Accepted) -> NameSpecification {
            switch value {
            case .followsRedirects: [.customShort("L"), .customLong("location")]
            case .fails: [.customShort("f"), .customLong("fail"), .customLong("fail-with-body")]
            case .readsNetrc: [.customLong("netrc"), .customLong("netrc-optional")]
            case .speaksNewTLS: [.customLong("tlsv1"), .customLong("tlsv1.2")]
            }
        }

        static func help(for value: Accepted) -> ArgumentHelp? {
            ArgumentHelp("Accepted: ferry does so anyway.", visibility: .hidden)
        }
    }

    @Flag var accepted: [Accepted] = []
}
