import HTTPTypes

@testable import FerryCore

/// A course of a download: the progress that it starts from, the files on disk and the answers of the server.
enum DownloadScenario: CaseIterable {
    /// A new file whose name the server proposes, with a digest to verify.
    case new
    /// A part file exists, and the download resumes.
    case resumed
    /// The file of another tool has the final name, and is taken over.
    case adopted
    /// A crash interrupted that after the rename.
    case adoptedBefore
    /// A part file exists, but the file on the server has changed.
    case changed
    /// A part file exists. Only the overlap shows that the file on the server has changed.
    case differing
    /// All bytes are durable, and the process crashed before the rename.
    case renaming
    /// The file is renamed, and the process crashed before the row was updated.
    case renamed
    /// The destination is a stream.
    case stream
    /// The name is taken, so the file gets a numbered name.
    case numbered

    static let length: Int64 = 1000
    static let identity = FileIdentity(device: 1, inode: 2)
    static let boot = BootID(rawValue: "b")

    /// A replay of this scenario, at its beginning.
    func replay() throws -> DownloadReplay {
        var options = DownloadOptions()
        if self == .new || self == .stream {
            options.checksum = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 7, count: 32))
        }
        if self == .numbered { options.existingFile = .autoRename }
        let destination: Destination =
            switch self {
            case .stream: .standardOutput
            case .new: .file(directory: "/d", name: nil)
            default: .file(directory: "/d", name: .fallback)
            }
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: destination,
            options: options
        )
        return DownloadReplay(
            scenario: self,
            machine: DownloadMachine(specification, from: progress, boot: Self.boot, at: .epoch)
        )
    }

    /// The number of answers that the download waits for.
    func moments() throws -> Int {
        var replay = try replay()
        replay.run()
        return replay.answered
    }

    private var progress: DownloadProgress {
        var progress = DownloadProgress()
        let received: Int64? =
            switch self {
            case .resumed, .changed, .differing, .adopted, .adoptedBefore: 400
            case .renaming, .renamed: Self.length
            case .new, .stream, .numbered: nil
            }
        guard let received else { return progress }
        progress.segments = SegmentMap(length: Self.length)
        progress.segments.advance(0, writtenTo: received)
        progress.segments.confirm(durable: progress.segments)
        progress.name = .fallback
        progress.part = PartFileClaim(
            name: FileName.fallback.partName,
            identity: Self.identity,
            boot: Self.boot
        )
        if self == .adopted || self == .adoptedBefore {
            progress.segments = SegmentMap(having: [0..<400], length: nil)
            progress.part?.adoption = PendingAdoption()
            return progress
        }
        progress.validator = Validator(
            [.eTag: self == .differing ? "W/\"v1\"" : "\"v1\""],
            receivedAt: .epoch
        )
        if self == .renaming || self == .renamed { progress.phase = .publishing }
        return progress
    }

    /// What the survey with this number finds on disk.
    func survey(_ number: Int) -> FileSurvey {
        let mine = FileSurvey.Entry(identity: Self.identity, length: Self.length, kind: .file)
        let foreign = FileSurvey.Entry(
            identity: FileIdentity(device: 1, inode: 9),
            length: 5,
            kind: .file
        )
        return switch self {
        case .new, .stream: FileSurvey(final: nil, part: nil)
        case .numbered: FileSurvey(final: number < 3 ? foreign : nil, part: nil)
        case .resumed, .changed, .differing, .renaming, .adoptedBefore: FileSurvey(final: nil, part: mine)
        case .adopted: number == 1 ? FileSurvey(final: mine, part: nil) : FileSurvey(final: nil, part: mine)
        case .renamed: FileSurvey(final: mine, part: nil)
        }
    }

    /// The answer to a request.
    func answer(to request: RangeRequest) -> ResponseFacts {
        var headers: HTTPFields = [.contentDisposition: "attachment; filename=proposed.bin"]
        headers[.eTag] =
            switch self {
            case .changed: "\"v2\""
            case .differing: "W/\"v1\""
            default: "\"v1\""
            }
        let isPart = request.condition != .none && self != .changed
        if isPart { headers[.contentRange] = "bytes \(request.from)-\(Self.length - 1)/\(Self.length)" }
        let head = ResponseHead(
            status: isPart ? 206 : 200,
            headers: headers,
            bodyLength: isPart ? Self.length - request.from : Self.length
        )
        return ResponseFacts(head, at: .epoch)
    }
}

extension DownloadMachine {
    /// The machine of a download that has not begun.
    static func made(
        from progress: DownloadProgress = DownloadProgress(),
        to destination: Destination = .file(directory: "/d", name: .fallback),
        _ change: (inout DownloadOptions) throws -> Void = { _ in }
    ) throws -> DownloadMachine {
        var options = DownloadOptions()
        try change(&options)
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: destination,
            options: options
        )
        return DownloadMachine(specification, from: progress, boot: DownloadScenario.boot, at: .epoch)
    }

    /// The machine of a download that has begun.
    static func begun(
        from progress: DownloadProgress = DownloadProgress(),
        to destination: Destination = .file(directory: "/d", name: .fallback),
        _ change: (inout DownloadOptions) throws -> Void = { _ in }
    ) throws -> DownloadMachine {
        var machine = try made(from: progress, to: destination, change)
        _ = machine.handle(.begin, at: .epoch)
        return machine
    }
}
