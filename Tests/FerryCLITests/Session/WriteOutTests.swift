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
        return WriteOut(parsing: format).text(for: announcement, took: took)
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
        let text = WriteOut(parsing: fields).text(for: announcement, took: .seconds(2))
        #expect(text == (isSent ? "0 0 3000 1500" : "3000 1500 0 0"))
    }

    /// The sizes of a request, as bytes received and sent.
    private func sizes(_ request: RequestSpecification, _ progress: RequestProgress) throws -> String {
        var transfer = Transfer(id: TransferID(rawValue: 3), adding: NewTransfer(request), at: Sample.now)
        transfer.work.progress = .request(progress)
        transfer.state = .completed
        let announcement = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
        return WriteOut(parsing: "%{size_download} %{size_upload}").text(for: announcement, took: nil)
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
        let format = WriteOut(parsing: "%{http_code} %{size_download} %{speed_download}")
        #expect(format.text(for: announcement, took: .seconds(1)) == "304 0 0")
    }

    @Test func tellsAFailure() throws {
        let failure = TransferFailure(.notFound, "Nothing there.")
        #expect(try text("%{exitcode} %{state}", .failed(failure)) == "3 failed")
    }

    @Test("the status is that of the answer that brought bytes, or 000 without one")
    func status() throws {
        #expect(try text("%{http_code} %{response_code}") == "000 000")
        var transfer = try Sample.transfer(state: .completed, received: 3000, length: 3000)
        transfer.downloadProgress.status = 206
        let announcement = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
        let format = WriteOut(parsing: "%{http_code} %{response_code}")
        #expect(format.text(for: announcement, took: nil) == "206 206")
    }

    @Test("the status of a failure is that of the answer that caused it, although others brought bytes")
    func failingStatus() throws {
        var failure = TransferFailure(.notFound, "Nothing there.")
        failure.status = 404
        for (failure, expected) in [(failure, "404"), (TransferFailure(.diskFull, "Full."), "200")] {
            var transfer = try Sample.transfer(state: .failed(failure), received: 30, length: 3000)
            transfer.downloadProgress.status = 200
            let announcement = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
            let format = WriteOut(parsing: "%{http_code}")
            #expect(format.text(for: announcement, took: nil) == expected)
        }
    }

    @Test("of a transfer that had ended before, no request is told")
    func earlier() throws {
        var transfer = try Sample.transfer(state: .completed, received: 3000, length: 3000)
        transfer.downloadProgress.status = 200
        let announcement = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
        let fields = "%{http_code} %{response_code} %{size_download} %{speed_download} %{exitcode} %{state}"
        let format = WriteOut(parsing: fields)
        #expect(format.text(for: announcement, took: nil, isEarlier: true) == "000 000 0 0 0 completed")
        #expect(format.text(for: announcement, took: nil) == "200 200 3000 0 0 completed")
    }

    @Test func knowsNoTimeOfWhatItDidNotSeeBegin() throws {
        #expect(try text("%{time_total} %{speed_download}", took: nil) == "0.000 0")
    }

    @Test("an unknown field is named, and nothing is printed for it")
    func unknownFields() throws {
        #expect(WriteOut(parsing: "a%{num_headers} %{exitcode}%{x}").unknown == ["num_headers", "x"])
        #expect(try text("a%{num_headers} %{exitcode}%{x}\\n") == "a 0\n")
        #expect(WriteOut(parsing: "%{url}").unknown.isEmpty)
    }

    @Test(
        "unknown fields are named once, and the known ones are listed once",
        arguments: [
            ("%{url}", nil),
            ("%{a}%{a}", "--write-out has no field %{a}, and prints nothing for it. It has "),
            ("%{a}%{b}%{a}", "--write-out has no fields %{a}, %{b}, and prints nothing for them. It has "),
        ] as [(String, String?)]
    )
    func warnsOnce(_ format: String, _ start: String?) {
        #expect(WriteOut(parsing: format).warning == start.map { "\($0)\(WriteOut.Field.list)." })
    }

    @Test("a download tells the URL after redirects, without secrets, and the type of its file")
    func effectiveURL() throws {
        var transfer = try Sample.transfer(state: .completed, received: 3, length: 3)
        let format = WriteOut(parsing: "%{url_effective} %{content_type} %{redirect_url}")
        func told(isEarlier: Bool = false) -> String {
            let announcement = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
            return format.text(for: announcement, took: nil, isEarlier: isEarlier)
        }
        #expect(told() == "https://example.org/image.iso  ")
        transfer.downloadProgress.source = "https://cdn.example.org/1.iso?token=hush"
        transfer.downloadProgress.mediaType = MediaType("application/zip")
        #expect(told().hasPrefix("https://cdn.example.org/1.iso?token=") && !told().contains("hush"))
        #expect(told().hasSuffix(" application/zip "))
        #expect(told(isEarlier: true).hasSuffix("  "), "no answer came")
    }

    @Test("a response tells its type, and a redirect its target", arguments: [200, 302])
    func fieldsOfAResponse(status: Int) throws {
        let url = try HTTPURL(parsing: "https://example.org/a/b")
        let request = try RequestSpecification(method: .post, url: url)
        var transfer = Transfer(id: TransferID(rawValue: 3), adding: NewTransfer(request), at: Sample.now)
        var progress = RequestProgress()
        let fields = [("Content-Type", "text/plain; charset=utf-8"), ("Location", "c")]
        progress.response = StoredResponse(
            status: status,
            fields: fields.map { HeaderField(name: $0.0, value: $0.1) },
            body: []
        )
        transfer.work.progress = .request(progress)
        let announcement = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
        let text = WriteOut(parsing: "%{content_type}|%{redirect_url}").text(for: announcement, took: nil)
        let target = status == 302 ? "https://example.org/a/c" : ""
        #expect(text == "text/plain; charset=utf-8|\(target)")
    }
}
