import FerryCore
import FerryTesting
import Testing

/// What a cancelled transfer leaves, and who removes it.
@Suite("Residues")
struct ResidueTests {
    private static let now = Instant(seconds: 1_800_000_000)
    private static let part = PartFileClaim(
        name: .fallback,
        identity: FileIdentity(device: 1, inode: 2),
        boot: BootID(rawValue: "boot")
    )

    private func download(to destination: Destination, named name: FileName? = nil) throws -> Transfer {
        let url = try HTTPURL(parsing: "https://example.com/file")
        let new = NewTransfer(DownloadSpecification(url: url, destination: destination))
        var transfer = Transfer(id: TransferID(rawValue: 7), adding: new, at: Self.now)
        transfer.downloadProgress.part = Self.part
        transfer.downloadProgress.name = name
        return transfer
    }

    /// The part file has a name of its own, so it is found even if the final name was never known.
    @Test(arguments: [nil, "given.iso"], [nil, "chosen.iso"])
    func aPartFileIsRemovedWhateverIsKnownOfItsName(given: String?, chosen: String?) throws {
        let (given, chosen) = try (
            given.map(FileName.init(userGiven:)), chosen.map(FileName.init(userGiven:))
        )
        var transfer = try download(to: .file(directory: "/d", name: given), named: chosen)
        #expect(transfer.residue == nil && transfer.remover == .noOne, "it is not cancelled")
        try transfer.ask(.cancel(keepingPart: false), at: Self.now)
        let place = FilePlace(directory: "/d", name: chosen ?? given ?? .fallback, part: Self.part.name)
        #expect(transfer.residue == .partFile(place, Self.part) && transfer.remover == .canceller)
        transfer.settleResidue(as: .removed)
        #expect(transfer.residue == nil && transfer.remover == .noOne)
    }

    @Test func anyProcessRemovesWhatGaveWay() throws {
        var transfer = try download(to: .file(directory: "/d", name: nil))
        transfer.giveWay(to: TransferID(rawValue: 8), at: Self.now)
        #expect(transfer.state == .cancelled && transfer.remover == .anyProcess)
    }

    @Test func whatIsKeptIsLeftToTheUser() throws {
        var transfer = try download(to: .file(directory: "/d", name: nil))
        try transfer.ask(.cancel(keepingPart: true), at: Self.now)
        #expect(transfer.residue == nil && transfer.remover == .noOne)
    }

    private func upload(begun: Bool) throws -> Transfer {
        let entry = FileSurvey.Entry(identity: FileIdentity(device: 1, inode: 2), length: 9, kind: .file)
        let url = try HTTPURL(parsing: "https://store.example/files?token=secret")
        var upload = UploadSpecification(PinnedFile(path: "/a", entry), to: url, by: .tus)
        upload.exchange.credentials = .bearer(token: "secret")
        var transfer = Transfer(id: TransferID(rawValue: 7), adding: NewTransfer(upload), at: Self.now)
        var progress = UploadProgress()
        if begun {
            (progress.stage, progress.handle) = (.open, UploadHandle(url: url))
            progress.confirmed = 3
        }
        transfer.work.progress = .upload(progress)
        return transfer
    }

    /// Only with its secrets can an engine remove what the server holds. They go with it.
    @Test(arguments: [ResidueFate.removed, .kept])
    func anEngineRemovesWhatAServerHoldsOfAnUpload(fate: ResidueFate) throws {
        var transfer = try upload(begun: true)
        #expect(transfer.remover == .noOne, "it is not cancelled")
        try transfer.ask(.cancel(keepingPart: false), holder: OwnerID(rawValue: 1), at: Self.now)
        #expect(transfer.residue == .upload && transfer.remover == .anyEngine && transfer.claim == nil)
        #expect(transfer.upload?.specification.exchange.credentials != nil)
        transfer.settleResidue(as: fate)
        let work = try #require(transfer.upload)
        #expect(transfer.residue == nil && transfer.remover == .noOne)
        #expect(work.progress.handle == nil && work.specification.exchange.credentials == nil)
        #expect(!work.specification.url.absoluteString.contains("secret"))
        #expect((work.progress.note?.code == .leftAtServer) == (fate == .kept))
    }

    @Test func anUploadThatWasNeverBegunLeavesNothing() throws {
        var transfer = try upload(begun: false)
        try transfer.ask(.cancel(keepingPart: false), at: Self.now)
        #expect(transfer.residue == nil && transfer.remover == .noOne)
        #expect(transfer.upload?.specification.exchange.credentials == nil)
    }

    @Test func whatIsKeptAtAServerIsNotRemoved() throws {
        var transfer = try upload(begun: true)
        try transfer.ask(.cancel(keepingPart: true), at: Self.now)
        #expect(transfer.residue == nil && transfer.upload?.progress.note?.code == .leftAtServer)
    }

    @Test func aRequestLeavesNothing() throws {
        let request = try RequestSpecification(url: HTTPURL(parsing: "https://api.example/orders"))
        var transfer = Transfer(id: TransferID(rawValue: 7), adding: NewTransfer(request), at: Self.now)
        try transfer.ask(.cancel(keepingPart: false), at: Self.now)
        #expect(transfer.residue == nil && transfer.remover == .noOne)
    }

    /// Its own process or any engine removes it. No one can keep it, because no one else has a name for it.
    @Test(arguments: [TransferState.cancelled, .completed])
    func anEngineRemovesTheCopyOfABody(end: TransferState) throws {
        let entry = FileSurvey.Entry(identity: FileIdentity(device: 1, inode: 2), length: 9, kind: .file)
        let uuid = try #require(TransferUUID("01890a5d-ac96-774b-bcce-b302099a8057"))
        let body = StoredBody(PinnedFile(path: "\(uuid)", entry, isCopy: true))
        let request = try RequestSpecification(
            url: HTTPURL(parsing: "https://api.example/orders"),
            body: body
        )
        var transfer = Transfer(id: TransferID(rawValue: 7), adding: NewTransfer(request), at: Self.now)
        #expect(transfer.residue == nil, "it may still be sent")
        if end == .cancelled {
            try transfer.ask(.cancel(keepingPart: true), holder: OwnerID(rawValue: 1), at: Self.now)
        } else {
            transfer.becomeActive(for: OwnerID(rawValue: 1), token: 1, at: Self.now)
            transfer.settle(Settlement(end, progress: transfer.work.progress), at: Self.now)
        }
        #expect(transfer.state == end && transfer.claim == nil)
        #expect(transfer.residue == .bodyCopy && transfer.remover == .anyEngine)
        transfer.settleResidue(as: .kept)
        #expect(transfer.residue == .bodyCopy)
        transfer.settleResidue(as: .removed)
        #expect(transfer.residue == nil && transfer.remover == .noOne)
        #expect(transfer.request?.bodyCopy?.length == 9, "it is shown how long the body was")
    }
}
