import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

/// A file whose disk is unmounted while no process runs its transfer.
@Suite("Files on a disk that is not mounted", .timeLimit(.minutes(10)))
struct EngineUnmountedDiskTests {
    /// A bench with a download that was stopped after 4,000 bytes.
    private func stopped() async throws -> (Bench, TransferID) {
        let bench = try Bench()
        let engine = bench.engine()
        let (handle, work) = try await bench.stalled(after: 4_000, under: engine)
        engine.stop()
        try await work.value
        #expect(try await handle.snapshot.downloadProgress.segments.received == 4_000)
        return (bench, handle.id)
    }

    private func ranges(_ bench: Bench) -> [String?] { bench.transport.requests.map { $0.headers[.range] } }

    @Test(arguments: [true, false])
    func theDownloadWaitsForItAndResumesWhenItIsBack(hasMountPoint: Bool) async throws {
        let (bench, id) = try await stopped()
        bench.files.unmount("/d")
        if !hasMountPoint { bench.files.removeDirectory("/d") }
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            try await bench.advance { try await engine.snapshot(of: id).state == .waiting(.diskMount) }
            let waiting = try await engine.snapshot(of: id)
            #expect(waiting.attempts == 0 && waiting.downloadProgress.segments.received == 4_000)
            #expect(waiting.latestFailure?.message.contains("/d/file.bin.part is not there") == true)

            // The disk below has room, and is looked at again and again.
            let start = bench.clock.elapsed
            try await bench.advance { bench.clock.elapsed - start >= .seconds(60) }
            #expect(await engine.isResponsive())
            #expect(try await engine.snapshot(of: id).updated == waiting.updated)
            #expect(bench.files.names(in: "/d").isEmpty && ranges(bench) == [nil])

            bench.files.mount("/d")
            try await bench.advance { try await engine.snapshot(of: id).state == .completed }
        }
        #expect(try bench.published == bench.bytes)
        #expect(ranges(bench) == [nil, "bytes=4000-"])
    }

    /// The part file may have reserved its space.
    @Test func theWaitEndsWhateverIsFreeOnTheDisk() async throws {
        let (bench, id) = try await stopped()
        bench.files.unmount("/d")
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            try await bench.advance { try await engine.snapshot(of: id).state == .waiting(.diskMount) }
            bench.files.setCapacity(4_000)
            bench.files.mount("/d")
            try await bench.advance { try await engine.snapshot(of: id).latestFailure?.code == .diskFull }
        }
        #expect(ranges(bench) == [nil, "bytes=4000-"])
    }

    @Test func anEngineThatOnlyFollowsLeavesTheWaitToThePerson() async throws {
        let (bench, id) = try await stopped()
        bench.files.unmount("/d")
        #expect(try await bench.resume(id).state == .waiting(.diskMount))
        #expect(bench.files.names(in: "/d").isEmpty && ranges(bench) == [nil])
    }

    /// A bench with a download that was added while a disk was mounted at `/d`.
    private func added() async throws -> (Bench, TransferID) {
        let bench = try Bench()
        bench.files.addMountPoint("/d")
        return (bench, try await bench.client().add(from: bench.url, to: bench.destination).id)
    }

    @Test(arguments: [true, false], [true, false])
    func aDownloadThatHasNotBegunWaitsForTheDiskOfItsDirectory(
        hasMountPoint: Bool,
        hasName: Bool
    ) async throws {
        let bench = try Bench()
        bench.files.addMountPoint("/d")
        let destination: Destination = try hasName ? bench.destination : .file(directory: "/d", name: nil)
        let id = try await bench.client().add(from: bench.url, to: destination).id
        bench.files.unmount("/d")
        if !hasMountPoint { bench.files.removeDirectory("/d") }
        // The repeated call does not mean the disk below.
        #expect(try await bench.client().add(from: bench.url, to: destination).id == id)
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            try await bench.advance { try await engine.snapshot(of: id).state == .waiting(.diskMount) }
            let waiting = try await engine.snapshot(of: id)
            #expect(waiting.attempts == 0)
            #expect(waiting.latestFailure?.message.hasPrefix("A disk was mounted at /d when") == true)

            let start = bench.clock.elapsed
            try await bench.advance { bench.clock.elapsed - start >= .seconds(60) }
            #expect(try await engine.snapshot(of: id).updated == waiting.updated)
            #expect(bench.files.names(in: "/d").isEmpty && ranges(bench).isEmpty)

            bench.files.mount("/d")
            try await bench.advance { try await engine.snapshot(of: id).state == .completed }
        }
        #expect(try bench.published == bench.bytes && ranges(bench) == [nil])
    }

    /// As those of a mirror.
    @Test func aDownloadOfANodeThatHasNotBegunWaitsForTheDiskOfItsDirectory() async throws {
        let bench = try Bench()
        bench.files.addMountPoint("/d")
        let tree = bench.client().tree(named: "files")
        let node = Node("a", name: "a", source: bench.url)
        try await tree.discover([NodeDiscovery(node, markingIfChanged: .all)])
        let specification = DownloadSpecification(url: bench.url, destination: try bench.destination)
        try await tree.downloadNeeded { _ in NodeDownload(specification) }
        let id = try #require(try await tree.transfer(of: "a")).id
        bench.files.unmount("/d")
        bench.files.removeDirectory("/d")
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            try await bench.advance { try await engine.snapshot(of: id).state == .waiting(.diskMount) }
            let waiting = try await engine.snapshot(of: id)
            #expect(waiting.latestFailure?.message.hasPrefix("A disk was mounted at /d when") == true)
            bench.files.mount("/d")
            try await bench.advance { try await engine.snapshot(of: id).state == .completed }
        }
        #expect(try bench.published == bench.bytes && ranges(bench) == [nil])
    }

    /// The time of the directory below is that of a directory which was made or changed since, or is unknown.
    @Test(arguments: [Int64.max, nil])
    func aDownloadThatHasNotBegunGoesToADirectoryThatWasMadeOrChangedSince(modified: Int64?) async throws {
        let (bench, id) = try await added()
        bench.files.unmount("/d", modified: modified)
        #expect(try await bench.resume(id).state == .completed)
        #expect(try bench.published == bench.bytes)
    }

    /// As one that an older Ferry has added.
    @Test func aDownloadWithoutAKnownMountPointBeginsInAnyDirectory() async throws {
        let bench = try Bench()
        let id = try await bench.client().add(from: bench.url, to: bench.destination).id
        bench.files.unmount("/d")
        #expect(try await bench.resume(id).state == .completed)
        #expect(try bench.published == bench.bytes)
    }

    /// A bench with a completed download.
    private func completed(updates: Bool) async throws -> (Bench, DownloadOptions) {
        let bench = try Bench()
        var options = DownloadOptions()
        options.updates = updates
        _ = try await fetch(bench, options)
        return (bench, options)
    }

    /// Asks for the file again, and returns the number of its transfer once that has ended.
    private func fetch(_ bench: Bench, _ options: DownloadOptions) async throws -> TransferID {
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination, options: options)
        _ = try await bench.running(engine) { try await handle.value() }
        return handle.id
    }

    @Test(arguments: [true, false])
    func aCompletedFileIsNotFetchedToTheDiskBelowAndCountsWhenItIsBack(updates: Bool) async throws {
        let (bench, options) = try await completed(updates: updates)
        let first = TransferID(rawValue: 1)
        bench.files.unmount("/d")
        do {
            _ = try await bench.engine().download(from: bench.url, to: bench.destination, options: options)
            Issue.record("it is fetched")
        } catch StoreError.notPossible(let id, let reason, let remedies) {
            #expect(id == first)
            #expect(reason.contains("saved /d/file.bin, but its directory is on another device now"))
            #expect(remedies == [.mountDisk, .callAgain, .replaceFile])
        }
        #expect(bench.files.names(in: "/d").isEmpty && ranges(bench).count == 1)

        bench.files.mount("/d")
        let again = try await fetch(bench, options)
        // With `updates` another transfer asks the server, which has no other version.
        #expect((again == first) == !updates && ranges(bench).count == (updates ? 2 : 1))
        #expect(try bench.published == bench.bytes)
    }

    /// The time of the directory below is that of a directory which was made anew, or is unknown.
    @Test(arguments: [Int64.max, nil])
    func aCompletedFileIsFetchedAgainIfItsDirectoryMayBeANewOne(modified: Int64?) async throws {
        let (bench, options) = try await completed(updates: false)
        bench.files.unmount("/d", modified: modified)
        _ = try await fetch(bench, options)
        #expect(try bench.published == bench.bytes && ranges(bench) == [nil, nil])
    }

    /// A call under a UUID that is known asks for nothing.
    @Test func aCallThatIsRepeatedUnderItsUUIDIsNotRefused() async throws {
        let (bench, uuid) = (try Bench(), TransferUUID())
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination, uuid: uuid)
        _ = try await bench.running(engine) { try await handle.value() }
        bench.files.unmount("/d")
        let again = try await bench.client().add(from: bench.url, to: bench.destination, uuid: uuid)
        #expect(again.id == handle.id && bench.files.names(in: "/d").isEmpty)
    }

    @Test func aCompletedFileIsFetchedToTheDiskBelowIfItIsToBeReplaced() async throws {
        let (bench, former) = try await completed(updates: false)
        bench.files.unmount("/d")
        var options = former
        options.existingFile = .overwrite
        _ = try await fetch(bench, options)
        #expect(try bench.published == bench.bytes && ranges(bench) == [nil, nil])
    }

    @Test(arguments: [HTTPRequest.Method.put, .post])
    func aRequestWaitsForTheDiskWithTheFileThatItSends(method: HTTPRequest.Method) async throws {
        let bench = try Bench()
        bench.bodies.put([1, 2, 3], at: "/usb/a")
        let body = StoredBody(try await bench.bodies.pin("/usb/a"))
        let request = try RequestSpecification(method: method, url: bench.url, body: body)
        try await expectWait(bench, NewTransfer(request), transport: bench.transport) {
            bench.transport.requests.count
        }
        #expect(bench.transport.requests.first?.bodyBytes == [1, 2, 3])
    }

    @Test func anUploadWaitsForTheDiskWithItsFile() async throws {
        let (bench, origin) = (try Bench(), TusOrigin())
        bench.bodies.put(bench.bytes, at: "/usb/a")
        let upload = UploadSpecification(try await bench.bodies.pin("/usb/a"), to: bench.url, by: .tus)
        try await expectWait(bench, NewTransfer(upload), transport: origin) { origin.objects.count }
        #expect(origin.objects == [bench.bytes])
    }

    /// Expects that a transfer waits while the disk of its file is not mounted, and is completed with one object then.
    private func expectWait(
        _ bench: Bench,
        _ new: NewTransfer,
        transport: any HTTPTransport,
        sent: @escaping @Sendable () -> Int
    ) async throws {
        let engine = bench.engine(.everything(untilDrained: false), transport: transport)
        bench.bodies.unmount("/usb")
        let id = try await engine.start(new).id
        try await bench.running(engine) {
            try await bench.advance { try await engine.snapshot(of: id).state == .waiting(.diskMount) }
            let waiting = try await engine.snapshot(of: id)
            #expect(waiting.attempts == 0)
            #expect(waiting.latestFailure?.message.contains("/usb/a is missing") == true)
            let start = bench.clock.elapsed
            try await bench.advance { bench.clock.elapsed - start >= .seconds(60) }
            #expect(try await engine.snapshot(of: id).updated == waiting.updated && sent() == 0)
            bench.bodies.mount("/usb")
            try await bench.advance { try await engine.snapshot(of: id).state == .completed }
        }
        #expect(sent() == 1)
    }

    /// The user may have removed it while its disk was away.
    @Test func aRequestFailsWhenItsDiskIsBackWithoutTheFile() async throws {
        let bench = try Bench()
        bench.bodies.put([1, 2, 3], at: "/usb/a")
        let body = StoredBody(try await bench.bodies.pin("/usb/a"))
        bench.bodies.unmount("/usb")
        let engine = bench.engine(.everything(untilDrained: false))
        let id = try await engine.send(RequestSpecification(method: .put, url: bench.url, body: body)).id
        try await bench.running(engine) {
            try await bench.advance { try await engine.snapshot(of: id).state == .waiting(.diskMount) }
            bench.bodies.mount("/usb")
            bench.bodies.remove("/usb/a")
            try await bench.advance { try await engine.snapshot(of: id).latestFailure?.code == .bodyChanged }
        }
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func aPartFileThatWasDeletedIsFetchedAgain() async throws {
        let (bench, id) = try await stopped()
        bench.files.remove(try FileName(userGiven: "file.bin.part"), in: "/d")
        #expect(try await bench.resume(id).state == .completed)
        #expect(try bench.published == bench.bytes && ranges(bench) == [nil, nil])
    }
}
