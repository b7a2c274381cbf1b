/// One thing that `ferry doctor` looked at.
struct CheckReport: Hashable, Sendable {
    /// What was looked at.
    var subject: String
    /// What was found.
    var finding: String
    /// How it stands.
    var verdict: Verdict
    /// What to do about it.
    var hint: String?

    /// How a thing stands.
    enum Verdict: String, Hashable, Sendable {
        /// As it should be.
        case ok
        /// Worth knowing, and nothing wrong.
        case note
        /// Wrong.
        case problem
    }

    static func ok(_ subject: String, _ finding: String) -> CheckReport {
        CheckReport(subject: subject, finding: finding, verdict: .ok)
    }

    static func note(_ subject: String, _ finding: String, hint: String? = nil) -> CheckReport {
        CheckReport(subject: subject, finding: finding, verdict: .note, hint: hint)
    }

    static func problem(_ subject: String, _ finding: String, hint: String? = nil) -> CheckReport {
        CheckReport(subject: subject, finding: finding, verdict: .problem, hint: hint)
    }

    /// The report as JSON.
    var json: JSON {
        [
            "check": .string(subject), "verdict": .string(verdict.rawValue), "finding": .string(finding),
            "hint": .optional(hint),
        ]
    }

    /// The report as lines for a person.
    var lines: [String] {
        let mark =
            switch verdict {
            case .ok: "OK      "
            case .note: "NOTE    "
            case .problem: "PROBLEM "
            }
        let line = mark + TerminalText.safe("\(subject): \(finding)")
        return hint.map { [line, "        " + TerminalText.safe($0)] } ?? [line]
    }
}
