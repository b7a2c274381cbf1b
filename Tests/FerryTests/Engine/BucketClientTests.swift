import FerryCore
import FerryTesting
import HTTPTypes
import Synchronization
import Testing

@testable import Ferry

/// What a bucket is asked without a transfer: which requests are sent, which are repeated, and which answers count.
@Suite("Questions to a bucket", .timeLimit(.minutes(10)))
struct BucketClientTests {
    private static let east = "https://bucket.s3.us-east-1.amazonaws.com/"
    private static let objects = "?list-type=2&encoding-type=url&max-keys=1000"
    private static let uploads = "?uploads=&encoding-type=url&max-uploads=1000"
    private static let plainUploads = "?uploads=&max-uploads=1000"

    private let bench: Bench
    private let engine: TransferEngine
    private let prefix: ObjectPrefix

    init() throws {
        bench = try Bench()
        prefix = try ObjectPrefix(parsing: "s3://bucket")
        engine = bench.engine(configure: { configuration in
            configuration.objectStoreAccess = { _ in
                ObjectStoreAccess(ObjectStoreCredentials(accessKey: "KEY", secret: "secret"))
            }
        })
    }

    private func client(retries: Int = 2) -> BucketClient {
        BucketClient(engine, ExchangeTerms(), retries: retries)
    }

    /// Lets the next request with a query be answered.
    private func answer(
        _ query: String,
        _ status: Int = 200,
        _ body: String = "",
        _ fields: HTTPFields = [:]
    ) throws {
        let url = try HTTPURL(parsing: Self.east + query)
        bench.transport.order(.answer(status: status, fields, body: Array(body.utf8)), at: url)
    }

    private func fail(_ query: String, _ status: Int, _ code: String) throws {
        try answer(query, status, "<Error><Code>\(code)</Code></Error>")
    }

    private func page(_ keys: [String], next: String? = nil) -> String {
        let contents = keys.map { "<Contents><Key>\($0)</Key><Size>1</Size></Contents>" }.joined()
        let more =
            next.map {
                "<IsTruncated>true</IsTruncated><NextContinuationToken>\($0)</NextContinuationToken>"
            } ?? ""
        return "<ListBucketResult>\(more)\(contents)</ListBucketResult>"
    }

    private func uploadPage(_ uploads: [(key: String, id: String)], isEncoded: Bool) -> String {
        let form = isEncoded ? "<EncodingType>url</EncodingType>" : ""
        let listed = uploads.map { "<Upload><Key>\($0.key)</Key><UploadId>\($0.id)</UploadId></Upload>" }
        return "<ListMultipartUploadsResult>\(form)\(listed.joined())</ListMultipartUploadsResult>"
    }

    /// The pages of a listing, each with its keys.
    private func list<Entry: BucketEntry>(
        _ kind: Entry.Type,
        retries: Int = 2
    ) async throws -> [[String]] {
        let (bench, client, prefix) = (bench, client(retries: retries), prefix)
        return try await bench.advancing {
            var pages: [[String]] = []
            try await client.list(kind, under: prefix) { page in pages.append(page.map(\.key)) }
            return pages
        }
    }

    private func failure(_ body: () async throws -> Void) async -> TransferFailure? {
        do {
            try await body()
            return nil
        } catch {
            return error as? TransferFailure
        }
    }

    private var queries: [String] { bench.transport.requests.map { $0.url.query ?? "" } }

    // MARK: Listing

    @Test func pagesAreAskedForInOrderAndEachRequestIsSigned() async throws {
        try answer(Self.objects, 200, page(["a", "b"], next: "t1"))
        try answer(Self.objects + "&continuation-token=t1", 200, page(["c"]))
        #expect(try await list(ListedObject.self) == [["a", "b"], ["c"]])
        #expect(bench.transport.requests.count == 2)
        for request in bench.transport.requests {
            #expect(request.method == .get)
            #expect(request.headers[.authorization]?.contains("Credential=KEY/") == true)
        }
    }

    @Test func aPageThatFailsForAMomentIsAskedForAgainAndItsEntriesComeOnce() async throws {
        try answer(Self.objects, 200, page(["a"], next: "t1"))
        try fail(Self.objects + "&continuation-token=t1", 503, "SlowDown")
        try fail(Self.objects + "&continuation-token=t1", 500, "InternalError")
        try answer(Self.objects + "&continuation-token=t1", 200, page(["b"]))
        #expect(try await list(ListedObject.self) == [["a"], ["b"]])
        #expect(bench.transport.requests.count == 4)
    }

    @Test(arguments: [0, 1, 3])
    func retriesAreCountedPerPage(_ retries: Int) async throws {
        for _ in 0..<retries { try fail(Self.objects, 503, "SlowDown") }
        try answer(Self.objects, 200, page(["a"], next: "t1"))
        for _ in 0...retries { try fail(Self.objects + "&continuation-token=t1", 503, "SlowDown") }
        let failure = await failure { _ = try await list(ListedObject.self, retries: retries) }
        #expect(failure?.code == .serverOverloaded)
        #expect(bench.transport.requests.count == 2 * (retries + 1))
    }

    @Test(arguments: [
        (403, "AccessDenied", TransferFailure.Code.forbidden), (404, "NoSuchBucket", .notFound),
    ])
    func aRefusalIsFinal(_ status: Int, _ word: String, _ code: TransferFailure.Code) async throws {
        try fail(Self.objects, status, word)
        #expect(await failure { _ = try await list(ListedObject.self) }?.code == code)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func whatIsNoPageEndsTheListing() async throws {
        try answer(Self.objects, 200, "<html/>")
        #expect(await failure { _ = try await list(ListedObject.self) }?.code == .badResponse)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func anotherServerDoesNotAnswerForTheBucket() async throws {
        let elsewhere = "https://other.example/list"
        try answer(Self.objects, 307, "", [.location: elsewhere])
        bench.transport.set(ScriptedResource(Array(page(["a"]).utf8)), at: try HTTPURL(parsing: elsewhere))
        #expect(await failure { _ = try await list(ListedObject.self) }?.code == .redirectRefused)
        let others = bench.transport.requests.filter { $0.url.host == "other.example" }
        #expect(others.allSatisfy { $0.headers[.authorization] == nil })
    }

    @Test func theCallerEndsAListingByAnError() async throws {
        struct Enough: Error {}
        try answer(Self.objects, 200, page(["a"], next: "t1"))
        let (client, prefix) = (client(), prefix)
        await #expect(throws: Enough.self) {
            try await client.list(ListedObject.self, under: prefix) { _ in throw Enough() }
        }
        #expect(bench.transport.requests.count == 1)
    }

    @Test func aPageOfUploadsThatMayBeEncodedIsSeenOnceMoreWithoutEncoding() async throws {
        for (encoded, plain, key) in [("a%2Bb", "a+b", "a+b"), ("a%2Bb", "a%2Bb", "a%2Bb")] {
            try answer(Self.uploads, 200, uploadPage([(encoded, "1")], isEncoded: true))
            // The second look may fail for a moment too.
            try fail(Self.plainUploads, 503, "SlowDown")
            try answer(Self.plainUploads, 200, uploadPage([(plain, "1")], isEncoded: false))
            #expect(try await list(ListedUpload.self) == [[key]])
        }
        try answer(Self.uploads, 200, uploadPage([("a/b", "1")], isEncoded: true))
        #expect(try await list(ListedUpload.self) == [["a/b"]])
        let plain = queries.filter { !$0.contains("encoding-type") }.count
        #expect(queries.count == 7 && plain == 4)
    }

    // MARK: Ending uploads

    private func upload() async throws -> ListedUpload {
        var listing = BucketListing<ListedUpload>(prefix)
        let body = Array(uploadPage([("a b", "u+1")], isEncoded: false).utf8)
        let url = try HTTPURL(parsing: Self.east)
        return try #require(
            try listing.read(UploadAnswer(200, [:], body: body, from: url), at: bench.clock.now).first
        )
    }

    private func abort(retries: Int = 2) async throws {
        let (bench, client, prefix, upload) = (bench, client(retries: retries), prefix, try await upload())
        try await bench.advancing { try await client.abort(upload, under: prefix) }
    }

    private static let object = "a%20b?uploadId=u%2B1"

    @Test(arguments: [204, 200, 404])
    func anUploadIsEndedByItsNameAndOneThatIsGoneIsNoFailure(_ status: Int) async throws {
        if status == 404 {
            try fail(Self.object, 404, "NoSuchUpload")
        } else {
            try answer(Self.object, status)
        }
        try await abort()
        let request = try #require(bench.transport.requests.first)
        #expect(bench.transport.requests.count == 1 && request.method == .delete)
        #expect(request.headers[.authorization]?.contains("Credential=KEY/") == true)
    }

    @Test func aRemovalThatFailsForAMomentIsRepeated() async throws {
        try fail(Self.object, 503, "SlowDown")
        try answer(Self.object, 204)
        try await abort()
        #expect(bench.transport.requests.map(\.method) == [.delete, .delete])
    }

    @Test(arguments: [
        (403, "AccessDenied", TransferFailure.Code.forbidden, 1), (404, "NoSuchBucket", .notFound, 1),
        (503, "SlowDown", .serverOverloaded, 3),
    ])
    func aRemovalThatIsRefusedIsAFailure(
        _ status: Int,
        _ word: String,
        _ code: TransferFailure.Code,
        _ count: Int
    ) async throws {
        for _ in 0..<count { try fail(Self.object, status, word) }
        #expect(await failure { try await abort() }?.code == code)
        #expect(bench.transport.requests.count == count)
    }
}
