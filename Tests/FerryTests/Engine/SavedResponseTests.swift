import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@testable import Ferry

/// Responses that are saved in files.
@Suite("Saved responses", .timeLimit(.minutes(10)))
struct SavedResponseTests {
    private let bench: Bench
    private let name: FileName

    init() throws {
        bench = try Bench()
        name = try FileName(userGiven: "file.bin")
    }

    private func request(
        _ method: HTTPRequest.Method = .get,
        replaces: Bool = false
    ) throws -> RequestSpecification {
        var request = try RequestSpecification(method: method, url: bench.url)
        request.responseFile = ResponseFile(directory: "/d", name: name, replacesExisting: replaces)
        request.responseLimit = 10
        return request
    }

    private func response(to request: RequestSpecification) async throws -> StoredResponse {
        let engine = bench.engine()
        let handle = try await engine.send(request)
        return try await bench.running(engine) { try await handle.response() }
    }

    @Test("whole, whatever the limit on stored ones, and after a lost connection from the start")
    func aResponseIsSavedWholeOrNotAtAll() async throws {
        bench.transport.order(.breakAfter(700), at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.send(try request())
        let clock = bench.clock
        let response = try await bench.running(engine) {
            async let response = handle.response()
            _ = await handle.reaches(.waiting)
            clock.advance(by: .seconds(60))
            return try await response
        }
        #expect(response.savedLength == 10_000 && response.body.isEmpty && !response.isTruncated)
        #expect(try bench.published == bench.bytes && bench.transport.requests.count == 2)
    }

    @Test("a refusal is stored, and saved in no file")
    func refusal() async throws {
        bench.transport.order(.answer(status: 404, [:]), at: bench.url)
        await #expect(throws: TransferFailure.self) { try await response(to: request()) }
        #expect(try bench.published == nil)
    }

    @Test("an existing file is replaced only if that was requested, and otherwise nothing is sent")
    func existing() async throws {
        _ = try await response(to: request())
        let refused = await #expect(throws: TransferFailure.self) { try await response(to: request(.post)) }
        #expect(refused?.code == .destinationExists && bench.transport.requests.count == 1)
        bench.transport.set(ScriptedResource([1, 2]), at: bench.url)
        _ = try await response(to: request(replaces: true))
        #expect(try bench.published == [1, 2])
    }

    @Test("what an attempt left whose process died is removed, and another program's part file is not")
    func leftParts() async throws {
        let uuid = try #require(TransferUUID("0190163d-8694-739b-aea5-966c26f8ad91"))
        let (left, foreign) = (try FileName(userGiven: "\(uuid)").partName, name.partName)
        for name in [left, foreign] { _ = bench.files.put(.file, [7], as: name, in: "/d") }
        let engine = bench.engine()
        let handle = try await engine.start(NewTransfer(request(), uuid: uuid))
        let response = try await bench.running(engine) { try await handle.response() }
        #expect(response.savedLength == 10_000)
        #expect(try bench.published == bench.bytes)
        #expect(bench.files.contents(of: left, in: "/d") == nil)
        #expect(bench.files.contents(of: foreign, in: "/d") == [7])
    }

    /// The name of its own is free when it is looked at, and taken right after that.
    @Test(
        "a process that was taken for dead and names its file late is in no one's way",
        arguments: [FileFault.Operation.createPart, .takeName]
    )
    func lateFile(refused: FileFault.Operation) async throws {
        let taken = StorageProblem(.permanent(.destinationExists, "It exists."), errno: 17)
        bench.files.inject(FileFault(refused, problem: taken))
        let response = try await response(to: request(.post))
        #expect(response.savedLength == 10_000 && bench.transport.requests.count == 1)
        #expect(try bench.published == bench.bytes)
        #expect(bench.files.names(in: "/d") == ["file.bin"])
    }

    @Test("a late file is removed, but what is no file fails the request")
    func lateEntry() async throws {
        let uuid = try #require(TransferUUID("0190163d-8694-739b-aea5-966c26f8ad91"))
        let target = ResponseFile(directory: "/d", name: name)
        let own = target.draft(of: uuid).part
        let files = bench.files
        for (kind, isSaved) in [(FileSurvey.Kind.file, true), (.directory, false)] {
            let saver = ResponseSaver(target, of: uuid, files: files, boot: BootID(rawValue: "boot-1"))
            var answer = RequestMachine.Answer(
                StoredResponse(status: 201, fields: [], body: [], isTruncated: false)
            )
            let body = LateNaming { _ = files.put(kind, [7], as: own, in: "/d") }
            try await saver.receive(body, in: &answer, keeping: 10, length: nil) { _ in .success }
            await saver.close()
            if isSaved {
                guard case .file? = answer.saving else {
                    Issue.record("\(answer)")
                    return
                }
                #expect(files.names(in: "/d").isEmpty)
            } else {
                #expect(answer.saving == .stored && answer.loss?.failure.code == .destinationExists)
                #expect(files.names(in: "/d") == [own.rawValue])
            }
        }
    }

    @Test("an answer that the rule for its type refuses is saved in no file")
    func refusedByARule() async throws {
        let engine = bench.engine(
            .everything(untilDrained: true),
            configure: { $0.responseRules["order"] = { _ in .refused } }
        )
        let handle = try await engine.start(NewTransfer(request(), type: "order"))
        try await engine.run()
        #expect(try await handle.snapshot.state.name == .failed)
        #expect(try bench.published == nil)
    }

    @Test("a directory that does not exist is noticed before anything is sent")
    func noDirectory() async throws {
        var request = try request(.post)
        request.responseFile?.directory = "/nowhere"
        let failure = await #expect(throws: TransferFailure.self) { try await response(to: request) }
        #expect(failure?.code == .cannotCreate && bench.transport.requests.isEmpty)
    }

    @Test("a directory that takes no file is noticed before anything is sent")
    func unwritableDirectory() async throws {
        bench.files.inject(
            FileFault(
                .createPart,
                problem: StorageProblem(.permanent(.cannotCreate, "The disk may only be read."), errno: 30)
            )
        )
        let failure = await #expect(throws: TransferFailure.self) { try await response(to: request(.post)) }
        #expect(failure?.code == .cannotCreate && bench.transport.requests.isEmpty)
    }

    // MARK: Crashes and full disks

    /// Runs a request in a process that dies in the state `waiting`, and then in another one.
    ///
    /// - Parameter needed: the number of bytes of free space that it waits for.
    private func responseAfterDeath(
        of request: RequestSpecification,
        needing needed: Int64? = nil
    ) async throws -> StoredResponse {
        let process = bench.machine.spawn()
        let first = bench.engine(as: process)
        let handle = try await first.send(request)
        let waiting = try await bench.running(first) { await handle.reaches(.waiting) }
        if let needed { #expect(waiting?.state == .waiting(.diskSpace(needed: needed))) }
        bench.machine.kill(process)
        bench.files.killProcess()
        bench.files.setCapacity(nil)
        let second = bench.engine(.everything(untilDrained: false))
        let again = second.transfer(handle.id)
        return try await bench.running(second) { [bench] in
            try await bench.advancing { try await again.response() }
        }
    }

    @Test("an attempt that ends keeps the file that its record may claim, for the next one, and no other")
    func endedAttempt() async throws {
        let uuid = try #require(TransferUUID("0190163d-8694-739b-aea5-966c26f8ad91"))
        let target = ResponseFile(directory: "/d", name: name, replacesExisting: false)
        func saver() -> ResponseSaver {
            ResponseSaver(target, of: uuid, files: bench.files, boot: BootID(rawValue: "boot-1"))
        }
        let unclaimed = saver()
        _ = try await unclaimed.save([1, 2])
        await unclaimed.close()
        #expect(bench.files.names(in: "/d").isEmpty)
        let claimed = saver()
        let claim = try await claimed.save([1, 2, 3])
        claimed.isClaimed = true
        await claimed.close()
        #expect(try await saver().publish(claim, length: 3))
        #expect(bench.files.names(in: "/d") == ["file.bin"])
    }

    /// How much of the naming has happened when it fails.
    @Test(
        "what was received before a crash gets its name, and is not asked for again",
        arguments: [true, false]
    )
    func interruptedPublication(wasNamed: Bool) async throws {
        bench.files.inject(FileFault(.publish, effect: wasNamed ? .half : .none))
        let response = try await responseAfterDeath(of: request(.post))
        #expect(response.savedLength == 10_000 && bench.transport.requests.count == 1)
        #expect(try bench.published == bench.bytes)
        #expect(bench.files.names(in: "/d") == ["file.bin"])
    }

    @Test("what was received before a crash gets its name, also when the disk fails at the next attempt")
    func failingDiskAfterACrash() async throws {
        bench.files.inject(FileFault(.publish))
        let process = bench.machine.spawn()
        let first = bench.engine(as: process)
        let handle = try await first.send(request(.post))
        _ = try await bench.running(first) { await handle.reaches(.waiting) }
        bench.machine.kill(process)
        bench.files.killProcess()
        bench.files.inject(FileFault(.synchronize))
        let second = bench.engine(.everything(untilDrained: false))
        let again = second.transfer(handle.id)
        let response = try await bench.running(second) { [bench] in
            try await bench.advancing { try await again.response() }
        }
        #expect(response.savedLength == 10_000 && bench.transport.requests.count == 1)
        #expect(try bench.published == bench.bytes)
    }

    @Test("a full disk loses no answer that fits into the store")
    func storedMeanwhile() async throws {
        bench.files.setCapacity(4_000)
        var request = try request(.post)
        request.responseLimit = 10_000
        let response = try await responseAfterDeath(of: request, needing: 10_000)
        #expect(response.savedLength == 10_000 && bench.transport.requests.count == 1)
        #expect(try bench.published == bench.bytes)
        #expect(bench.files.names(in: "/d") == ["file.bin"])
    }

    @Test("a longer one is asked for again when there is space, if the request may be repeated")
    func askedForAgain() async throws {
        bench.files.setCapacity(4_000)
        let response = try await responseAfterDeath(of: request(), needing: 10_000)
        #expect(response.savedLength == 10_000 && bench.transport.requests.count == 2)
        #expect(try bench.published == bench.bytes)
    }

    @Test("otherwise the failure says that the request took effect, and the beginning is kept")
    func beginningIsKept() async throws {
        bench.files.setCapacity(4_000)
        let engine = bench.engine()
        let handle = try await engine.send(try request(.post))
        try await engine.run()
        let failed = try await handle.snapshot
        guard case .failed(let failure) = failed.state else {
            Issue.record("\(failed.state)")
            return
        }
        #expect(failure.code == .responseLost && failure.cause == .diskFull)
        #expect(
            failed.response?.body == Array(bench.bytes.prefix(10)) && failed.response?.isTruncated == true
        )
        #expect(bench.files.names(in: "/d").isEmpty)
        await #expect(throws: StoreError.self) { try await engine.resume(handle.id) }
        #expect(try await engine.resolve(handle.id, as: .arrived).state == .completed)
    }

    @Test("a whole answer to a request that was lost in part is no success", arguments: [10, 10_000])
    func answerToALostRequest(limit: Int) async throws {
        // The file cannot take it, so that it is kept in the store as far as the limit allows.
        bench.files.setCapacity(4_000)
        bench.transport.order(.loseRequest, at: bench.url)
        var request = try request(.post)
        request.responseLimit = limit
        let engine = bench.engine()
        let handle = try await engine.send(request)
        try await engine.run()
        let ended = try await handle.snapshot
        guard case .failed(let failure) = ended.state else {
            Issue.record("\(ended.state)")
            return
        }
        #expect(failure.code == .outcomeUnknown && failure.cause == .connectionLost)
        #expect(ended.request?.progress.unsaved == nil)
    }

    @Test("a name that is taken meanwhile loses no answer")
    func takenMeanwhile() async throws {
        let taken = StorageProblem(.permanent(.destinationExists, "It exists."), errno: 17)
        bench.files.inject(FileFault(.publish, problem: taken))
        let engine = bench.engine()
        let handle = try await engine.send(try request(.post))
        try await engine.run()
        let state = try await handle.snapshot.state
        guard case .failed(let failure) = state, failure.code == .destinationExists else {
            Issue.record("\(state)")
            return
        }
        #expect(failure.message.contains(".part") && failure.remedies == [.moveAway, .retry])
        try await engine.resume(handle.id)
        let again = bench.engine()
        try await again.follow([handle.id])
        let response = try await bench.running(again) { try await again.transfer(handle.id).response() }
        #expect(response.savedLength == 10_000 && bench.transport.requests.count == 1)
        #expect(try bench.published == bench.bytes)
    }

    @Test("a failed request that is removed leaves no file")
    func removed() async throws {
        let taken = StorageProblem(.permanent(.destinationExists, "It exists."), errno: 17)
        bench.files.inject(FileFault(.publish, problem: taken))
        let engine = bench.engine()
        let handle = try await engine.send(try request(.post))
        try await engine.run()
        #expect(bench.files.names(in: "/d").count == 1)
        try await engine.remove([handle.id])
        #expect(bench.files.names(in: "/d").isEmpty)
    }
}

/// A body of three bytes. Something else happens before they are written.
private struct LateNaming: ResponseBody {
    let meanwhile: @Sendable () -> Void

    func receive(
        into sink: any ByteSink,
        at offset: Int64,
        limit: Int64?,
        bound: any BodyBound,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> Int64 {
        meanwhile()
        let bytes: [UInt8] = [1, 2, 3]
        try sink.write(bytes.span.bytes, at: offset)
        return Int64(bytes.count)
    }

    func collect(upTo bound: Int) async throws -> [UInt8] { [] }
}
