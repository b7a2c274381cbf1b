import FerryFrontend

/// The result of one check of `ferry doctor`.
struct CheckReport: Hashable, Sendable {
    /// The subject of the check.
    var subject: String
    /// The finding.
    var finding: String
    /// The verdict.
    var verdict: Verdict
    /// What to do about it.
    var hint: String?

    /// The verdict of a check.
    enum Verdict: String, Hashable, Sendable {
        /// Good.
        case ok
        /// Worth knowing, but not wrong.
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

    /// The report as lines of text for a person.
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
