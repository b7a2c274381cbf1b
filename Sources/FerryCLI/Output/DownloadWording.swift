import Ferry
import FerryFrontend

/// What the tool says of a download.
struct DownloadWording: WorkWording {
    let transfer: Transfer
    let work: DownloadWork

    var name: String {
        // Files in several directories may have the same name.
        let folders = work.specification.place(knowing: work.progress)?.folders ?? []
        return TerminalText.safe((folders + [fileName]).joined(separator: "/"))
    }

    /// The name of the file, as far as it is known, or of the stream.
    private var fileName: String {
        // The file of a pool has a digest for a name.
        guard work.specification.options.cache == nil else {
            return FileName.fromURL(work.specification.url).rawValue
        }
        return switch work.specification.destination {
        case .file(_, let given): (work.progress.name ?? given ?? .fromURL(work.specification.url)).rawValue
        case .stream("-"): FileName.fromURL(work.specification.url).rawValue
        case .stream(let path): path
        }
    }

    var destination: String {
        switch work.specification.destination {
        case .file(let directory, _):
            TerminalText.safe(transfer.finalPath ?? "\(directory)/ (name not known yet)")
        case .stream("-"): "standard output"
        case .stream(let path): TerminalText.safe(path)
        }
    }

    var path: String? {
        guard work.specification.options.cache == nil,
            case .file(let directory, _) = work.specification.destination
        else { return nil }
        return transfer.finalPath ?? "\(directory == "/" ? "" : directory)/\(fileName)"
    }

    var urlLabel: String { "From" }
    var notesResumption: Bool { true }
    var wholeNames: [String] { [name, destination] }

    var beginning: String {
        let url = TerminalText.safe(work.specification.url.redacted)
        // Most such files are up to date.
        return transfer.asksForAnotherVersion
            ? "Checking \(name) against \(url)" : "Downloading \(name) from \(url)"
    }

    var continuation: String {
        transfer.startsOver ? "starts over, because the server compressed the file" : "resumes"
    }

    var verb: String { "fetches" }

    var repetition: String {
        // Overwriting would replace the file that took the name first.
        work.mayBeNumbered
            ? "`ferry remove \(transfer.id)`, then the same command," : "`ferry get --overwrite`"
    }

    var isResumedByRepeating: Bool { true }

    var residue: String? { "the part file" }

    /// Only a kept part file counts bytes.
    var remnant: (clause: String, hint: String?)? {
        guard transfer.recordedProgress.received > 0 else { return nil }
        return (
            "its part file was kept",
            transfer.hasResumablePart
                ? "Its part file is kept. `ferry get` with its URL, to the same destination, resumes it."
                : "Its part file is kept, but no command resumes it. Move or remove it before `ferry get` with its URL, "
                    + "which starts over."
        )
    }

    var mustBeAnswered: Bool { false }

    var mediaType: String? { work.progress.mediaType?.description }

    var answeringURL: String {
        guard let source = work.progress.source else { return work.url.redacted }
        do {
            return try HTTPURL(parsing: source).redacted
        } catch {
            // A part file that was taken over has no known source.
            return work.url.redacted
        }
    }

    var isFinishing: Bool { work.progress.phase == .publishing }

    func whole(_ amount: String) -> String { "verifying \(amount)" }

    func completed(_ figures: String) -> String {
        if transfer.isUpToDate { return "Up to date: \(destination)." }
        if transfer.isSkipped { return "Skipped: \(destination)\(digest.map { " (\($0))" } ?? "")." }
        let verified = digest.map { ", \($0)" } ?? ""
        let place = transfer.isStandardOutput ? "\(name) to \(destination)" : destination
        return "Done: \(place) (\(figures)\(checked)\(verified))."
    }

    /// What was compared. Of another tool's bytes, only those at these places.
    private var checked: String {
        guard work.progress.assurance == .overlapChecked else { return "" }
        let places = work.progress.mirroring.placesOfOtherTool
        guard places > 0 else { return ", compared where its parts meet" }
        return ", compared at \(places == 1 ? "1 place" : "\(places) places")"
    }

    /// The digest with which the file was verified.
    private var digest: String? {
        work.specification.options.checksum.map { "\($0.algorithm.rawValue) verified" }
    }

    func details(
        _ progress: TransferProgress,
        _ time: (Instant) -> String
    ) -> [(label: String, text: String?)] {
        let (recorded, options) = (work.progress, work.specification.options)
        let isBegun = recorded.segments.received > 0
        return [
            ("To", destination),
            ("Received", received(progress)),
            ("Bytes", transfer.state.isFinal ? nil : RangeMap.line(recorded.segments)),
            ("Note", recorded.note?.message),
            ("ETag", recorded.validator.entityTag?.description),
            ("Last-Modified", recorded.validator.lastModified),
            ("Version check", isBegun ? Self.validator(recorded.validator.strength) : nil),
            ("Assurance", isBegun ? Self.assurance(recorded.assurance) : nil),
            ("Checksum", options.checksum?.text),
            ("Range", options.range.map { "bytes \($0)" }),
            ("Length", options.length.map { "\(ByteCount($0).detailed) required" }),
            ("Maximum", options.maximumLength.map { ByteCount($0).detailed }),
            ("File time", options.keepsServerTime ? "the server's" : nil),
            ("Retry on", retriedStatuses),
            ("Pieces", options.pieces.map(Self.pieces)),
        ]
    }

    private var retriedStatuses: String? {
        let statuses = work.specification.options.retriedStatuses
        return statuses.isEmpty ? nil : StatusList(statuses).description
    }

    private func received(_ progress: TransferProgress) -> String {
        let durable = work.progress.segments.durableBytes
        let safe = durable < progress.received && !transfer.state.isFinal
        return progress.shareText
            + (safe ? "; \(ByteCount(durable).formatted) safe against power loss" : "")
    }

    private static func pieces(_ pieces: PieceDigests) -> String {
        let length = ByteCount(pieces.length).formatted
        return "\(pieces.checksums.count) of \(length), each with a \(pieces.algorithm.rawValue) digest"
    }

    private static func validator(_ strength: Validator.Strength) -> String {
        switch strength {
        case .strongETag: "exact, by ETag"
        case .strongDate: "exact, by modification date"
        case .weak: "not exact, so bytes are compared too"
        case .none: "no ETag or date, so bytes are compared"
        }
    }

    private static func assurance(_ assurance: Assurance) -> String {
        switch assurance {
        case .single: "one version, received in one response"
        case .proved: "one version, by ETag, date or digest"
        case .overlapChecked: "bytes compared where its parts meet"
        }
    }
}
