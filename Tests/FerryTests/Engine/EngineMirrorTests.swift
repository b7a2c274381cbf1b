import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("A download from several URLs", .timeLimit(.minutes(10)))
struct EngineMirrorTests {
    private let bench: Bench
    private let mirror: HTTPURL

    init() throws {
        bench = try Bench()
        mirror = try HTTPURL(parsing: "http://mirror.example/other/name.bin")
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"m1\""), at: mirror)
    }

    /// Bytes of the same length that differ in `range`.
    private func changed(_ range: Range<Int>) -> [UInt8] {
        var bytes = bench.bytes
        for index in range { bytes[index] = ~bytes[index] }
        return bytes
    }

    private func options(_ change: (inout DownloadOptions) -> Void = { _ in }) -> DownloadOptions {
        var options = DownloadOptions()
        options.mirrors = [mirror]
        options.retries = 0
        change(&options)
        return options
    }

    private var pieces: PieceDigests? {
        let checksums = stride(from: 0, to: bench.bytes.count, by: 1000).map {
            ReferenceDigest.digest(.sha1, of: Array(bench.bytes[$0..<($0 + 1000)]))
        }
        return PieceDigests(length: 1000, checksums: checksums)
    }

    /// Runs a download to its end.
    private func run(_ options: DownloadOptions) async throws -> Transfer {
        try await bench.fetch(options)
    }

    /// The ranges that a host got requests for, in order.
    private func asked(of url: HTTPURL) -> [String] {
        bench.transport.requests.filter { $0.url.host == url.host }.map { $0.headers[.range] ?? "all" }
    }

    @Test(arguments: [404, 403, 500, 503])
    func comesFromAMirrorWhereTheServerHasNone(status: Int) async throws {
        bench.transport.order(.answer(status: status, [:]), at: bench.url)
        #expect(try await run(options()).state == .completed)
        #expect(try bench.published == bench.bytes)
    }

    @Test(arguments: [TransferFailure.Code.connectionRefused, .nameNotResolved])
    func namesAServerThatDidNotAnswer(code: TransferFailure.Code) async throws {
        bench.transport.order(.refuse(.transient(code, "It did not answer.")), at: bench.url)
        let transfer = try await run(options())
        #expect(transfer.state == .completed)
        let text = "Skipping \(bench.url.redacted): It did not answer."
        #expect(transfer.downloadProgress.note == TransferNote(.sourceFailed, text))
    }

    @Test func namesEachServerWhenNoneHasIt() async throws {
        bench.transport.order(
            .refuse(.transient(.connectionRefused, "It did not answer.")),
            at: bench.url
        )
        bench.transport.set(nil, at: mirror)
        let transfer = try await run(options())
        #expect(transfer.failure?.message == "It did not answer.")
        let note = try #require(transfer.downloadProgress.note)
        #expect(note.code == .sourceFailed)
        #expect(note.message.hasPrefix("Skipping mirror \(mirror.redacted): "))
    }

    @Test func getsNoClientCertificate() async throws {
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        let certificate = ClientCertificate(certificateFile: "/me.pem")
        let transfer = try await run(options { $0.connection.clientCertificate = certificate })
        #expect(transfer.state == .completed && !asked(of: mirror).isEmpty)
        for request in bench.transport.requests {
            let isOwn = request.url.host == bench.url.host
            #expect(request.connection.clientCertificate == (isOwn ? certificate : nil))
        }
    }

    @Test func endsAsItWouldWithoutMirrorsWhenNoneOfThemHasIt() async throws {
        bench.transport.set(nil, at: bench.url)
        bench.transport.set(nil, at: mirror)
        #expect(try await run(options()).failure?.code == .notFound)
        #expect(asked(of: bench.url) == ["all"] && asked(of: mirror) == ["all"])
    }

    @Test func goesOnFromAMirrorWhoseBytesWereCompared() async throws {
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        let transfer = try await run(options())
        #expect(transfer.state == .completed)
        #expect(try bench.published == bench.bytes)
        #expect(asked(of: mirror) == ["bytes=0-"], "all that is there lies within what is compared")
        #expect(transfer.downloadProgress.note?.message.contains("mirror.example") == true)
        #expect(transfer.downloadProgress.assurance == .overlapChecked)
    }

    @Test func saysThatBytesWereComparedOnceThereAreSomeBehindThem() async throws {
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        bench.transport.order(.breakAfter(7_000), at: mirror)
        let transfer = try await run(options())
        #expect(transfer.failure != nil && transfer.downloadProgress.segments.received == 7_000)
        #expect(transfer.downloadProgress.assurance == .overlapChecked)
    }

    @Test func takesNothingOfAMirrorThatHasOtherBytes() async throws {
        bench.transport.set(ScriptedResource(changed(3_000..<3_001), entityTag: "\"m1\""), at: mirror)
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        let first = try await run(options())
        #expect(first.failure != nil && first.downloadProgress.assurance == .single)
        let transfer = try await run(options())
        #expect(transfer.state == .completed && transfer.downloadProgress.assurance == .proved)
        #expect(try bench.published == bench.bytes)
        #expect(transfer.downloadProgress.mirroring.excluded == [.mirror(mirror): .bytes])
        #expect(asked(of: mirror).count == 1 && asked(of: bench.url).count == 2)
    }

    @Test(arguments: [false, true])
    func takesNothingOfAMirrorThatHasAnotherLength(isKnown: Bool) async throws {
        bench.transport.set(ScriptedResource(bench.bytes + [0], entityTag: "\"m1\""), at: mirror)
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        let options = options {
            if isKnown { $0.checksum = ReferenceDigest.digest(.sha256, of: bench.bytes) }
        }
        #expect(try await run(options).failure != nil)
        let transfer = try await run(options)
        #expect(transfer.state == .completed)
        #expect(try bench.published == bench.bytes)
        #expect(transfer.downloadProgress.mirroring.excluded == [.mirror(mirror): .length])
    }

    @Test func knowsItsMirrorsWhenTheyAreGivenInAnotherOrder() async throws {
        let other = try HTTPURL(parsing: "http://other.example/x")
        bench.transport.set(ScriptedResource(bench.bytes + [0], entityTag: "\"m1\""), at: mirror)
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        let first = try await run(options { $0.mirrors = [mirror, other] })
        #expect(first.downloadProgress.mirroring.excluded == [.mirror(mirror): .length])
        bench.transport.order(.breakAfter(1_000), at: bench.url)
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"o1\""), at: other)
        let second = try await run(options { $0.mirrors = [other, mirror] })
        #expect(second.state == .completed && asked(of: mirror).count == 1)
        #expect(second.specification.options.mirrors == [other, mirror])
        #expect(second.downloadProgress.mirroring.excluded == [.mirror(mirror): .length])
    }

    @Test(arguments: [false, true])
    func beginsAnewWithoutTheMirrorThatGaveWhatIsThere(isStrict: Bool) async throws {
        bench.transport.set(nil, at: bench.url)
        bench.transport.order(.breakAfter(4_000), at: mirror)
        let first = try await run(options())
        #expect(first.downloadProgress.mirroring.lead == .mirror(mirror))
        #expect(first.downloadProgress.segments.received == 4_000)
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: bench.url)
        let second = try await run(
            options {
                $0.mirrors = []
                $0.strictResume = isStrict
            }
        )
        #expect(second.state == .completed && second.downloadProgress.assurance == .single)
        #expect(try bench.published == bench.bytes)
        #expect(asked(of: mirror).count == 1)
        #expect(asked(of: bench.url).last == "all")
    }

    @Test func isNeverMixedUnderStrictResume() async throws {
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        let transfer = try await run(options { $0.strictResume = true })
        #expect(transfer.failure != nil)
        #expect(asked(of: mirror).isEmpty)
    }

    @Test func beginsAnewElsewhereWhereTheServerIsGoneAndNothingProvesTheRest() async throws {
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        #expect(try await run(options { $0.strictResume = true }).failure != nil)
        bench.transport.set(nil, at: bench.url)
        let transfer = try await run(options { $0.strictResume = true })
        #expect(transfer.state == .completed)
        #expect(try bench.published == bench.bytes)
        #expect(transfer.downloadProgress.note?.message.contains("Starting over from mirror.example") == true)
        #expect(asked(of: mirror) == ["all"])
    }

    @Test func isFetchedElsewhereWhereTheDigestIsWrong() async throws {
        bench.transport.set(ScriptedResource(changed(9_000..<9_001), entityTag: "\"v1\""), at: bench.url)
        let transfer = try await run(
            options { $0.checksum = ReferenceDigest.digest(.sha256, of: bench.bytes) }
        )
        #expect(transfer.state == .completed)
        #expect(try bench.published == bench.bytes)
        #expect(transfer.downloadProgress.mirroring.excluded == [.own: .wrongBytes])
    }

    @Test func isRefusedWhereNobodyHasTheRightBytes() async throws {
        for url in [bench.url, mirror] {
            bench.transport.set(ScriptedResource(changed(9_000..<9_001), entityTag: "\"v1\""), at: url)
        }
        let transfer = try await run(
            options { $0.checksum = ReferenceDigest.digest(.sha256, of: bench.bytes) }
        )
        #expect(transfer.failure?.code == .checksumMismatch)
        #expect(try bench.published == nil)
        #expect(transfer.downloadProgress.mirroring == Mirroring(), "the next attempt asks all mirrors")
    }

    @Test(arguments: [false, true])
    func isCalledWrongRatherThanMissingWhereTheOthersHaveNone(knowsPieces: Bool) async throws {
        bench.transport.set(ScriptedResource(changed(9_000..<9_001), entityTag: "\"v1\""), at: bench.url)
        bench.transport.set(nil, at: mirror)
        let transfer = try await run(
            options {
                $0.checksum = ReferenceDigest.digest(.sha256, of: bench.bytes)
                if knowsPieces { $0.pieces = pieces }
            }
        )
        #expect(transfer.failure?.code == .checksumMismatch)
        let right = ReferenceDigest.digest(.sha256, of: bench.bytes).hex
        #expect(transfer.failure?.message.contains(right) == true)
    }

    @Test func keepsToThePolicyForChanges() async throws {
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        #expect(try await run(options { $0.mirrors = [] }).failure != nil)
        bench.transport.set(ScriptedResource(changed(0..<10_000), entityTag: "\"v2\""), at: bench.url)
        let transfer = try await run(options { $0.onChange = .fail })
        #expect(transfer.failure?.code == .resourceChanged && asked(of: mirror).isEmpty)
    }

    @Test func isGivenByOneAloneWhereBytesOfTwoDoNotFitTogether() async throws {
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        bench.transport.set(ScriptedResource(changed(9_000..<9_001), entityTag: "\"m1\""), at: mirror)
        let options = options { $0.checksum = ReferenceDigest.digest(.sha256, of: bench.bytes) }
        // The server that broke off gets no more requests in this attempt. Only the mirror has other bytes.
        let first = try await run(options)
        #expect(first.failure != nil && first.downloadProgress.mirroring.isAlone)
        #expect(first.downloadProgress.segments.received == 4_000, "what the mirror gave is dropped")
        let second = try await run(options)
        #expect(second.state == .completed)
        #expect(try bench.published == bench.bytes)
        #expect(asked(of: mirror).count == 1)
    }

    @Test(arguments: [false, true])
    func fetchesOnlyTheWrongPiecesAgain(knowsTheWhole: Bool) async throws {
        bench.transport.set(ScriptedResource(changed(5_500..<5_501), entityTag: "\"v1\""), at: bench.url)
        let transfer = try await run(
            options {
                $0.pieces = pieces
                if knowsTheWhole { $0.checksum = ReferenceDigest.digest(.sha256, of: bench.bytes) }
            }
        )
        #expect(transfer.state == .completed)
        #expect(try bench.published == bench.bytes)
        #expect(transfer.downloadProgress.mirroring.excluded == [.own: .wrongBytes])
        // The earlier bytes are right now, and are compared.
        #expect(asked(of: mirror) == ["bytes=0-5999"])
    }

    @Test func fetchesAWrongPieceAgainFromTheOnlyServerThereIs() async throws {
        bench.transport.order(.switchAfter(5_500, to: changed(5_500..<5_900)), at: bench.url)
        let transfer = try await run(
            options {
                $0.mirrors = []
                $0.pieces = pieces
            }
        )
        #expect(transfer.state == .completed)
        #expect(try bench.published == bench.bytes)
        #expect(asked(of: bench.url) == ["all", "bytes=5000-5999"])
    }

    @Test func givesUpAPieceThatStaysWrong() async throws {
        bench.transport.set(ScriptedResource(changed(5_500..<5_501), entityTag: "\"v1\""), at: bench.url)
        let transfer = try await run(
            options {
                $0.mirrors = []
                $0.pieces = pieces
            }
        )
        #expect(transfer.failure?.code == .checksumMismatch)
        #expect(try bench.published == nil)
        #expect(asked(of: bench.url).count == 4)
    }

    @Test func refusesAFileThatIsNotAsLongAsItShouldBe() async throws {
        let transfer = try await run(
            options {
                $0.mirrors = []
                $0.length = 9_999
            }
        )
        #expect(transfer.failure?.code == .checksumMismatch && asked(of: bench.url).count == 1)
        #expect(try bench.published == nil && bench.files.names(in: "/d").isEmpty)
    }

    @Test func keepsSecretsFromMirrors() async throws {
        bench.transport.set(nil, at: bench.url)
        let withPassword = try HTTPURL(parsing: "http://me:pass@mirror.example/other/name.bin")
        let transfer = try await run(
            options {
                $0.mirrors = [withPassword]
                $0.headers = [
                    .init(name: "Cookie", value: "secret"), .init(name: "Accept-Language", value: "de"),
                ]
                $0.credentials = .bearer(token: "secret")
            }
        )
        #expect(transfer.state == .completed)
        let request = try #require(bench.transport.requests.last)
        #expect(request.url.host == "mirror.example" && request.headers[.cookie] == nil)
        #expect(request.headers[.acceptLanguage] == "de")
        #expect(request.headers[.authorization]?.hasPrefix("Basic ") == true, "its own is its own")
    }
}
