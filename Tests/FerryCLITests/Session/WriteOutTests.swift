import Ferry
import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite struct WriteOutTests {
    private func text(
        _ format: String,
        _ state: TransferState = .completed,
        took: Duration? = .seconds(2)
    ) throws -> String {
        let transfer = try Sample.transfer(state: state, received: 3000, length: 3000)
        let announcement = Announcement(transfer, transfer.recordedProgress, .state(took: took))
        return try WriteOut(parsing: format).text(for: announcement, took: took)
    }

    @Test(arguments: [
        ("%{url} %{exitcode}\\n", "https://example.org/image.iso 0\n"),
        ("%{size_download}/%{time_total}=%{speed_download}", "3000/2.000=1500"),
        ("%{filename_effective}", "/data/image.iso"), ("%{id}\\t%{state}", "3\tcompleted"),
        ("100%% \\\\ \\x %", "100% \\ \\x %"), ("", ""), ("%{", "%{"),
    ])
    func fillsIn(_ format: String, _ expected: String) throws {
        #expect(try text(format) == expected)
    }

    @Test("what is sent counts as an upload, and what is received as a download", arguments: [true, false])
    func directions(isSent: Bool) throws {
        let transfer =
            try isSent
            ? Sample.put(sent: 3000, of: 3000)
            : Sample.transfer(state: .completed, received: 3000, length: 3000)
        let announcement = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
        let fields = "%{size_download} %{speed_download} %{size_upload} %{speed_upload}"
        let text = try WriteOut(parsing: fields).text(for: announcement, took: .seconds(2))
        #expect(text == (isSent ? "0 0 3000 1500" : "3000 1500 0 0"))
    }

    /// The sizes of a request, as bytes received and sent.
    private func sizes(_ request: RequestSpecification, _ progress: RequestProgress) throws -> String {
        var transfer = Transfer(id: TransferID(rawValue: 3), adding: NewTransfer(request), at: Sample.now)
        transfer.work.progress = .request(progress)
        transfer.state = .completed
        let announcement = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
        return try WriteOut(parsing: "%{size_download} %{size_upload}").text(for: announcement, took: nil)
    }

    @Test("the body of a request is sent when it may have left, and that of its answer is received")
    func requests() throws {
        var request = try RequestSpecification(method: .post, url: HTTPURL(parsing: "https://example.org/a"))
        try request.carry(StoredBody(Array("12345".utf8)))
        var progress = RequestProgress()
        #expect(try sizes(request, progress) == "0 0")
        progress.sent = Sample.now
        #expect(try sizes(request, progress) == "0 5")
        progress.response = StoredResponse(status: 404, fields: [], body: Array("no".utf8))
        progress.sent = nil
        #expect(try sizes(request, progress) == "2 5")
        progress.note = TransferNote(.upToDate, "The server has this version.")
        #expect(try sizes(request, progress) == "0 0")
    }

    @Test("a file that is up to date has moved no bytes, and its status is that of the answer")
    func upToDate() throws {
        var options = DownloadOptions()
        options.updates = true
        var transfer = try Sample.transfer(state: .completed, received: 23, length: 23, options: options)
        transfer.downloadProgress.status = 304
        transfer.downloadProgress.note = TransferNote(.upToDate, "The server has no other version.")
        let announcement = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
        let format = try WriteOut(parsing: "%{http_code} %{size_download} %{speed_download}")
        #expect(format.text(for: announcement, took: .seconds(1)) == "304 0 0")
    }

    @Test func tellsAFailure() throws {
        let failure = TransferFailure(.notFound, "Nothing there.")
        #expect(try text("%{exitcode} %{state}", .failed(failure)) == "3 failed")
    }

    @Test("the status is that of the latest answer, or 000 without one")
    func status() throws {
        #expect(try text("%{http_code} %{response_code}") == "000 000")
        var transfer = try Sample.transfer(state: .completed, received: 3000, length: 3000)
        transfer.downloadProgress.status = 206
        let announcement = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
        let format = try WriteOut(parsing: "%{http_code} %{response_code}")
        #expect(format.text(for: announcement, took: nil) == "206 206")
    }

    @Test("of a transfer that had ended before, no request is told")
    func earlier() throws {
        var transfer = try Sample.transfer(state: .completed, received: 3000, length: 3000)
        transfer.downloadProgress.status = 200
        let announcement = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
        let fields = "%{http_code} %{response_code} %{size_download} %{speed_download} %{exitcode} %{state}"
        let format = try WriteOut(parsing: fields)
        #expect(format.text(for: announcement, took: nil, isEarlier: true) == "000 000 0 0 0 completed")
        #expect(format.text(for: announcement, took: nil) == "200 200 3000 0 0 completed")
    }

    @Test func knowsNoTimeOfWhatItDidNotSeeBegin() throws {
        #expect(try text("%{time_total} %{speed_download}", took: nil) == "0.000 0")
    }

    @Test func refusesAnUnknownField() {
        let error = #expect(throws: WriteOut.UnknownField.self) { try WriteOut(parsing: "a%{num_headers}") }
        #expect(error?.description.contains("%{num_headers}") == true)
        #expect(error?.description.contains("%{exitcode}") == true)
    }
}
