import Ferry

/// Finds downloads that are the same or have the same name. It keeps digests only, because a list may have a million lines.
///
/// The digests are keyed by a number that is random in each process, so no list can be made to collide. By chance, one
/// in 37 million lists of a million lines is refused although it has no repetition. A line is left out only if a second
/// digest, which also covers all its options, is the same as well.
struct DownloadCensus {
    /// What is kept of a download.
    private struct Known {
        /// A part of the digest of its URL without a signature, of all its options, and of whether it is paused.
        var work: UInt32
        /// A part of the digest of its URL.
        var url: UInt32
        /// Its line in the list; 0 if it is not from the list.
        var line: UInt32
    }

    /// What a line of the list means, compared with the lines before it.
    enum Finding: Hashable {
        /// A new download.
        case new
        /// The same download as on that line, with the same options.
        case repeated(line: Int)
        /// The same download as on that line, with the same options and another URL, such as one under a fresh signature.
        case renewed(line: Int)
        /// The same download as on that line, with other options.
        case contradicted(line: Int)
    }

    private var known: [UInt64: Known] = [:]
    private var names: Set<UInt64> = []
    /// What happens to a taken name.
    private let existingFile: ExistingFilePolicy
    /// Whether a taken name gets a number.
    private var mayShareNames: Bool { existingFile == .autoRename }
    /// The first name that two URLs end in, and how many do.
    private var shared: (name: FileName, count: Int)?
    /// The downloads whose names only their URLs tell so far. Of very many, only the first are compared.
    private var unnamed: Set<UInt64> = []
    private static let mostUnnamed = 10_000
    /// The latest download of the list, and the digest of its options.
    private var latest: (specification: DownloadSpecification, options: Int)?
    /// The first error that involves more than the list, or a name.
    private(set) var conflict: CommandFailure?

    /// - Parameter existingFile: what happens to a taken name.
    init(_ existingFile: ExistingFilePolicy) {
        self.existingFile = existingFile
    }

    /// Notes a download that is not from the list.
    mutating func take(_ download: PlannedDownload) {
        if known.updateValue(Known(work: 0, url: 0, line: 0), forKey: Self.identity(of: download)) != nil {
            noteTwin(of: download)
        }
        takeName(of: download)
    }

    /// Notes a download of the list.
    mutating func take(_ download: PlannedDownload, fromLine line: Int) -> Finding {
        let own = Known(
            work: work(of: download),
            url: UInt32(truncatingIfNeeded: download.specification.url.hashValue),
            line: UInt32(line)
        )
        let identity = Self.identity(of: download)
        if let former = known[identity], former.line > 0 {
            let line = Int(former.line)
            if former.work != own.work { return .contradicted(line: line) }
            if former.url == own.url { return .repeated(line: line) }
            known[identity] = own
            return .renewed(line: line)
        }
        if known.updateValue(own, forKey: identity) != nil { noteTwin(of: download) }
        takeName(of: download)
        return .new
    }

    private mutating func noteTwin(of download: PlannedDownload) {
        let url = download.specification.url.redacted
        conflict = conflict ?? .usage("Duplicate URL with the same destination: \(url).")
    }

    /// What to say if several downloads get the same name, unless the server gives them others.
    var nameNote: String? {
        shared.map { name, count in
            let end =
                switch existingFile {
                case .noClobber: "only one of them is saved, and the others are skipped"
                case .fail, .overwrite, .autoRename: "only one of them is saved"
                }
            return "\(count) URLs have the file name \(TerminalText.safe(name.rawValue)). "
                + "Unless the server gives other names, \(end). Use --auto-rename to number the others."
        }
    }

    private mutating func noteName(of download: DownloadSpecification, in directory: String) {
        let isCounted = unnamed.count < Self.mostUnnamed
        guard isCounted || !names.isEmpty else { return }
        let name = FileName.fromURL(download.url)
        let destination = Self.digest(of: .file(directory: directory, name: name))
        if names.contains(destination) { noteClash(of: download, over: name) }
        guard isCounted, !unnamed.insert(destination).inserted else { return }
        if let (first, count) = shared {
            if first == name { shared = (first, count + 1) }
        } else {
            shared = (name, 2)
        }
    }

    private mutating func takeName(of download: PlannedDownload) {
        let destination = download.specification.destination
        if !mayShareNames, case .file(let directory, nil) = destination {
            return noteName(of: download.specification, in: directory)
        }
        guard !mayShareNames, case .file(_, .some(let name)) = destination else { return }
        let digest = Self.digest(of: destination)
        if unnamed.contains(digest) { noteClash(of: download.specification, over: name) }
        guard !names.insert(digest).inserted else { return }
        conflict =
            conflict
            ?? .usage(
                "Two downloads would be saved as \(name.rawValue).",
                hint: "Give each its own name."
            )
    }

    /// Notes that the name of one download is that in the URL of another.
    private mutating func noteClash(of download: DownloadSpecification, over name: FileName) {
        guard [.fail, .overwrite].contains(download.options.existingFile) else { return }
        conflict =
            conflict
            ?? .usage(
                "Two downloads would be saved as \(TerminalText.safe(name.rawValue)): "
                    + "one has this name, and the URL of the other ends in it.",
                hint: "Give each its own name, or use --auto-rename to number the others."
            )
    }

    private static func digest(of destination: Destination) -> UInt64 {
        UInt64(bitPattern: Int64(destination.hashValue))
    }

    private static func identity(of download: PlannedDownload) -> UInt64 {
        var hasher = Hasher()
        download.specification.hashIdentity(into: &hasher)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// A part of the digest of a download's URL without a signature, and of all its options. Everything else is the
    /// same for all lines.
    private mutating func work(of download: PlannedDownload) -> UInt32 {
        let specification = download.specification
        var options = latest?.options ?? 0
        // Most lines share their options.
        if latest?.specification.sharesOptions(with: specification) != true {
            options = specification.options.hashValue
        }
        latest = (specification, options)
        var hasher = Hasher()
        hasher.combine(options)
        hasher.combine(download.isPaused)
        specification.hashIdentity(into: &hasher)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}
