import ArgumentParser
import Ferry
import FerryTesting
import Foundation
import HTTPTypes
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// Transfers for tests.
enum Sample {
    static let now = Instant(seconds: 1_800_000_000)

    /// A transfer of `length` bytes, of which `received` are there.
    static func transfer(
        id: Int64 = 3,
        url: String = "https://example.org/image.iso",
        name: String? = "image.iso",
        state: TransferState = .active,
        received: Int64 = 0,
        length: Int64? = nil,
        options: DownloadOptions = DownloadOptions()
    ) throws -> Transfer {
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: url),
            destination: .file(directory: "/data", name: nil),
            options: options
        )
        var transfer = Transfer(id: TransferID(rawValue: id), adding: NewTransfer(specification), at: now)
        transfer.state = state
        transfer.attempts = 1
        if let name { transfer.downloadProgress.name = try FileName(userGiven: name) }
        transfer.downloadProgress.segments = SegmentMap(length: length)
        transfer.downloadProgress.segments.advance(0, writtenTo: received)
        return transfer
    }

    /// A request that sends a file, of which some bytes have left.
    static func put(sent: Int64, of length: Int64) throws -> Transfer {
        let put = try RequestSpecification(method: .put, url: HTTPURL(parsing: "https://example.org/a"))
        var transfer = Transfer(id: TransferID(rawValue: 3), adding: NewTransfer(put), at: now)
        let upload = Data(#"{"sent":\#(sent),"length":\#(length)}"#.utf8)
        var progress = RequestProgress()
        progress.upload = try JSONDecoder().decode(RequestProgress.Upload.self, from: upload)
        transfer.work.progress = .request(progress)
        return transfer
    }

    /// An update about a transfer.
    static func update(
        _ transfer: Transfer,
        speed: Double? = nil,
        notes: [TransferNote] = []
    ) -> TransferUpdate {
        var progress = transfer.recordedProgress
        progress.bytesPerSecond = speed
        return TransferUpdate(transfer: transfer, progress: progress, notes: notes)
    }

    /// An environment with nothing in it.
    static let environment = ProcessEnvironment(variables: [:], workingDirectory: "/", home: nil)

    /// The options of each download that `ferry get` plans.
    ///
    /// - Parameter list: the text of a list, for `-i`.
    static func downloadOptions(_ words: [String], list: String? = nil) throws -> [DownloadOptions] {
        guard let list else {
            let words = try Invocation.arranged(["get"] + words).dropFirst()
            let plan = try DownloadPlan(
                GetCommand.parse(Array(words)).input.download,
                environment: environment
            )
            return try plan.transfers.map(\.specification.options)
        }
        return try withFile(list) { try downloadOptions(words + ["-i", $0]) }
    }

    /// Runs `body` with the path of a file, which is removed afterwards.
    static func withFile<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result {
        let path = NSTemporaryDirectory() + "ferry-file-\(UUID().uuidString)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
        return try body(path)
    }
}

extension TransferPortrait {
    /// The portrait of a transfer that no process runs, as its row has it.
    init(_ transfer: Transfer, attempts: [Attempt] = []) {
        self.init(
            transfer: transfer,
            progress: transfer.recordedProgress,
            attempts: attempts,
            process: nil
        )
    }
}
