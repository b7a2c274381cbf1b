import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// What is said of transfers whose process may or may not run.
@Suite struct KeptTransfersTests {
    private let owner = Owner(
        id: OwnerID(rawValue: 4),
        process: ProcessIdentity(pid: 17, startTime: 1, boot: BootID(rawValue: "b")),
        joined: Sample.now
    )

    private func transfer(of owner: OwnerID?) throws -> Transfer {
        var transfer = try Sample.transfer()
        transfer.claim = owner.map { Claim(transfer: transfer.id, owner: $0, token: 1) }
        return transfer
    }

    @Test func namesTheTransferTheProcessAndWhatToType() throws {
        let transfer = try transfer(of: owner.id)
        let line = try #require(
            KeptTransfers.line(transfer, OwnerDirectory(processes: [:], unproved: [owner]))
        )
        #expect(line.contains(transfer.displayName) && line.contains("process 17"))
        #expect(line.contains("`ferry resume --take-over \(transfer.id)`"))
    }

    @Test func saysNothingOfWhatIsFreeOrSeenToRun() throws {
        let owners = OwnerDirectory(processes: [OwnerID(rawValue: 5): 18], unproved: [owner])
        #expect(KeptTransfers.line(try transfer(of: nil), owners) == nil)
        #expect(KeptTransfers.line(try transfer(of: OwnerID(rawValue: 5)), owners) == nil)
    }

    @Test func countsThoseThatAreTooManyToBeNamed() throws {
        let owners = OwnerDirectory(processes: [:], unproved: [owner])
        var kept = KeptTransfers()
        #expect(kept.isEmpty && kept.allLines == [])
        for _ in 0..<(KeptTransfers.mostNamed + 3) { kept.take(try transfer(of: owner.id), owners) }
        #expect(kept.allLines.count == KeptTransfers.mostNamed + 1)
        #expect(kept.allLines.last?.hasPrefix("3 more") == true)
    }
}
