import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// What the tool says of each kind of work.
@Suite("Wording of each kind of work")
struct WorkWordingTests {
    private static func request(
        _ state: TransferState,
        answered: Bool = false,
        _ note: TransferNote? = nil
    ) throws -> Transfer {
        let request = try RequestSpecification(
            url: HTTPURL(parsing: "https://api.example/orders")
        )
        var transfer = Transfer(id: TransferID(rawValue: 3), adding: NewTransfer(request), at: Sample.now)
        transfer.state = state
        var progress = RequestProgress()
        progress.sent = Sample.now
        if answered { progress.response = StoredResponse(status: 201, fields: [], body: [1, 2, 3]) }
        progress.note = note
        transfer.work.progress = .request(progress)
        return transfer
    }

    /// A request of two bytes, which was answered with three.
    private static func post(savingIn file: ResponseFile? = nil) throws -> Transfer {
        var request = try RequestSpecification(
            method: .post,
            url: HTTPURL(parsing: "https://api.example/orders"),
            body: StoredBody([1, 2])
        )
        request.responseFile = file
        var transfer = Transfer(id: TransferID(rawValue: 3), adding: NewTransfer(request), at: Sample.now)
        transfer.state = .completed
        var (progress, response) = (
            RequestProgress(), StoredResponse(status: 201, fields: [], body: [1, 2, 3])
        )
        if file != nil { (response.savedLength, response.body) = (3, []) }
        (progress.sent, progress.response) = (Sample.now, response)
        transfer.work.progress = .request(progress)
        return transfer
    }

    private static func put(
        _ state: TransferState,
        sent: Int64,
        of length: Int64 = 2 << 20
    ) throws -> Transfer {
        var transfer = try Sample.put(sent: sent, of: length)
        transfer.state = state
        return transfer
    }

    private static func wish(of transfer: Transfer, keepingPart: Bool) -> String? {
        var transfer = transfer
        transfer.wish = .cancel(keepingPart: keepingPart)
        let portrait = TransferPortrait(transfer)
        return portrait.lines(at: Sample.now).first { $0.hasPrefix("  Requested ") }
    }

    private static func line(_ label: String, of transfer: Transfer) -> String? {
        let portrait = TransferPortrait(transfer)
        return portrait.lines(at: Sample.now).first { $0.hasPrefix("  \(label)") }
    }

    private static func silence(of transfer: Transfer) -> String? {
        let row = ProgressRow(transfer, progress: transfer.recordedProgress, at: Sample.now)
        if case .text(let text) = row.content { return text }
        return nil
    }

    private static func upload(_ state: TransferState, _ note: TransferNote? = nil) throws -> Transfer {
        let file = FileSurvey.Entry(identity: FileIdentity(device: 1, inode: 2), length: 9, kind: .file)
        let url = try HTTPURL(parsing: "https://api.example/files")
        let new = NewTransfer(UploadSpecification(PinnedFile(path: "/data/a.bin", file), to: url, by: .tus))
        var transfer = Transfer(id: TransferID(rawValue: 3), adding: new, at: Sample.now)
        transfer.state = state
        var progress = UploadProgress()
        if note == nil { progress.handle = UploadHandle(url: url) }
        progress.note = note
        transfer.work.progress = .upload(progress)
        return transfer
    }

    /// A sentence of the tool about a transfer of one kind.
    private struct Sentence: CustomTestStringConvertible, Sendable {
        /// What is said, and of which kind.
        var testDescription: String
        /// What the tool says.
        var said: @Sendable () throws -> String?
        /// What it is to say.
        var expected: String?

        init(
            _ kind: TransferKind,
            _ what: String,
            _ expected: String?,
            _ said: @escaping @Sendable () throws -> String?
        ) {
            testDescription = "\(kind.rawValue): \(what)"
            (self.said, self.expected) = (said, expected)
        }
    }

    private static let sentences = [
        Sentence(.download, "its end is wished for", "  Requested     end, and remove the part file") {
            wish(of: try Sample.transfer(), keepingPart: false)
        },
        Sentence(
            .download,
            "its end is wished for, but not that of its part",
            "  Requested     end, and keep the part file"
        ) {
            wish(of: try Sample.transfer(), keepingPart: true)
        },
        Sentence(.request, "its end is wished for", "  Requested     end") {
            wish(of: try request(.active), keepingPart: false)
        },
        Sentence(
            .upload,
            "its end is wished for",
            "  Requested     end, and remove what the server has received"
        ) {
            wish(of: try upload(.active), keepingPart: false)
        },
        Sentence(
            .upload,
            "it was cancelled while its server could not be asked",
            "cancelled; what api.example has received is still to be removed"
        ) {
            try upload(.cancelled).stateText(at: Sample.now)
        },
        Sentence(
            .upload,
            "it was cancelled, and its server removes nothing",
            "cancelled; api.example may keep what it has received"
        ) {
            try upload(.cancelled, TransferNote(.leftAtServer, "")).stateText(at: Sample.now)
        },
        Sentence(.upload, "it begins", "Uploading a.bin to https://api.example/files") {
            try upload(.active).wording.beginning
        },
        Sentence(
            .upload,
            "some of it has arrived",
            "  Bytes sent    5 B of 9 B (55%), confirmed by the server"
        ) {
            var transfer = try upload(.active)
            guard case .upload(let work) = transfer.work else { return nil }
            var progress = work.progress
            (progress.source, progress.confirmed) = (work.specification.file, 5)
            transfer.work.progress = .upload(progress)
            return line("Bytes sent", of: transfer)
        },
        Sentence(
            .upload,
            "it was stopped at once",
            "Stopped a.bin to https://api.example/files before the server confirmed any data. Resume with `ferry run`."
        ) {
            ForegroundRun.keptText(try upload(.paused), .queue, process: nil)
        },
        Sentence(.request, "it sends a file", "  Bytes sent    1.0 MiB of 2.0 MiB (50%)") {
            line("Bytes sent", of: try Sample.put(sent: 1 << 20, of: 2 << 20))
        },
        Sentence(.request, "it begins to send a file", "  Bytes sent    0 B of 2.0 MiB (0%)") {
            line("Bytes sent", of: try put(.active, sent: 0))
        },
        Sentence(.request, "it was interrupted and will send all of its file again", nil) {
            line("Bytes sent", of: try put(.paused, sent: 0))
        },
        Sentence(
            .request,
            "its process died while it sent a file",
            "  Bytes sent    1.0 MiB of 2.0 MiB (50%)"
        ) {
            line("Bytes sent", of: try put(.queued, sent: 1 << 20))
        },
        Sentence(.download, "it was cancelled", "cancelled") {
            try Sample.transfer(state: .cancelled).stateText(at: Sample.now)
        },
        Sentence(.download, "it was cancelled and has left a part", "cancelled; its part file was kept") {
            try Sample.transfer(state: .cancelled, received: 5, length: 9).stateText(at: Sample.now)
        },
        Sentence(.request, "it was cancelled", "cancelled; it may have arrived") {
            try request(.cancelled).stateText(at: Sample.now)
        },
        Sentence(.download, "it begins", "Downloading image.iso from https://example.org/image.iso") {
            try Sample.transfer(state: .completed, received: 9, length: 9).wording.beginning
        },
        Sentence(.download, "its server is silent", "connecting") {
            silence(of: try Sample.transfer(state: .active))
        },
        Sentence(.request, "its server is silent", "waiting for the answer") {
            silence(of: try request(.active))
        },
        Sentence(.request, "it begins", "Sending GET https://api.example/orders") {
            try request(.completed, answered: true).wording.beginning
        },
        Sentence(.download, "it is done", "Done: /data/image.iso (\(ByteCount(9).formatted)).") {
            PlainProgress.completed(
                try Sample.transfer(state: .completed, received: 9, length: 9),
                took: nil
            )
        },
        Sentence(
            .download,
            "it is done, and a digest was given",
            "Done: /data/image.iso (\(ByteCount(9).formatted), sha-256 verified)."
        ) {
            var options = DownloadOptions()
            options.checksum = try Checksum(parsing: "sha256=" + String(repeating: "ab", count: 32))
            return PlainProgress.completed(
                try Sample.transfer(state: .completed, received: 9, length: 9, options: options),
                took: nil
            )
        },
        Sentence(
            .download,
            "it is done, and another tool had begun it",
            "Done: /data/image.iso (\(ByteCount(9).formatted), compared at 1 place)."
        ) {
            var done = try Sample.transfer(state: .completed, received: 9, length: 9)
            done.downloadProgress.assurance = .overlapChecked
            let place = Junction(offset: 9, before: .otherTool, after: .own)
            done.downloadProgress.mirroring.note(compared: place)
            return PlainProgress.completed(done, took: nil)
        },
        Sentence(
            .request,
            "it is done",
            "Done: GET https://api.example/orders was answered with 201 (received \(ByteCount(3).formatted))."
        ) {
            PlainProgress.completed(try request(.completed, answered: true), took: nil)
        },
        Sentence(
            .request,
            "it is done, and had a body",
            "Done: POST https://api.example/orders was answered with 201 (sent 2 B, received 3 B)."
        ) {
            PlainProgress.completed(try post(), took: nil)
        },
        Sentence(
            .request,
            "it is done, and its response is in a file",
            "Done: POST https://api.example/orders was answered with 201 (sent 2 B, received 3 B in 0.2 s). "
                + "Saved in /data/my orders.json."
        ) {
            let file = ResponseFile(directory: "/data", name: try FileName(userGiven: "my orders.json"))
            let transfer = try post(savingIn: file)
            guard transfer.wording.wholeNames == ["/data/my orders.json"] else { return nil }
            return PlainProgress.completed(transfer, took: .milliseconds(200))
        },
        Sentence(
            .request,
            "it is done, and sent a file",
            "Done: PUT https://example.org/a (sent 9 B)."
        ) {
            PlainProgress.completed(try put(.completed, sent: 9, of: 9), took: nil)
        },
        Sentence(
            .request,
            "a redirect made a GET of it",
            "Done: GET https://api.example/orders (received \(ByteCount(3).formatted)). It was redirected."
        ) {
            let note = TransferNote(.methodChanged, "It was redirected.")
            return PlainProgress.completed(try request(.completed, answered: true, note), took: nil)
        },
        Sentence(
            .request,
            "a redirect made a GET of it, and its body had been sent",
            "Done: PUT https://example.org/a (sent \(ByteCount(2 << 20).formatted)). It was redirected."
        ) {
            var transfer = try put(.completed, sent: 2 << 20)
            guard case .request(let work) = transfer.work else { return nil }
            var progress = work.progress
            progress.note = TransferNote(.methodChanged, "It was redirected.")
            transfer.work.progress = .request(progress)
            return PlainProgress.completed(transfer, took: nil)
        },
        Sentence(
            .request,
            "it was sent before",
            "Done: GET https://api.example/orders was answered with 201 (received \(ByteCount(3).formatted)). "
                + "Sent again, because it is gone."
        ) {
            let note = TransferNote(.sentAgain, "Sent again, because it is gone.")
            return PlainProgress.completed(try request(.completed, answered: true, note), took: nil)
        },
        Sentence(
            .request,
            "it may have replaced a file",
            "Done: GET https://api.example/orders was answered with 201 (received \(ByteCount(3).formatted)). "
                + "The condition is in doubt."
        ) {
            let note = TransferNote(.conditionInDoubt, "The condition is in doubt.")
            return PlainProgress.completed(try request(.completed, answered: true, note), took: nil)
        },
    ]

    @Test(arguments: sentences)
    private func saysOfEachKindWhatIsTrueOfIt(_ sentence: Sentence) throws {
        #expect(try sentence.said() == sentence.expected)
    }

    @Test(
        "what is known of the version of a file is said in usual words",
        arguments: [
            (
                nil, .overlapChecked, "no ETag or date, so bytes are compared",
                "bytes compared where its parts meet"
            ),
            ("\"a\"", .proved, "exact, by ETag", "one version, by ETag, date or digest"),
            (
                "W/\"a\"", .single, "not exact, so bytes are compared too",
                "one version, received in one response"
            ),
        ] as [(String?, Assurance, String, String)]
    )
    func versions(tag: String?, assurance: Assurance, check: String, proof: String) throws {
        var transfer = try Sample.transfer(received: 5, length: 9)
        transfer.downloadProgress.assurance = assurance
        if let tag {
            let tag = try #require(EntityTag(tag))
            transfer.downloadProgress.validator = Validator(
                entityTag: tag,
                lastModified: nil,
                date: nil,
                receivedAt: .epoch
            )
        }
        #expect(Self.line("Version check", of: transfer) == "  Version check \(check)")
        #expect(Self.line("Assurance", of: transfer) == "  Assurance     \(proof)")
    }

    @Test("a file below a directory that a server named is called by its path below the chosen one")
    func nameBelowADirectory() throws {
        var options = DownloadOptions()
        options.root = "/data/pub"
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "https://example.org/pub/sub/a.txt"),
            destination: .file(directory: "/data/pub/sub", name: try FileName(userGiven: "a.txt")),
            options: options
        )
        let id = TransferID(rawValue: 3)
        let transfer = Transfer(id: id, adding: NewTransfer(specification), at: Sample.now)
        let beginning = "Downloading sub/a.txt from https://example.org/pub/sub/a.txt"
        #expect(transfer.wording.beginning == beginning && transfer.displayName == "sub/a.txt")
        #expect(transfer.wording.path == "/data/pub/sub/a.txt")
    }

    @Test func onlyADownloadHasAPartFileThatMayBeKept() throws {
        let download = try Sample.transfer(state: .cancelled, received: 5, length: 9)
        #expect(download.keptPartHint?.hasPrefix("Its part file is kept") == true)
        #expect(try Self.request(.cancelled).keptPartHint == nil)
    }

    @Test(arguments: [true, false])
    func aKeptPartFileIsSaidToBeResumedOnlyIfItIsStillKnown(isKnown: Bool) throws {
        var download = try Sample.transfer(state: .cancelled, received: 5, length: 9)
        if isKnown {
            download.downloadProgress.kept = PartFileClaim(
                name: .fallback,
                identity: FileIdentity(device: 1, inode: 2),
                boot: BootID(rawValue: "boot")
            )
        }
        #expect(download.hasResumablePart == isKnown)
        let texts = [download.keptPartHint, CancelCommand.keptText("/data/f.part", download)]
        for text in texts {
            #expect(text?.contains("no command resumes it") == !isKnown, "\(text ?? "")")
        }
    }

    @Test func onlyADownloadOrAnUploadTellsWhereAnAttemptFailed() throws {
        let failure = TransferFailure(.connectionLost, "The connection was lost.")
        let cases = try [
            (Self.put(.queued, sent: 0), "moment  The connection was lost."),
            (Self.upload(.queued), "moment  at 0 B: The connection was lost."),
        ]
        for (transfer, expected) in cases {
            let attempt = Attempt(started: Sample.now, ended: Sample.now, failure: failure, received: 0)
            let portrait = TransferPortrait(transfer, attempts: [attempt])
            let lines = portrait.lines(at: Sample.now) { _ in "moment" }
            #expect(lines.last == "    \(expected)")
        }
    }

    @Test func anotherRunNamesOnlyBytesThatAreKept() throws {
        let texts = try [0, 1 << 30 as Int64].map { received in
            let transfer = try Sample.transfer(received: received, length: 4 << 30)
            return transfer.continuation(keeping: transfer.recordedProgress)
        }
        #expect(texts == ["resumes", "resumes; 1.0 GiB of 4.0 GiB kept"])
    }

    @Test("a URL names the values that go into it as they were typed, and braces that are none stay")
    func valuesInTheURL() throws {
        let url = try HTTPURL(parsing: "https://api.example/photos/{id}/{x}")
        var request = try RequestSpecification(method: .put, url: url)
        try request.insert("id", from: try Self.request(.completed).uuid, at: "/id")
        let transfer = Transfer(id: TransferID(rawValue: 4), adding: NewTransfer(request), at: Sample.now)
        #expect(transfer.displayName == "PUT https://api.example/photos/{id}/%7Bx%7D")
    }
}
