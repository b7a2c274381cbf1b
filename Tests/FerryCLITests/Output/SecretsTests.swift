import Ferry
import FerryTesting
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// I7: no output about any transfer contains a secret.
@Suite struct SecretsTests {
    static let secrets = ["hunter2", "tok3n", "c00kie", "pr0xy", "s1gned", "s3cretuser"]

    private func secretive(_ state: TransferState) throws -> Transfer {
        var options = DownloadOptions()
        options.credentials = .basic(user: "s3cretuser", password: "hunter2")
        options.headers = [.init(name: "Cookie", value: "c00kie"), .init(name: "X-Api", value: "tok3n")]
        options.connection.proxy = Proxy(
            scheme: .http,
            host: "proxy",
            port: 3128,
            credentials: .basic(user: "s3cretuser", password: "pr0xy")
        )
        options.proxies = try ProxyEnvironment(["all_proxy": "http://s3cretuser:pr0xy@proxy:3128"])
        return try Sample.transfer(
            url: "https://s3cretuser:hunter2@example.org/a.iso?X-Amz-Signature=s1gned&token=tok3n",
            name: nil,
            state: state,
            options: options
        )
    }

    private func check(_ text: String) {
        for secret in Self.secrets { #expect(!text.contains(secret), "\(secret) in \(text)") }
    }

    static let states: [TransferState] = [
        .queued, .active, .paused, .completed, .cancelled, .waiting(.newURL), .waiting(.retry(at: .epoch)),
        .failed(TransferFailure(.notFound, "There is nothing.")),
    ]

    @Test(arguments: states)
    func noOutputCarriesASecret(_ state: TransferState) throws {
        let transfer = try secretive(state)
        let progress = transfer.recordedProgress
        let owners = OwnerDirectory()
        check(JSON.object(TransferRecord.full(transfer, progress, owners: owners)).text)
        check(TransferTable(columns: nil).lines(transfer, progress)[0])
        let portrait = TransferPortrait(transfer: transfer, progress: progress, attempts: [], process: 7)
        check(portrait.lines(at: Sample.now).joined(separator: "\n"))
        let news: [Announcement.News] = [
            .added, .attached(process: nil), .attached(process: 4), .note(TransferNote(.resumed, "Resumed.")),
            .progress,
            .state(took: nil),
        ]
        for news in news {
            let announcement = Announcement(transfer, progress, news)
            check(announcement.json(owners: owners).text)
            for live in [true, false] { check("\(announcement.messages(live: live, at: Sample.now))") }
        }
    }

    @Test func showSaysThatThereAreCredentialsButNotWhich() throws {
        var transfer = try secretive(.paused)
        transfer.specification.options.connection.clientCertificate = ClientCertificate(
            certificateFile: "/me.pem",
            keyFile: "/me.key"
        )
        let portrait = TransferPortrait(transfer)
        let text = portrait.lines(at: Sample.now).joined(separator: "\n")
        #expect(text.contains("Sends         basic credentials; fields Cookie, X-Api"))
        #expect(text.contains("Certificate   /me.pem, with the key in /me.key"))
        #expect(text.contains("Proxy         http://proxy:3128"))
    }

    @Test func theParsersMessagesQuoteNoSecretOfAURL() {
        let word = "https://s3cretuser:hunter2@example.org/?token=tok3n"
        let text = Invocation.redacted("Error: Unexpected argument '\(word)'", ["list", word])
        #expect(text == "Error: Unexpected argument 'https://example.org/?token=…'")
        #expect(throws: (any Error).self) { try Invocation.arranged([word]) }
        do {
            _ = try Invocation.arranged([word])
        } catch {
            check("\(error)")
        }
    }

    @Test func terminalsSeeNoControlCharactersOfAName() throws {
        let transfer = try Sample.transfer(
            name: "a\u{1B}]0;evil\u{7}\n\u{202E}b\u{9B}31m.iso",
            state: .failed(TransferFailure(.refused, "x\u{1B}[2J"))
        )
        let progress = transfer.recordedProgress
        let portrait = TransferPortrait(transfer)
        let row = ProgressRow(transfer, progress: progress, at: Sample.now)
        let lines =
            portrait.lines(at: Sample.now) + TransferTable(columns: 40).lines(transfer, progress)
            + ProgressBoard(rows: [row]).lines(columns: 60, rows: 10)
        for line in lines {
            #expect(
                !line.unicodeScalars.contains {
                    $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0 == "\u{202E}"
                }
            )
        }
    }
}
