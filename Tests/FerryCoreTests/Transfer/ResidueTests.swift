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
        transfer.noteResidueRemoved()
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

    @Test func aRequestLeavesNothing() throws {
        let request = try RequestSpecification(url: HTTPURL(parsing: "https://api.example/orders"))
        var transfer = Transfer(id: TransferID(rawValue: 7), adding: NewTransfer(request), at: Self.now)
        try transfer.ask(.cancel(keepingPart: false), at: Self.now)
        #expect(transfer.residue == nil && transfer.remover == .noOne)
    }
}
