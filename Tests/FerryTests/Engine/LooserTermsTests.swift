import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

/// Bytes that were fetched with options that a later request does not accept: half a file or a whole one.
@Suite("Bytes that came on looser terms", .timeLimit(.minutes(10)))
struct LooserTermsTests {
    /// Longer than the overlap that a resumed download compares, so that the overlap shows no difference.
    private static let bytes = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    /// The same bytes, except at the beginning.
    private static let evil = [UInt8](repeating: 0x45, count: 1_000) + bytes[1_000...]

    private let bench: Bench

    init() throws {
        bench = try Bench()
        bench.transport.set(ScriptedResource(Self.bytes, entityTag: "\"own\""), at: bench.url)
    }

    /// The result of a download on these terms.
    private func fetch(
        _ url: HTTPURL? = nil,
        _ change: (inout DownloadOptions) -> Void = { _ in }
    ) async throws -> (addition: Addition, transfer: Transfer) {
        let engine = bench.engine()
        var options = DownloadOptions()
        options.retries = 0
        change(&options)
        let specification = DownloadSpecification(
            url: url ?? bench.url,
            destination: try bench.destination,
            options: options
        )
        let addition = try await engine.download([NewTransfer(specification)])[0]
        try await engine.run()
        return (addition, try await engine.snapshot(of: addition.transfer.id))
    }

    private func requireWhole(_ result: (addition: Addition, transfer: Transfer)) throws {
        #expect(result.transfer.state == .completed)
        #expect(try bench.published == Self.bytes)
    }

    // MARK: Mirrors

    private func mirror(_ name: String, query: String = "") throws -> HTTPURL {
        let url = try HTTPURL(parsing: "http://\(name).example/f\(query)")
        bench.transport.set(ScriptedResource(Self.evil, entityTag: "\"evil\""), at: url)
        return url
    }

    /// A mirror sent the first bytes of the file, because the server sent none.
    private func mirrorGave(_ count: Int?, _ url: HTTPURL) async throws {
        bench.transport.order(.answer(status: 503, [:]), at: bench.url)
        if let count { bench.transport.order(.breakAfter(count), at: url) }
        _ = try await fetch { $0.mirrors = [url] }
    }

    @Test func ofAMirrorAreDroppedByWhoDoesNotNameIt() async throws {
        let evil = try mirror("evil")
        try await mirrorGave(200_000, evil)
        let other = try mirror("other")
        try await requireWhole(try fetch { $0.mirrors = [other] })
        #expect(bench.transport.requests.count { $0.url == evil } == 1)
    }

    @Test func ofAMirrorAreDroppedWithoutAnyMirror() async throws {
        try await mirrorGave(200_000, try mirror("evil"))
        try await requireWhole(try fetch())
    }

    @Test func ofAMirrorAreKeptByWhoNamesItOrKnowsTheDigest() async throws {
        for knowsDigest in [false, true] {
            let bench = try LooserTermsTests()
            let honest = try HTTPURL(parsing: "http://honest.example/f")
            bench.bench.transport.set(ScriptedResource(Self.bytes, entityTag: "\"m\""), at: honest)
            try await bench.mirrorGave(200_000, honest)
            let result = try await bench.fetch {
                if knowsDigest {
                    $0.checksum = ReferenceDigest.digest(.sha256, of: Self.bytes)
                } else {
                    $0.mirrors = [honest]
                }
            }
            try bench.requireWhole(result)
            let ranges = bench.bench.transport.requests.map { $0.headers[.range] }
            #expect(ranges.filter { $0 == nil }.count == 2, "resumed, not begun anew: \(ranges)")
        }
    }

    @Test func ofAMirrorMakeNoFileForWhoDoesNotNameIt() async throws {
        let evil = try mirror("evil")
        try await mirrorGave(nil, evil)
        #expect(try bench.published == Self.evil)
        let again = try await fetch { $0.mirrors = [evil] }
        guard case .attached = again.addition else {
            Issue.record("who names it has its file: \(again)")
            return
        }
        let bare = try await fetch()
        guard case .failed(let failure) = bare.transfer.state else {
            Issue.record("\(bare)")
            return
        }
        #expect(failure.code == .destinationExists)
    }

    @Test func ofAMirrorAreItsOwnUnderAFreshSignature() async throws {
        func signed(_ date: String) throws -> HTTPURL {
            let query = "?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a&X-Amz-Date=\(date)"
            let url = try HTTPURL(
                parsing:
                    "http://m.example/f\(query)&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature=\(date)"
            )
            bench.transport.set(ScriptedResource(Self.bytes, entityTag: "\"m\""), at: url)
            return url
        }
        let (old, fresh) = (try signed("20240101T000000Z"), try signed("20240102T000000Z"))
        try await mirrorGave(200_000, old)
        bench.transport.order(.answer(status: 503, [:]), at: bench.url)
        try await requireWhole(try fetch { $0.mirrors = [fresh] })
        let asked = bench.transport.requests.filter { $0.url == fresh }
        #expect(asked.map { $0.headers[.range] != nil } == [true], "\(asked)")
        let again = try await fetch { $0.mirrors = [old] }
        guard case .attached = again.addition else {
            Issue.record("\(again)")
            return
        }
    }

    // MARK: The route

    /// A URL that redirects by https to http.
    private func roundabout() throws -> HTTPURL {
        let (start, middle) = (
            try HTTPURL(parsing: "http://start.example/f"), try HTTPURL(parsing: "https://middle.example/f")
        )
        for (from, to) in [(start, middle), (middle, bench.url)] {
            var redirect = ScriptedResource([])
            redirect.redirect = (302, to.absoluteString)
            bench.transport.set(redirect, at: from)
        }
        return start
    }

    @Test(arguments: [true, false])
    func thatPassedADowngradeAreDroppedByWhoDoesNotAllowIt(isWhole: Bool) async throws {
        let start = try roundabout()
        if !isWhole { bench.transport.order(.breakAfter(200_000), at: bench.url) }
        let first = try await fetch(start) { $0.allowsDowngrade = true }
        #expect(first.transfer.downloadProgress.trail == [.encrypted, .downgraded])
        let second = try await fetch(start)
        guard case .failed(let failure) = second.transfer.state else {
            Issue.record("\(second)")
            return
        }
        #expect(failure.code == (isWhole ? .destinationExists : .redirectRefused))
        if !isWhole { #expect(second.transfer.downloadProgress.segments.received == 0) }
    }

    @Test(arguments: [true, false])
    func thatPassedAnUnverifiedServerAreDroppedByWhoVerifies(isWhole: Bool) async throws {
        let start = try roundabout()
        if !isWhole { bench.transport.order(.breakAfter(200_000), at: bench.url) }
        let allow: (inout DownloadOptions) -> Void = { $0.allowsDowngrade = true }
        _ = try await fetch(start) {
            allow(&$0)
            $0.connection.trustsAnyCertificate = true
        }
        let second = try await fetch(start, allow)
        if isWhole {
            guard case .failed(let failure) = second.transfer.state else {
                Issue.record("\(second)")
                return
            }
            #expect(failure.code == .destinationExists)
        } else {
            try requireWhole(second)
            #expect(bench.transport.requests.allSatisfy { $0.headers[.range] == nil }, "it began anew")
        }
    }

    // MARK: Digests

    /// The server gives another digest for the file.
    private func lie() throws {
        var resource = ScriptedResource(Self.evil, entityTag: "\"own\"")
        resource.headers = try ServerDigestTests.fields(sayingDigestOf: Self.bytes)
        bench.transport.set(resource, at: bench.url)
    }

    @Test(arguments: [true, false])
    func whoseDigestWasPassedOverAreComparedByWhoWantsThat(isWhole: Bool) async throws {
        try lie()
        if !isWhole { bench.transport.order(.breakAfter(200_000), at: bench.url) }
        _ = try await fetch { $0.ignoresServerDigests = true }
        let again = try await fetch { $0.ignoresServerDigests = true }
        #expect(again.transfer.state == .completed)
        if isWhole {
            let second = try await fetch()
            guard case .failed(let failure) = second.transfer.state else {
                Issue.record("\(second)")
                return
            }
            #expect(failure.code == .destinationExists)
        }
    }

    @Test func whoseDigestWasPassedOverAreNoFileWhereItCounts() async throws {
        try lie()
        bench.transport.order(.breakAfter(200_000), at: bench.url)
        _ = try await fetch { $0.ignoresServerDigests = true }
        let second = try await fetch()
        guard case .failed(let failure) = second.transfer.state else {
            Issue.record("\(second)")
            return
        }
        #expect(failure.code == .checksumMismatch)
        #expect(try bench.published == nil)
    }

    /// After a `touch` the digest shows that it is the file, even for a request that does not require a digest.
    @Test func whoseDigestIsRightAreTheFileForWhoIgnoresIt() async throws {
        var resource = ScriptedResource(Self.bytes, entityTag: "\"own\"")
        resource.headers = try ServerDigestTests.fields(sayingDigestOf: Self.bytes)
        bench.transport.set(resource, at: bench.url)
        _ = try await fetch()
        bench.files.rewrite(try FileName(userGiven: "file.bin"), in: "/d", with: Self.bytes)
        let again = try await fetch { $0.ignoresServerDigests = true }
        guard case .attached = again.addition else {
            Issue.record("it has the digest")
            return
        }
    }

    @Test func whoseDigestWasPassedOverAndIsRightAreTheFile() async throws {
        var resource = ScriptedResource(Self.bytes, entityTag: "\"own\"")
        resource.headers = try ServerDigestTests.fields(sayingDigestOf: Self.bytes)
        bench.transport.set(resource, at: bench.url)
        _ = try await fetch { $0.ignoresServerDigests = true }
        guard case .attached = try await fetch().addition else {
            Issue.record("it has the digest")
            return
        }
    }
}
