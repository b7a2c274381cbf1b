import FerryCore
import HTTPTypes

@testable import FerryUploads

/// Uploads a file to a model server by the machine, as its runner does, one event after the other.
struct MachineDriver {
    /// The end of an attempt, and what is recorded then.
    enum End {
        case outcome(AttemptOutcome)
        case killed
    }

    /// A protocol whose parts may be as short as the files of these tests.
    private struct ShortParts: UploadProtocol {
        let base: any UploadProtocol

        var rules: UploadPartRules {
            var rules = base.rules
            if rules.areIndependent { rules.shortest = 1 }
            return rules
        }

        var discovers: Bool { base.discovers }

        func partChecksum(of upload: UploadRecord) -> Checksum.Algorithm? { base.partChecksum(of: upload) }

        func expectedObject(of upload: UploadRecord) -> ExpectedObject? { base.expectedObject(of: upload) }

        func request(
            for step: UploadStep,
            of upload: UploadRecord
        ) throws(TransferFailure) -> UploadRequest {
            try base.request(for: step, of: upload)
        }

        func reading(
            _ answer: UploadAnswer,
            to step: UploadStep,
            of upload: UploadRecord,
            at now: Instant
        ) -> UploadReading {
            base.reading(answer, to: step, of: upload, at: now)
        }
    }

    private let uploads: any UploadProtocol
    var server: any ModelServer
    /// The versions of the file; the next one is there after each look at it.
    var versions: [[UInt8]]
    var work: UploadWork
    var faults: Set<UploadDriver.Fault> = []
    /// The process is killed when this exchange was sent, or this record was written, counted over all attempts.
    var killedAtExchange: Int?
    var killedAtRecord: Int?
    /// The caller wants the attempt to end when this exchange was sent.
    var order: (exchange: Int, StopOrder)?
    private(set) var exchanges = 0
    private(set) var records = 0
    private var looks = 0

    init(
        _ uploads: any UploadProtocol,
        to server: any ModelServer,
        _ versions: [[UInt8]],
        partSize: Int
    ) throws {
        self.uploads = ShortParts(base: uploads)
        (self.server, self.versions) = (server, versions)
        let url = try HTTPURL(parsing: "https://up.example/files/k")
        var upload = UploadSpecification(Self.pinned(versions[0], 0), to: url, by: .tus)
        upload.partSize = Int64(partSize)
        upload.connections = 2
        work = UploadWork(upload)
    }

    private static func pinned(_ bytes: [UInt8], _ version: Int) -> PinnedFile {
        let entry = FileSurvey.Entry(
            identity: FileIdentity(device: 1, inode: 1),
            length: Int64(bytes.count),
            kind: .file,
            modified: Int64(version)
        )
        return PinnedFile(path: "/a.bin", entry)
    }

    private var version: Int { min(looks, versions.count) - 1 }

    /// Runs attempts until one ends for good. Each goes on from what was recorded.
    mutating func run() -> AttemptOutcome {
        for _ in 0..<20 {
            switch attempt() {
            case .killed, .outcome(.released): continue
            case .outcome(.failed(let problem)):
                if case .permanent = problem.disposition { return .failed(problem) }
            case .outcome(let outcome): return outcome
            }
        }
        return .failed(.permanent(.internalFault, "endless"))
    }

    mutating func attempt() -> End {
        var machine = UploadMachine(work, by: uploads)
        var events: [UploadMachine.Event] = [.begin]
        while !events.isEmpty {
            for action in machine.handle(events.removeFirst(), at: Instant(seconds: 1_700_000_000)) {
                switch action {
                case .survey:
                    looks += 1
                    events.append(.surveyed(Self.pinned(versions[version], version)))
                case .record(let progress):
                    work.progress = progress
                    records += 1
                    if records == killedAtRecord { return .killed }
                    events.append(.recorded)
                case .note(let progress): work.progress = progress
                case .digest(let id, _, let range, let algorithm):
                    let bytes = versions[version][Int(range.lowerBound)..<Int(range.upperBound)]
                    events.append(.digested(id, ModelChecksum.of(bytes, by: algorithm)))
                case .send(let id, let request, _):
                    let number = exchanges
                    events += exchange(id, request)
                    if number == killedAtExchange { return .killed }
                    if let order, number == order.exchange { events.insert(.ask(order.1), at: 0) }
                case .cut: break
                case .finish(let outcome, let progress):
                    work.progress = progress
                    return .outcome(outcome)
                }
            }
        }
        return .outcome(.failed(.permanent(.internalFault, "stuck")))
    }

    private mutating func exchange(_ id: UploadMachine.ID, _ request: UploadRequest) -> [UploadMachine.Event]
    {
        let number = exchanges
        exchanges += 1
        var body: [UInt8] =
            switch request.body {
            case .bytes(let bytes): bytes
            case .file(let range): Array(versions[version][Int(range.lowerBound)..<Int(range.upperBound)])
            }
        if faults.contains(.forgotten(number)) { server.forget() }
        if faults.contains(.shrunk(number)) { server.shrink() }
        let lost = Problem.transient(.connectionLost, "The connection was lost.")
        if faults.contains(.dropped(number)) { return [.failed(id, lost, hasLeft: true)] }
        let isCut = faults.contains(.cut(number))
        if isCut { body = Array(body.prefix(body.count / 2)) }
        var answers =
            faults.contains(.busy(number))
            ? [request.answer(503)] : server.answers(request, body, isCut: isCut)
        let isLost = isCut || faults.contains(.lost(number))
        let last = answers.removeLast()
        return answers.map { .interim(id, $0) }
            + [isLost ? .failed(id, lost, hasLeft: true) : .answered(id, last)]
    }
}
