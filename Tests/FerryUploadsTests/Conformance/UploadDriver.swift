import FerryCore
import HTTPTypes

@testable import FerryUploads

/// Uploads a file to a model server by a protocol, one request after the other.
struct UploadDriver {
    /// What goes wrong, and with which exchange.
    enum Fault: Hashable {
        /// The server acts, and its final answer is lost.
        case lost(Int)
        /// The request does not arrive.
        case dropped(Int)
        /// The connection breaks in the middle of the body.
        case cut(Int)
        /// The server is overloaded.
        case busy(Int)
        /// The server forgets all uploads before.
        case forgotten(Int)
        /// The server has lost bytes before.
        case shrunk(Int)
    }

    enum Outcome: Hashable {
        case done(UploadResult)
        case failed(Problem)
        case notSpoken
        /// It does not come to an end.
        case endless
    }

    let uploads: any UploadProtocol
    var server: any ModelServer
    let file: [UInt8]
    let partSize: Int64
    var faults: Set<Fault> = []
    var record: UploadRecord
    /// The steps that were taken.
    private(set) var steps: [UploadStep] = []
    private var mustAsk = false
    private var mustLook = false
    private var wasGone = false

    init(
        _ uploads: any UploadProtocol,
        to server: any ModelServer,
        _ file: [UInt8],
        at url: HTTPURL,
        partSize: Int64
    ) {
        (self.uploads, self.server, self.file, self.partSize) = (uploads, server, file, partSize)
        record = UploadRecord(url: url, length: Int64(file.count), fileName: "a.bin")
    }

    /// Uploads the file.
    ///
    /// - Parameter limit: after how many exchanges to stop, as if the process ended.
    mutating func run(upTo limit: Int = 100) throws(TransferFailure) -> Outcome {
        while steps.count < limit {
            if let outcome = try takeStep(nextStep()) { return outcome }
        }
        return .endless
    }

    /// Goes on from what is recorded, as another process would.
    mutating func resume() throws(TransferFailure) -> Outcome {
        (mustAsk, mustLook) = (record.handle != nil, false)
        return try run()
    }

    private mutating func takeStep(_ step: UploadStep) throws(TransferFailure) -> Outcome? {
        let (readings, isLost) = try exchange(step)
        for reading in readings {
            if let outcome = take(reading, of: step) { return outcome }
        }
        if isLost { try lose(step) }
        return nil
    }

    /// Removes what the server has.
    mutating func abort() throws(TransferFailure) -> Bool { try exchange(.abort).readings.last == .removed }

    // MARK: Steps

    private func nextStep() -> UploadStep {
        let rules = uploads.rules
        if uploads.discovers, record.offer == nil { return .discover }
        if record.handle == nil {
            return rules.longestWhole > 0 && record.length <= rules.longestWhole ? .sendWhole : .create
        }
        if mustAsk { return .ask(after: nil) }
        guard rules.areIndependent else {
            if record.offset == record.length { return .complete }
            return .append(part(1, from: record.offset))
        }
        let count = max(1, Int((record.length + partSize - 1) / partSize))
        let missing = (1...count).first { number in !record.parts.contains { $0.number == number } }
        guard let missing else { return mustLook ? .look : .complete }
        return .append(part(missing, from: Int64(missing - 1) * partSize))
    }

    private func part(_ number: Int, from start: Int64) -> UploadPart {
        let end = min(start + partSize, record.length)
        let algorithm = uploads.partChecksum(of: record)
        let checksum = algorithm.map { ModelChecksum.of(file[Int(start)..<Int(end)], by: $0) }
        return UploadPart(
            number: number,
            range: start..<end,
            isLast: end == record.length,
            checksum: checksum
        )
    }

    /// Sends the request of a step, and reads the answers that arrive.
    private mutating func exchange(
        _ step: UploadStep
    ) throws(TransferFailure) -> (readings: [UploadReading], isLost: Bool) {
        let request = try uploads.request(for: step, of: record)
        let number = steps.count
        steps.append(step)
        var body: [UInt8] =
            switch request.body {
            case .bytes(let bytes): bytes
            case .file(let range): Array(file[Int(range.lowerBound)..<Int(range.upperBound)])
            }
        if faults.contains(.forgotten(number)) { server.forget() }
        if faults.contains(.shrunk(number)) { server.shrink() }
        if faults.contains(.dropped(number)) { return ([], true) }
        let isCut = faults.contains(.cut(number))
        if isCut { body = Array(body.prefix(body.count / 2)) }
        var answers: [UploadAnswer]
        if faults.contains(.busy(number)) {
            answers = [request.answer(503)]
        } else {
            answers = server.answers(request, body, isCut: isCut)
        }
        let isLost = isCut || faults.contains(.lost(number))
        if isLost { answers.removeLast() }
        var readings: [UploadReading] = []
        for answer in answers {
            let reading = uploads.reading(answer, to: step, of: record)
            // What an interim answer says counts for the next one.
            if case .created(let handle, let offset) = reading {
                (record.handle, record.offset) = (handle, offset)
            }
            readings.append(reading)
        }
        return (readings, isLost)
    }

    /// Decides what a lost answer leaves to do: a request that may arrive twice is simply sent again.
    private mutating func lose(_ step: UploadStep) throws(TransferFailure) {
        if step == .complete, uploads.rules.areIndependent {
            mustLook = true
        } else if record.handle != nil {
            let isRepeatable = try uploads.request(for: step, of: record).isRepeatable
            if step == .create || !isRepeatable { mustAsk = true }
        }
    }

    // MARK: Answers

    private mutating func take(_ reading: UploadReading, of step: UploadStep) -> Outcome? {
        switch reading {
        case .offers(let offer): record.offer = offer
        case .created(let handle, let offset):
            (record.handle, record.offset, record.parts, mustAsk) = (handle, offset, [], false)
        case .reached(let offset, _): (record.offset, mustAsk) = (offset, false)
        case .lists(let parts, let next): return list(parts, next)
        case .took(let part): record.parts.append(part)
        case .done(let result): return .done(result)
        case .resembles(let result, let checksum):
            if ModelChecksum.of(file, by: checksum.algorithm) == checksum { return .done(result) }
            mustLook = false
        case .absent where wasGone, .gone where step != .complete || !uploads.rules.areIndependent:
            startOver()
        case .absent: mustLook = false
        // An earlier request may have made the object.
        case .gone: (mustLook, wasGone) = (true, true)
        case .misplaced: mustAsk = true
        case .damaged: break
        case .notSpoken: return .notSpoken
        case .removed: break
        case .failed(let problem):
            guard case .transient = problem.disposition else { return .failed(problem) }
            if step == .complete, uploads.rules.areIndependent {
                mustLook = true
            } else {
                mustAsk = record.handle != nil
            }
        }
        return nil
    }

    private mutating func startOver() {
        (record.handle, record.offset, record.parts) = (nil, 0, [])
        (mustAsk, mustLook, wasGone) = (false, false, false)
    }

    /// Takes a page of parts, and asks for the next one.
    private mutating func list(_ parts: [SentPart], _ next: String?) -> Outcome? {
        if steps.last == .ask(after: nil) { record.parts = [] }
        record.parts += parts
        mustAsk = false
        guard let next else { return nil }
        do throws(TransferFailure) {
            let (readings, isLost) = try exchange(.ask(after: next))
            if isLost { mustAsk = true }
            for reading in readings {
                if let outcome = take(reading, of: .ask(after: next)) { return outcome }
            }
            return nil
        } catch {
            return .failed(Problem(error, .permanent))
        }
    }
}
