import ArgumentParser
import FerryFrontend

/// An option that is given once. The parser would take the last of several values, and drop the others silently.
enum SingleOption: CaseIterable {
    case output, queue, tag

    private var names: Set<String> {
        switch self {
        case .output: ["-o", "--output"]
        case .queue: ["--queue"]
        case .tag: ["--tag"]
        }
    }

    /// Refuses a command line that gives one of them more than once.
    ///
    /// - Parameter line: the line, beginning with the command. Values are not attached to the letters of options.
    /// - Throws: ``CommandFailure`` with status 64.
    static func check(_ line: [String], of command: any ParsableCommand.Type) throws(CommandFailure) {
        // There may be very many others.
        let options = line.filter { $0.hasPrefix("-") }
        let repeated = allCases.filter { option in
            options.count(where: { option.names.contains(OptionNames.name(in: $0)) }) > 1
        }
        // The names of all options take milliseconds.
        guard let word = line.first, !repeated.isEmpty else { return }
        let names = OptionNames(of: command)
        let given = names.given(in: line).filter { names.valued.contains($0) }
        for option in repeated {
            let spellings = given.filter { option.names.contains($0) }
            guard spellings.count > 1 else { continue }
            throw .usage(
                "\(spellings[0]) is given more than once; nothing was done.",
                hint: option.hint(for: word)
            )
        }
    }

    /// What to type instead.
    private func hint(for command: String) -> String {
        let selects = ["list", "pause", "retry", "cancel"].contains(command)
        switch self {
        case .output where ["get", "add", "adopt"].contains(command):
            return
                "Give it once. For several URLs, use -o '{n:03}-{name}', or a list (-i) with out=FILE below each URL."
        case .output: return "Give it once, and repeat the command for each file."
        case .queue where selects: return "Repeat the command for each queue."
        case .queue: return "Give it once: a transfer is in one queue."
        case .tag where selects: return "Repeat the command for each tag."
        case .tag: return "Give it once: a transfer has one tag."
        }
    }
}
