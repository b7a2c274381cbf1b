import Ferry
import FerryFrontend
import Synchronization

/// Reports what a mirror does: as lines for a person, or as JSON on standard output.
final class MirrorReport: Sendable {
    private struct State {
        /// When the progress of the listing was last reported in JSON.
        var lastTold: Instant?
        /// Why the listing waits; `nil` if it does not.
        var wait: TransferFailure?
        /// The number of lines of each kind that were printed.
        var lines: [String: Int] = [:]
        /// The files that were mirrored, and that the source no longer has.
        var gone = GoneFiles()
        /// The files that are not replaced, as far as the listing tells.
        var conflicts = NamedFiles()
    }

    private let console: Console
    private let source: String
    private let isDryRun: Bool
    private let state = Mutex(State())

    /// The interval at which the progress of a listing is reported in JSON.
    private static let interval = Duration.milliseconds(500)
    /// Maximum number of lines of one kind, for a hostile listing.
    private static let mostLines = 100
    /// Maximum number of lines of one kind with `--quiet`. The summary has the count of all.
    private static let mostQuietLines = 10

    init(_ console: Console, source: String, isDryRun: Bool) {
        (self.console, self.source, self.isDryRun) = (console, source, isDryRun)
    }

    /// Begins a pass. Each pass of a watched source names its own files.
    func begin() { state.withLock { $0 = State() } }

    /// Reports an event.
    func tell(_ event: MirrorEvent) {
        note(event)
        if console.appearance.json { return tellJSON(event) }
        switch event {
        case .progress(let files, let directories):
            guard console.appearance.live else { return }
            console.draw(["Listing \(source): \(files) entries, \(directories) directories"])
        case .waiting(let wait):
            let line = "Listing \(source): \(wait.text)"
            guard !console.appearance.live else { return console.draw([line]) }
            limited("waiting") { console.notice(line) }
        case .found(let path, .kept) where !isDryRun:
            let shown = TerminalText.safe(path)
            limited("kept") { console.notice("\(shown): changed here, left alone.", keeping: [shown]) }
        case .found(let path, let comparison):
            console.data("\(comparison.rawValue)\t\(TerminalText.safe(path))")
        case .conflict(let path, _) where isDryRun: console.data("conflict\t\(TerminalText.safe(path))")
        case .conflict(let path, let reason):
            incomplete("conflict", .fileExists, "\(path) is not replaced: \(reason)")
        case .refused(let name, let place, let reason):
            incomplete("refused: \(reason)", .badResponse, "\(name) in \(place) is left out: \(reason)")
        case .withheld(let reason): console.warning(reason)
        case .unlisted(MirrorPath.top, let failure): incomplete("unlisted", .badResponse, failure.message)
        case .unlisted(let path, let failure):
            incomplete("unlisted", .badResponse, "\(path) could not be listed: \(failure.message)")
        case .blocked(let path, let reason):
            incomplete("blocked", .cannotCreate, "\(path) could not be made: \(reason)")
        case .gone(let path, _): if isDryRun { console.data("gone\t\(TerminalText.safe(path))") }
        case .deleted(let path):
            if isDryRun {
                console.data("delete\t\(TerminalText.safe(path))")
            } else {
                let shown = TerminalText.safe(path)
                console.notice("Removed \(shown).", keeping: [shown])
            }
        case .spared(let path, let reason):
            limited("spared") { console.warning("\(path) is not removed: \(reason)") }
        case .leftover(let reason): limited("leftover") { console.warning(reason) }
        }
    }

    /// Notes what the end of the pass names.
    private func note(_ event: MirrorEvent) {
        switch event {
        case .progress: state.withLock { $0.wait = nil }
        case .waiting(let wait): state.withLock { $0.wait = wait.failure }
        case .gone(let path, true): state.withLock { $0.gone.add(TerminalText.safe(path)) }
        case .withheld(let reason): state.withLock { $0.gone.withheld = reason }
        case .conflict(let path, _): state.withLock { $0.conflicts.add(TerminalText.safe(path)) }
        default: break
        }
    }

    /// Reports that a signal has stopped the pass while the source was listed, and why the listing waited if it did.
    func stopListing() {
        let reason = state.withLock { $0.wait }.map { ": \(TerminalText.clause($0.message))" } ?? ""
        console.notice("Stopped while the source was listed\(reason). Repeat the command to resume.")
        stop(MirrorTally(), Downloads(), isComplete: false)
    }

    /// Reports what leaves the mirror incomplete. It decides the exit status, so that `--quiet` prints it too: a timer must
    /// not fail without naming the file.
    private func incomplete(_ kind: String, _ status: ExitStatus, _ line: String) {
        guard console.appearance.quiet else { return limited(kind) { console.warning(line) } }
        limited(kind, upTo: Self.mostQuietLines) {
            console.failure(CommandFailure(status, code: "incomplete", line))
        }
    }

    /// Prints a line unless very many of its kind were printed.
    private func limited(_ kind: String, upTo most: Int = MirrorReport.mostLines, _ print: () -> Void) {
        let count = state.withLock { state in
            state.lines[kind, default: 0] += 1
            return state.lines[kind, default: 0]
        }
        if count <= most { print() }
        if count == most + 1 { console.notice("Further lines of this kind are left out.") }
    }

    private func tellJSON(_ event: MirrorEvent) {
        switch event {
        case .progress(let files, let directories):
            let now = SystemTime.steady
            let isDue = state.withLock { state in
                let isDue = state.lastTold.map { $0.duration(to: now) >= Self.interval } ?? true
                if isDue { state.lastTold = now }
                return isDue
            }
            guard isDue else { return }
            console.data([
                "event": "listing", "entries": .int(Int64(files)), "directories": .int(Int64(directories)),
            ])
        case .waiting(let wait):
            console.data([
                "event": "waiting", "code": .string(wait.failure.code.rawValue),
                "reason": .string(wait.failure.message), "attempt": .int(Int64(wait.attempt)),
                "attempts": .int(Int64(wait.attempts)),
            ])
        case .found(let path, let comparison): file(path, comparison.rawValue)
        case .conflict(let path, let reason): file(path, "conflict", reason)
        case .refused(let name, let place, let reason):
            console.data([
                "event": "refused", "name": .string(name), "place": .string(place),
                "reason": .string(reason),
            ])
        case .unlisted(let path, let failure):
            console.data([
                "event": "unlisted", "path": .string(path), "code": .string(failure.code.rawValue),
                "reason": .string(failure.message),
            ])
        case .withheld(let reason): console.data(["event": "withheld", "reason": .string(reason)])
        case .blocked(let path, let reason):
            console.data(["event": "blocked", "path": .string(path), "reason": .string(reason)])
        case .gone(let path, _): file(path, "gone")
        case .deleted(let path): file(path, isDryRun ? "delete" : "deleted")
        case .spared(let path, let reason): file(path, "spared", reason)
        case .leftover(let reason): console.data(["event": "leftover", "reason": .string(reason)])
        }
    }

    private func file(_ path: String, _ change: String, _ reason: String? = nil) {
        var members: [JSON.Member] = [
            .init(name: "event", value: "file"), .init(name: "path", value: .string(path)),
            .init(name: "change", value: .string(change)),
        ]
        if let reason { members.append(.init(name: "reason", value: .string(reason))) }
        console.data(.object(members))
    }

    // MARK: The end

    /// What the downloads of a mirror came to.
    struct Downloads {
        var completed = 0
        var failed = 0
        var cancelled = 0
        var unfinished = 0
        var received: Int64 = 0
        /// Whether every file was downloaded, besides those whose place another file has.
        var isWhole = true
        /// The status of the first failure.
        var status = ExitStatus.done
        var isInterrupted = false
    }

    /// Reports the end of a pass.
    func conclude(_ tally: MirrorTally, _ downloads: Downloads, isComplete: Bool, status: ExitStatus) {
        guard !console.appearance.json else {
            return console.data(summary(tally, downloads, isComplete, status))
        }
        var parts = [
            "\(tally.new) new", "\(tally.changed) changed", "\(tally.gone) gone",
            "\(tally.unchanged) unchanged",
        ]
        for (count, word) in [
            (tally.asked, "to ask about"), (tally.kept, "changed here and left alone"),
            (tally.conflicts, "not replaced"),
            (tally.deleted, isDryRun ? "to be removed" : "removed"), (tally.spared, "not removed"),
            (tally.refused, "left out"),
        ] where count > 0 { parts.append("\(count) \(word)") }
        if let part = Self.notDownloaded(tally, downloads) { parts.append(part) }
        let summary = "\(isDryRun ? "Would mirror" : "Mirrored") \(source): \(parts.joined(separator: ", "))."
        let (gone, conflicts) = state.withLock { ($0.gone, $0.conflicts) }
        var steps: [String] = []
        if let step = conflicts.step(ofAll: tally.conflicts) { steps.append(step) }
        if !isComplete {
            steps.append(
                "Not all directories could be listed, so no file was treated as gone from the source. Repeat the command to try again."
            )
        }
        if tally.refused > 0 {
            steps.append(
                "What is left out has no place here. Rename it at the source, or exclude it with --exclude."
            )
        }
        if console.appearance.quiet, let reason = gone.withheld, let files = gone.line {
            console.failure(CommandFailure(status, code: "withheld", reason, hint: files))
        }
        if console.appearance.quiet, status != .done {
            // A timer that runs it must not fail without a word.
            let hint = steps.isEmpty ? nil : steps.joined(separator: " ")
            console.failure(CommandFailure(status, code: "incomplete", summary, hint: hint))
        }
        console.notice(summary)
        // A dry run has a line for each of them, and repeats to remove nothing.
        if !isDryRun, let line = gone.line { console.notice(line, keeping: gone.files.named) }
        for line in steps { console.notice(line, keeping: conflicts.named) }
    }

    /// Files of one kind. The end of a pass names the first ones.
    struct NamedFiles {
        /// The first ones.
        private(set) var named: [String] = []
        private(set) var count = 0

        /// Maximum number of files that are named.
        private static let mostNamed = 3

        mutating func add(_ path: String) {
            count += 1
            if named.count < Self.mostNamed { named.append(path) }
        }

        /// The first ones and how many more there are.
        ///
        /// - Parameter all: the number of all files.
        func text(ofAll all: Int) -> String {
            let more = all > named.count ? " and \(all - named.count) more" : ""
            return named.joined(separator: ", ") + more
        }

        /// What to do about files that are not replaced; `nil` for no files.
        ///
        /// - Parameter all: the number of them. A download tells of some, and a former command of those in its listing.
        func step(ofAll all: Int) -> String? {
            guard all > 0 else { return nil }
            let files = named.isEmpty ? "The files that are not replaced" : text(ofAll: all)
            let isOne = all == 1 && !named.isEmpty
            let (stay, away) = isOne ? ("stays as it is", "it away") : ("stay as they are", "them away")
            return "\(files) \(stay). Move \(away), or repeat the `ferry mirror` line with --overwrite."
        }
    }

    /// Files that stay although the source no longer has them.
    struct GoneFiles {
        private(set) var files = NamedFiles()
        /// Why nothing is removed in this pass, although `--delete` was given; `nil` otherwise.
        var withheld: String?

        mutating func add(_ path: String) { files.add(path) }

        /// The line for a person; `nil` for no files.
        var line: String? {
            guard files.count > 0 else { return nil }
            let found = "No longer at the source, kept here: \(files.text(ofAll: files.count))."
            // A warning has said why nothing is removed.
            guard withheld == nil else { return found }
            let removed = files.count == 1 ? "it" : "them"
            return "\(found) Repeat the `ferry mirror` line with --delete to remove \(removed). "
                + "Files that you changed stay."
        }
    }

    /// How many files were not downloaded, and why; `nil` if all were.
    static func notDownloaded(_ tally: MirrorTally, _ downloads: Downloads) -> String? {
        guard tally.unfinished > 0 else { return nil }
        var rest = tally.unfinished
        func take(upTo most: Int) -> Int {
            let count = min(most, rest)
            rest -= count
            return count
        }
        let cancelled = take(upTo: downloads.cancelled)
        let unfinished = take(upTo: downloads.unfinished)
        // Some failed because something has their places. These are counted as not replaced.
        let failed = take(upTo: downloads.failed)
        let blocked = tally.blocked > 0 ? rest : 0
        let reasons = [
            (failed, "failed"), (cancelled, "cancelled"), (unfinished, "unfinished"),
            (blocked, "without a directory"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        let why = reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
        return "\(tally.unfinished) not downloaded\(why)"
    }

    /// Reports that a signal stopped a pass. A person was told of it already.
    func stop(_ tally: MirrorTally, _ downloads: Downloads, isComplete: Bool) {
        guard console.appearance.json else { return }
        console.data(summary(tally, downloads, isComplete, .unfinished))
    }

    private func summary(
        _ tally: MirrorTally,
        _ downloads: Downloads,
        _ isComplete: Bool,
        _ status: ExitStatus
    ) -> JSON {
        let counts: [(String, Int)] = [
            ("new", tally.new), ("changed", tally.changed), ("gone", tally.gone),
            ("unchanged", tally.unchanged),
            ("asked", tally.asked), ("kept", tally.kept), ("conflicts", tally.conflicts),
            ("deleted", tally.deleted),
            ("spared", tally.spared),
            ("refused", tally.refused), ("unlisted", tally.unlisted), ("blocked", tally.blocked),
            ("notDownloaded", tally.unfinished),
            ("completed", downloads.completed), ("failed", downloads.failed),
            ("cancelled", downloads.cancelled), ("unfinished", downloads.unfinished),
        ]
        var members: [JSON.Member] = [
            .init(name: "event", value: "summary"), .init(name: "source", value: .string(source)),
            .init(name: "dryRun", value: .bool(isDryRun)), .init(name: "listed", value: .bool(isComplete)),
        ]
        members += counts.map { .init(name: $0.0, value: .int(Int64($0.1))) }
        members.append(.init(name: "received", value: .int(downloads.received)))
        members.append(.init(name: "exitStatus", value: .int(Int64(status.rawValue))))
        return .object(members)
    }
}
