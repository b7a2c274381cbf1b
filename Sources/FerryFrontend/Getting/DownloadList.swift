import Ferry

/// The list of `-i`. It is read again whenever its downloads are needed, and only a part of it is in memory.
struct DownloadList {
    /// Its name in messages.
    var name: String { stream.name }
    /// The number of downloads in it, without repeated lines.
    private(set) var count = 0
    /// The lines that are left out, and the lines that are used instead. They are in order once the list has been read.
    private(set) var repeats: [(line: UInt32, kept: UInt32)] = []
    /// Whether an entry names its own directory.
    private(set) var hasDirectories = false
    /// Whether the bytes of an entry go to standard output.
    private(set) var usesStandardOutput = false
    /// The options of its entries that have no effect.
    private var ignored: Set<String> = []
    /// The first lines that replace the value of an option above them.
    private var replacing: [ListFile.Entry.Repeat] = []
    private var replacingCount = 0
    /// The digests from sidecar files, by line.
    var sidecars: [Int: Checksum] = [:]

    private let stream: ListStream

    /// Opens the list.
    ///
    /// - Throws: ``CommandFailure`` with status 15 when it cannot be opened.
    init(_ path: String, _ environment: ProcessEnvironment) throws(CommandFailure) {
        stream = try ListStream(path, environment)
    }

    /// Notes the download of an entry.
    mutating func note(
        _ download: PlannedDownload,
        at entry: ListFile.Entry,
        _ finding: DownloadCensus.Finding
    ) {
        hasDirectories = hasDirectories || entry.directory != nil || entry.output?.contains("/") == true
        ignored.formUnion(entry.ignored)
        replacing += entry.repeats.prefix(Self.mostRepeats - replacing.count)
        replacingCount += entry.repeats.count
        switch finding {
        case .new: count += 1
        case .repeated(let former): repeats.append((UInt32(entry.line), UInt32(former)))
        // The later URL counts, as for a transfer that is requested under a fresh signature.
        case .renewed(let former): repeats.append((UInt32(former), UInt32(entry.line)))
        case .contradicted: break
        }
        if download.specification.destination == .standardOutput { usesStandardOutput = true }
    }

    /// Notes that the whole list has been read.
    mutating func finish() {
        repeats.sort { $0.line < $1.line }
    }

    /// Warnings for options without effect, for values that a later line replaces, and for lines that are left out.
    var warnings: [String] {
        let names = ignored.sorted().joined(separator: ", ")
        return (ignored.isEmpty ? [] : ["\(name): these options of aria2 have no effect here: \(names)."])
            + replacementWarnings + repeatWarnings
    }

    private var replacementWarnings: [String] {
        var warnings = replacing.map {
            "\(name), line \($0.line): \($0.option) was already given for this URL; this line is used."
        }
        let others = replacingCount - replacing.count
        if others > 0 {
            warnings.append("\(name): \(others) more options were already given; the later lines are used.")
        }
        return warnings
    }

    /// A line that is used instead of others, and whether it comes after them.
    private struct Kept: Hashable {
        var line: UInt32
        var isLater: Bool
    }

    /// Maximum warnings about repeated lines, and maximum lines that one of them names.
    private static let mostRepeats = 5

    private var repeatWarnings: [String] {
        let groups = Dictionary(grouping: repeats) { Kept(line: $0.kept, isLater: $0.line < $0.kept) }
            .sorted { $0.value[0].line < $1.value[0].line }
        var warnings = groups.prefix(Self.mostRepeats).map { kept, repeats in
            let reason =
                kept.isLater
                ? "line \(kept.line) has another URL of the same file" : "the same as line \(kept.line)"
            return "\(name), \(Self.named(repeats.map { $0.line })): \(reason); skipped."
        }
        let others = groups.dropFirst(Self.mostRepeats).reduce(0) { $0 + $1.value.count }
        if others > 0 { warnings.append("\(name): \(others) more lines repeat others; skipped.") }
        return warnings
    }

    /// "line 2", "lines 2 and 3", or "lines 2, 3, 4, 5, 6 and 12 more".
    private static func named(_ lines: [UInt32]) -> String {
        guard lines.count > 1 else { return "line \(lines[0])" }
        let more = lines.count - mostRepeats
        let named = more > 0 ? lines.prefix(mostRepeats) : lines.dropLast()
        let last = more > 0 ? "\(more) more" : "\(lines[lines.count - 1])"
        return "lines \(named.map { "\($0)" }.joined(separator: ", ")) and \(last)"
    }

    /// The entries of the list, from its beginning.
    ///
    /// - Throws: ``CommandFailure`` with status 15 when it cannot be read.
    func entries() throws(CommandFailure) -> Entries {
        try stream.rewind()
        return Entries(stream)
    }

    /// Reads the list entry by entry, also after a wrong line.
    struct Entries {
        private let stream: ListStream
        private var parser = ListFile.Parser()
        private var isComplete = false
        /// Whether the list exceeds a bound, so that the rest is not read.
        private var isOver = false

        fileprivate init(_ stream: ListStream) {
            self.stream = stream
        }

        /// The next entry, or the wrong line in its place; `nil` at the end.
        ///
        /// - Throws: ``CommandFailure`` with status 15 when the list cannot be read.
        mutating func next() throws(CommandFailure) -> Result<ListFile.Entry, ListFlaw>? {
            while !isOver {
                do {
                    if let entry = try parser.next() { return .success(entry) }
                } catch {
                    isOver = error.reason.exceedsBound
                    return .failure(ListFlaw(error))
                }
                guard !isComplete else { return nil }
                let part = try stream.next()
                isComplete = part.isEmpty
                parser.take(part)
            }
            return nil
        }
    }
}
