import FerryCore
import FerryTesting
import Testing

/// `get URL` and `get -o NAME URL` are the same download if they are known to lead to the same path.
@Suite("Other spellings of a download")
struct OtherSpellingTests {
    private static let url = "https://h/a.iso?Signature=x&Expires=1"
    private static let failure = TransferFailure(.notFound, "There is nothing.")

    private func asked(
        _ name: String?,
        _ change: (inout DownloadOptions) throws -> Void = { _ in }
    ) throws -> DownloadSpecification {
        var options = DownloadOptions()
        try change(&options)
        var given: FileName?
        if let name { given = try FileName(userGiven: name) }
        return DownloadSpecification(
            url: try HTTPURL(parsing: Self.url),
            destination: .file(directory: "/d", name: given),
            options: options
        )
    }

    /// An earlier transfer, and the name that its file has got.
    private func earlier(
        _ specification: DownloadSpecification,
        as name: String?,
        _ state: TransferState = .paused
    ) throws -> Transfer {
        var transfer = Transfer(id: TransferID(rawValue: 1), adding: NewTransfer(specification), at: .epoch)
        if let name { transfer.downloadProgress.name = try FileName(userGiven: name) }
        transfer.state = state
        return transfer
    }

    private func repeats(
        _ asked: DownloadSpecification,
        _ others: [Transfer],
        besides own: [Transfer] = []
    ) throws -> Transfer? {
        try #require(OtherSpelling(asked)).repeated(of: others, besides: own)
    }

    @Test func aGivenNameIsTheOneThatTheFileHasGot() throws {
        for (given, got, isSame) in [
            ("a.iso", "a.iso", true), ("b.iso", "b.iso", true), ("a.iso", "b.iso", false),
            ("a.iso", "a.1.iso", false), ("a.1.iso", "a.1.iso", true), ("a.iso", nil, false),
        ] as [(String, String?, Bool)] {
            let asked = try asked(given)
            let other = try earlier(self.asked(nil), as: got)
            #expect(try #require(OtherSpelling(asked)).specification.identity == other.work.identity)
            #expect(try (repeats(asked, [other]) != nil) == isSame, "\(given) \(got ?? "")")
        }
    }

    @Test func withoutANameTheOneOfTheURLIsMeant() throws {
        let spelling = try #require(try OtherSpelling(asked(nil)))
        #expect(try spelling.specification == asked("a.iso"))
        #expect(try repeats(asked(nil), [earlier(asked("a.iso"), as: nil)]) != nil)
        // It got a number, because another file has the name.
        #expect(try repeats(asked(nil), [earlier(asked("a.iso"), as: "a.1.iso")]) == nil)
        let sealed = try #require(try OtherSpelling(asked(nil) { $0.recipients = ["age1a"] }))
        #expect(sealed.name.rawValue == "a.iso.age")
    }

    @Test func whatIsAlwaysSpelledInOneWayHasNoOther() throws {
        var stream = try asked(nil)
        stream.destination = .standardOutput
        #expect(OtherSpelling(stream) == nil)
        #expect(try OtherSpelling(asked("a.iso") { $0.cache = CacheTerms(pool: "p") }) == nil)
    }

    @Test func aTransferInAnyStateButCancelledCounts() throws {
        for (state, isSame) in [
            (.queued, true), (.active, true), (.paused, true), (.waiting(.network), true),
            (.failed(Self.failure), true), (.completed, true), (.cancelled, false),
        ] as [(TransferState, Bool)] {
            let other = try earlier(asked(nil), as: "a.iso", state)
            #expect(try (repeats(asked("a.iso"), [other]) != nil) == isSame, "\(state)")
        }
    }

    /// The server may send other bytes to another user, or to other header fields.
    @Test func otherRequestsAreNotJoined() throws {
        let other = try earlier(asked(nil), as: "a.iso")
        for change: (inout DownloadOptions) throws -> Void in [
            { $0.headers = [.init(name: "Accept-Language", value: "de")] },
            { $0.credentials = .bearer(token: "t") },
            { $0.connection.clientCertificate = ClientCertificate(certificateFile: "/c") },
        ] {
            #expect(try repeats(asked("a.iso", change), [other]) == nil)
            let same = try earlier(asked(nil, change), as: "a.iso")
            #expect(try repeats(asked("a.iso", change), [same]) != nil)
        }
        // How it is transferred does not matter.
        #expect(try repeats(asked("a.iso") { $0.connections = 1 }, [other]) != nil)
        // Another part of the file, or the file sealed, is another download in any spelling.
        for change: (inout DownloadOptions) -> Void in [
            { $0.range = .last(5) }, { $0.recipients = ["age1a"] },
        ] {
            let spelling = try #require(try OtherSpelling(asked("a.iso", change)))
            #expect(spelling.specification.identity != other.work.identity)
        }
    }

    @Test func theSameSpellingComesFirstUnlessTheOtherHasMoreToResume() throws {
        let paused = try earlier(asked(nil), as: "a.iso")
        for (state, isOther) in [
            (.queued, false), (.paused, false), (.completed, true), (.failed(Self.failure), true),
            (.cancelled, true),
        ] as [(TransferState, Bool)] {
            let own = try earlier(asked("a.iso"), as: nil, state)
            #expect(try (repeats(asked("a.iso"), [paused], besides: [own]) != nil) == isOther, "\(state)")
        }
        let failed = try earlier(asked(nil), as: "a.iso", .failed(Self.failure))
        #expect(try repeats(asked("a.iso"), [failed, paused])?.state == .paused)
    }
}
