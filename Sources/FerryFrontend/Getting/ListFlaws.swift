import Ferry

/// A wrong line of a list of downloads.
struct ListFlaw: Error {
    let line: Int
    let reason: String
    let hint: String?

    /// What is safe, as a hint.
    fileprivate static let nothingDone = "Nothing was downloaded or added."

    /// A line that cannot be read.
    init(_ error: ListFile.ParseError) {
        (line, reason) = (error.line, error.reason.description)
        hint = Self.nothingDone
    }

    /// A line that can be read, but not be used.
    init(line: Int, _ failure: CommandFailure) {
        self.line = line
        (reason, hint) = (failure.message, failure.hint)
    }

    /// The failure of the line alone.
    func failure(in list: String) -> CommandFailure {
        .usage("\(list), line \(line): \(reason)", hint: hint)
    }
}

/// The wrong lines of a list of downloads. Only the first few are collected, so that a list without end is refused.
struct ListFlaws {
    /// The name of the list in messages.
    private let name: String
    private var flaws: [ListFlaw] = []

    /// Maximum wrong lines that a message tells.
    private static let most = 10

    init(of name: String) {
        self.name = name
    }

    /// Whether more lines are wrong than a message tells.
    var isFull: Bool { flaws.count > Self.most }

    mutating func add(_ flaw: ListFlaw) {
        flaws.append(flaw)
    }

    /// The failure of all of them; `nil` if no line is wrong.
    var failure: CommandFailure? {
        guard var all = flaws.first?.failure(in: name) else { return nil }
        guard flaws.count > 1 else { return all }
        for flaw in flaws.prefix(Self.most).dropFirst() {
            all.message += " Line \(flaw.line): \(flaw.reason)"
        }
        if isFull { all.message += " More lines are wrong." }
        all.hint = ListFlaw.nothingDone
        return all
    }
}
