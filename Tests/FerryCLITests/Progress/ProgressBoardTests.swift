import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite struct ProgressBoardTests {
    private func row(
        _ name: String,
        received: Int64,
        total: Int64?,
        speed: Double? = 12_900_000
    ) -> ProgressRow {
        let progress = TransferProgress(received: received, total: total, bytesPerSecond: speed)
        return ProgressRow(name: name, content: .figures(.init(progress)))
    }

    private var one: ProgressBoard {
        ProgressBoard(rows: [row("image.iso", received: 1 << 30, total: 4 << 30)])
    }

    @Test(arguments: [
        (20, "image.iso   25%"),
        (31, "image.iso   25%   12.3 MiB/s"),
        (40, "image.iso   25%   12.3 MiB/s   4m10s"),
        (60, "image.iso   25%  1.0 GiB/4.0 GiB   12.3 MiB/s   4m10s"),
        (80, "image.iso   25%  [====>               ]  1.0 GiB/4.0 GiB   12.3 MiB/s   4m10s"),
        (
            200,
            "image.iso   25%  [========>                             ]  1.0 GiB/4.0 GiB   12.3 MiB/s   4m10s"
        ),
    ])
    func fitsItsFieldsToTheWidth(_ columns: Int, _ expected: String) {
        #expect(one.lines(columns: columns, rows: 24) == [expected])
    }

    @Test(arguments: [
        (80, "image.iso   25%  [====>               ]  1.0 GiB/4.0 GiB   12.3 MiB/s   4m10s"),
        (93, "image.iso   25%  [===>              ]  1.0 GiB/4.0 GiB   12.3 MiB/s   4m10s  8 connections"),
    ])
    func saysHowManyConnectionsThereAreBesideAWideBar(_ columns: Int, _ expected: String) {
        var progress = TransferProgress(received: 1 << 30, total: 4 << 30, bytesPerSecond: 12_900_000)
        progress.connections = 8
        let row = ProgressRow(name: "image.iso", content: .figures(.init(progress)))
        #expect(ProgressBoard(rows: [row]).lines(columns: columns, rows: 24) == [expected])
    }

    @Test(arguments: [(nil, ""), (0, ""), (1, ""), (2, ", 2 connections")] as [(Int?, String)])
    func aLineSaysHowManyConnectionsThereAreIfSeveral(_ count: Int?, _ expected: String) throws {
        var progress = TransferProgress(received: 1 << 30, total: 4 << 30)
        progress.connections = count
        let line = PlainProgress.line(try Sample.transfer(), progress)
        #expect(line == "image.iso: 25%, 1.0 GiB of 4.0 GiB\(expected)")
    }

    @Test func leavesRoomForTheEchoOfAKey() throws {
        let waiting = ProgressRow(name: "日本語の名前.tar.gz", content: .text("waiting 12 s to try again: refused"))
        var board = ProgressBoard(rows: [
            row("image.iso", received: 1, total: 3), row("日本語日本語日本語.iso", received: 5 << 30, total: nil),
            waiting, row("👍👍👍.bin", received: 0, total: 0, speed: nil),
        ])
        board.others = 7
        board.total = row("3 of 14", received: 99 << 40, total: 1000 << 40)
        for columns in 1...200 {
            for rows in 1...12 {
                let lines = board.lines(columns: columns, rows: rows)
                #expect(lines.allSatisfy { DisplayWidth.of($0) <= max(1, columns - 3) })
                #expect(lines.count < max(4, rows))
            }
        }
    }

    @Test(arguments: [40, 60, 80])
    func howManyFailedIsNotShortenedForAFigure(_ columns: Int) throws {
        var board = ProgressBoard(rows: [row("a", received: 1 << 30, total: 4 << 30)])
        board.total = row("10 of 300, 12 failed", received: 1 << 30, total: 4 << 30)
        let line = try #require(board.lines(columns: columns, rows: 24).last)
        #expect(line.hasPrefix("10 of 300, 12 failed ") && line.contains("25%"))
    }

    @Test func figuresStandBelowOneAnother() {
        var board = ProgressBoard(rows: [
            row("a", received: 1 << 30, total: 4 << 30), row("longer-name.iso", received: 10, total: 100),
        ])
        board.total = row("0 of 2", received: 1 << 30, total: 4 << 30)
        #expect(
            board.lines(columns: 70, rows: 24) == [
                "a                 25%  1.0 GiB/4.0 GiB   12.3 MiB/s   4m10s",
                "longer-name.iso   10%       10 B/100 B   12.3 MiB/s      1s",
                "0 of 2            25%  1.0 GiB/4.0 GiB   12.3 MiB/s   4m10s",
            ]
        )
    }

    @Test func theSpeedKeepsItsColumnWhateverItsUnit() {
        let speeds = [900.0, 1_034_240, 1_023_000, 12_900_000, 900_000_000]
        let lines = speeds.map { speed in
            ProgressBoard(rows: [row("a.iso", received: 1 << 30, total: 4 << 30, speed: speed)])
                .lines(columns: 60, rows: 24)[0]
        }
        let ends = lines.map { line in
            line.firstRange(of: "/s").map { line.distance(from: line.startIndex, to: $0.upperBound) }
        }
        #expect(ends.allSatisfy { $0 == ends[0] && $0 != nil }, "\(lines)")
    }

    @Test func anUnknownLengthShowsBytesAndSpeedButNoPercent() {
        let board = ProgressBoard(rows: [row("stream.log", received: 5 << 20, total: nil)])
        #expect(board.lines(columns: 60, rows: 24) == ["stream.log  5.0 MiB   12.3 MiB/s        "])
        #expect(board.lines(columns: 25, rows: 24) == ["stream.log  5.0 MiB"])
    }

    @Test func moreTransfersThanRowsAreCounted() {
        var board = ProgressBoard(rows: (1...9).map { row("file\($0)", received: 1, total: 2) })
        board.others = 91
        board.total = row("0 of 100", received: 1, total: 2)
        let lines = board.lines(columns: 80, rows: 6)
        #expect(lines.count == 5)
        #expect(lines[3] == "and 97 more")
        #expect(lines[4].hasPrefix("0 of 100"))
    }

    @Test func aWaitingTransferSaysWhyAndHowLong() throws {
        var transfer = try Sample.transfer(
            state: .waiting(.retry(at: Sample.now.advanced(by: .seconds(12)))),
            received: 1,
            length: 2
        )
        transfer.attempts = 2
        transfer.latestFailure = TransferFailure(.connectionRefused, "The connection was refused.")
        let row = ProgressRow(transfer, progress: transfer.recordedProgress, at: Sample.now)
        #expect(
            ProgressBoard(rows: [row]).lines(columns: 120, rows: 9) == [
                "image.iso  waiting 12 s to try again: the connection was refused (attempt 3 of 20)"
            ]
        )
    }

    @Test(arguments: [
        (0.0, "[          ]"), (0.05, "[          ]"), (0.1, "[>         ]"), (0.5, "[====>     ]"),
        (0.99, "[========> ]"), (1.0, "[==========]"), (7.0, "[==========]"), (-1.0, "[          ]"),
    ])
    func drawsABar(_ fraction: Double, _ expected: String) {
        #expect(ProgressLayout.bar(fraction, width: 12) == expected)
    }

    @Test func percentIsFullOnlyWhenAllIsThere() {
        #expect(TransferProgress(received: 9_999, total: 10_000).percentText == "99%")
        #expect(TransferProgress(received: 10_000, total: 10_000).percentText == "100%")
        #expect(TransferProgress(received: 0, total: 0).percentText == "100%")
        #expect(TransferProgress(received: 5, total: nil).percentText == nil)
    }
}
