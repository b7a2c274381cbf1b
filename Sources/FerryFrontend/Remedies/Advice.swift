import Ferry

/// What to do next, in sentences for a person at a terminal.
enum Advice {
    /// What remedies are about.
    struct Subject: Hashable, Sendable {
        /// The transfer concerned; `nil` if no transfer is concerned, for example when a list of digests cannot be
        /// fetched.
        var id: TransferID?
        /// Its kind, where it is known.
        var kind = TransferKind.download
        /// Whether it can be stopped and resumed. A download to a stream cannot, so no other command retries it.
        var isInterruptible = true
        /// Whether it failed in a way in which a download to a file could have been resumed.
        var isResumableAsFile = true
        /// Whether it has a part file.
        var hasPartFile = false
        /// The command whose line is repeated to ask for it again, if it is a download.
        var command = RepeatedCommand.getting

        /// Whether `ferry mirror` fetches it.
        var isOfMirror: Bool { command == .mirroring }

        /// The transfer, if a command can change and retry it.
        var retriable: TransferID? { isInterruptible ? id : nil }

        /// The sentence that asks for it with other options.
        func repetition(with options: String) -> String { kind.repetition(of: command, with: options) }
    }

    /// The words for one remedy.
    enum Phrase: Hashable, Sendable {
        /// A sentence.
        case sentence(String)
        /// An option of the command that adds such a transfer, and its purpose.
        case option(String)
        /// A clause that may be added to the previous sentence, and the conjunction before it.
        case clause(String, String)
    }

    /// The sentences for some remedies; `nil` if none of them is of use here.
    static func text(_ remedies: [Remedy], about subject: Subject) -> String? {
        var subject = subject
        // The record of a transfer does not say which command has added it. The remedy does.
        if [.getting, .adding].contains(subject.command), remedies.contains(.restartAdoption) {
            subject.command = .adopting
        }
        var sentences: [String] = []
        var options: [String] = []
        var isAfterSentence = false
        func endOptions() {
            guard !options.isEmpty else { return }
            sentences.append(subject.repetition(with: alternatives(options)))
            options = []
        }
        let steps = subject.isOfMirror ? Remedy.ofMirror(remedies) : remedies
        for phrase in steps.compactMap({ $0.phrase(about: subject) }) {
            if case .option(let option) = phrase {
                options.append(option)
            } else {
                endOptions()
            }
            switch phrase {
            case .option: isAfterSentence = false
            case .sentence(let sentence):
                sentences.append(sentence)
                isAfterSentence = true
            case .clause(let conjunction, let clause):
                if isAfterSentence, let sentence = sentences.popLast() {
                    sentences.append("\(sentence.dropLast()), \(conjunction) \(clause).")
                } else {
                    sentences.append("\(clause.prefix(1).uppercased())\(clause.dropFirst()).")
                }
                isAfterSentence = false
            }
        }
        endOptions()
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    private static func alternatives(_ options: [String]) -> String {
        guard options.count > 1, let last = options.last else { return options.joined() }
        return options.dropLast().joined(separator: ", ") + ", or " + last
    }
}
