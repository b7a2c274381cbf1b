/// The wrong lines of a list of downloads. Only the first few are collected, so that a list without end is refused.
struct ListFlaws {
    /// The name of the list in messages.
    private let name: String
    private var failures: [CommandFailure] = []

    /// Maximum wrong lines that a message tells.
    private static let most = 10

    init(of name: String) {
        self.name = name
    }

    /// Whether more lines are wrong than a message tells.
    var isFull: Bool { failures.count > Self.most }

    /// Adds the failure of a line. Its message begins with the name of the list and the number of the line.
    mutating func add(_ failure: CommandFailure) {
        failures.append(failure)
    }

    /// The failure of all of them; `nil` if no line is wrong.
    var failure: CommandFailure? {
        guard failures.count > 1, var all = failures.first else { return failures.first }
        var sentences = failures.prefix(Self.most).map(\.message)
        for index in sentences.indices.dropFirst() where sentences[index].hasPrefix("\(name), ") {
            let text = sentences[index].dropFirst(name.count + 2)
            sentences[index] = text.prefix(1).uppercased() + text.dropFirst()
        }
        if isFull { sentences.append("More lines are wrong.") }
        all.message = sentences.joined(separator: " ")
        all.hint = "Nothing was downloaded or added."
        return all
    }
}
