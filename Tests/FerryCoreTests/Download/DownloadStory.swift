import HTTPTypes

@testable import FerryCore

/// A way that a download can go, from what is known at the beginning to how the world answers.
enum DownloadStory: CaseIterable {
    /// A new file whose name the server proposes, with a digest to verify.
    case new
    /// A part of it is there and goes on.
    case resumed
    /// A part of it is there, and the file has changed.
    case changed
    /// A part of it is there, and only an overlap tells that the file has changed.
    case differing
    /// All of it is there and durable; a crash came before the rename.
    case renaming
    /// The rename was done; a crash came before the row.
    case renamed
    /// It goes to a stream.
    case stream
    /// The name is taken, and a numbered one is to be found.
    case numbered

    static let length: Int64 = 1000
    static let identity = FileIdentity(device: 1, inode: 2)
    static let boot = BootID(rawValue: "b")

    /// The story, ready to be told from the beginning.
    func telling() throws -> DownloadTelling {
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
        return DownloadTelling(
            story: self,
            machine: DownloadMachine(specification, from: checkpoint, boot: Self.boot, at: .epoch)
        )
    }

    /// How many answers the download waits for on its way.
    func moments() throws -> Int {
        var telling = try telling()
        telling.run()
        return telling.answered
    }

    private var checkpoint: Checkpoint {
        var checkpoint = Checkpoint()
        let received: Int64? =
            switch self {
            case .resumed, .changed, .differing: 400
            case .renaming, .renamed: Self.length
            case .new, .stream, .numbered: nil
            }
        guard let received else { return checkpoint }
        checkpoint.segments = SegmentMap(length: Self.length)
        checkpoint.segments.advance(0, writtenTo: received)
        checkpoint.segments.confirm(durable: checkpoint.segments)
        checkpoint.name = .fallback
        checkpoint.part = PartFileClaim(
            name: FileName.fallback.partName,
            identity: Self.identity,
            boot: Self.boot
        )
        checkpoint.validator = Validator(
            [.eTag: self == .differing ? "W/\"v1\"" : "\"v1\""],
            receivedAt: .epoch
        )
        if self == .renaming || self == .renamed { checkpoint.phase = .publishing }
        return checkpoint
    }

    /// What is on disk at the beginning, by the number of the look.
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
        case .resumed, .changed, .differing, .renaming: FileSurvey(final: nil, part: mine)
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
