import Ferry
import Testing

@testable import FerryCLI

@Suite struct TransferTableTests {
    @Test func linesFitTheTerminalAndStandBelowTheirHeadings() throws {
        let transfer = try Sample.transfer(
            name: "a-rather-long-name-of-an-image.iso",
            received: 1 << 30,
            length: 4 << 30
        )
        let table = TransferTable(columns: 60)
        #expect(table.header == "  ID  STATE            DONE        SIZE  NAME")
        #expect(
            table.line(transfer, transfer.recordedProgress)
                == "   3  active            25%     4.0 GiB  a-rather-…image.iso"
        )
        for columns in 1...120 {
            let line = TransferTable(columns: columns).line(transfer, transfer.recordedProgress)
            #expect(DisplayWidth.of(line) <= columns)
        }
    }

    @Test func nothingIsCutWhereThereIsNoTerminal() throws {
        let transfer = try Sample.transfer(name: String(repeating: "x", count: 200))
        #expect(
            TransferTable(columns: nil).line(transfer, transfer.recordedProgress).hasSuffix(
                transfer.displayName
            )
        )
    }

    @Test func aProgramMayAllowAnyNumberOfRetries() throws {
        var options = DownloadOptions()
        options.retries = .max
        let transfer = try Sample.transfer(state: .waiting(.retry(at: Sample.now)), options: options)
        let portrait = TransferPortrait(
            transfer: transfer,
            progress: transfer.recordedProgress,
            attempts: [],
            process: nil
        )
        #expect(portrait.lines(at: Sample.now).contains { $0.hasSuffix("1 of \(Int.max)") })
        #expect(transfer.waitingText(at: Sample.now)?.hasSuffix("(attempt 2 of \(Int.max))") == true)
    }

    @Test func theQuestionCountsWhatIsLeft() throws {
        let one = try Sample.transfer(id: 1, received: 1 << 30, length: 4 << 30)
        let other = try Sample.transfer(id: 2)
        #expect(Incomplete([one]).question == "Continue 1 incomplete download (3.0 GiB left)? [Y/n]")
        #expect(
            Incomplete([one, other]).question
                == "Continue 2 incomplete downloads (at least 3.0 GiB left)? [Y/n]"
        )
        #expect(Incomplete([other]).question == "Continue 1 incomplete download? [Y/n]")
    }
}
