/// Many words of a command line as one. The parser takes a time that grows with the square of the number of words that are no
/// options: ten thousand names of files take seconds.
package enum JoinedWords {
    /// What is between two words: no argument of a process has a NUL.
    private static let mark: Character = "\0"
    /// The commands that take any number of words, and separate them again.
    private static let commands: Set = ["get", "add", "put"]
    /// The length of the shortest run of words that is joined.
    package static let shortestRun = 64

    /// Joins the words of each long run without options. The first word of a run may be the value of an option, and stays alone.
    package static func joined(_ words: [String], of command: String) -> [String] {
        guard words.count >= shortestRun, commands.contains(command) else { return words }
        var joined: [String] = []
        var run: ArraySlice<String> = []
        func flush() {
            if run.count < shortestRun {
                joined += run
            } else {
                joined.append(run[run.startIndex])
                joined.append(run.dropFirst().joined(separator: String(mark)))
            }
            run = []
        }
        for word in words {
            if word.hasPrefix("-"), word != "-" {
                flush()
                joined.append(word)
            } else {
                run.append(word)
            }
        }
        flush()
        return joined
    }

    /// The words as they were typed.
    package static func separated(_ words: [String]) -> [String] {
        words.flatMap { $0.split(separator: mark, omittingEmptySubsequences: false).map(String.init) }
    }
}
