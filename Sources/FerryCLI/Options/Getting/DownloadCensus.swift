import Ferry

/// Which downloads a plan has, as digests: a list may have a million.
///
/// The digests are keyed by this process, so no one can prepare two lines with the same one. By chance, one list of a million
/// lines in 37 million is refused for a repetition that it does not have. A line is left out only if a second digest, of all
/// that is asked for, is the same as well.
struct DownloadCensus {
    /// What is remembered of a download.
    private struct Known {
        /// A part of the digest of all that is asked for.
        var whole: UInt32
        /// Its line in the list; 0 when it is not from there.
        var line: UInt32
    }

    /// How a download of a list stands to those before it in the list.
    enum Finding: Hashable {
        /// No other one is the same.
        case new
        /// The one of this line asks for the same.
        case repeated(line: Int)
        /// The one of this line is the same download with other options.
        case contradicted(line: Int)
    }

    private var known: [UInt64: Known] = [:]
    private var names: Set<UInt64> = []
    private let mayShareNames: Bool
    /// The first contradiction between downloads from different places, or between two names.
    private(set) var conflict: CommandFailure?

    /// - Parameter mayShareNames: whether names that are taken get numbers.
    init(mayShareNames: Bool) {
        self.mayShareNames = mayShareNames
    }

    /// Counts a download that is not from the list.
    mutating func take(_ download: PlannedDownload) {
        if known.updateValue(Known(whole: 0, line: 0), forKey: Self.identity(of: download)) != nil {
            noteTwin(of: download)
        }
        takeName(of: download)
    }

    /// Counts a download of the list.
    mutating func take(_ download: PlannedDownload, fromLine line: Int) -> Finding {
        let own = Known(whole: UInt32(truncatingIfNeeded: download.hashValue), line: UInt32(line))
        let identity = Self.identity(of: download)
        if let former = known[identity], former.line > 0 {
            let line = Int(former.line)
            return former.whole == own.whole ? .repeated(line: line) : .contradicted(line: line)
        }
        if known.updateValue(own, forKey: identity) != nil { noteTwin(of: download) }
        takeName(of: download)
        return .new
    }

    private mutating func noteTwin(of download: PlannedDownload) {
        let url = download.specification.url.redacted
        conflict = conflict ?? .usage("\(url) is there twice, with the same destination.")
    }

    private mutating func takeName(of download: PlannedDownload) {
        let destination = download.specification.destination
        guard !mayShareNames, case .file(_, .some(let name)) = destination else { return }
        guard !names.insert(Self.digest(of: destination)).inserted else { return }
        conflict =
            conflict
            ?? .usage(
                "Two downloads would be saved as \(name.rawValue).",
                hint: "Give each its own name."
            )
    }

    private static func identity(of download: PlannedDownload) -> UInt64 {
        digest(of: download.specification.identity)
    }

    private static func digest(of value: some Hashable) -> UInt64 {
        UInt64(bitPattern: Int64(value.hashValue))
    }
}
