import FerryCore
import FerryTesting
import Testing

@testable import FerryUploads

/// Listings of buckets: what is asked for, and what is believed.
struct BucketListingTests {
    private func prefix(_ text: String) throws -> ObjectPrefix { try ObjectPrefix(parsing: text) }

    private func page(_ body: String, _ status: Int = 200) throws -> UploadAnswer {
        try UploadExample.answer(status, [:], body, from: "https://b.example/?list-type=2")
    }

    private func objects(_ keys: [String], next: String? = nil, encoded: Bool = true) -> String {
        let contents = keys.map { "<Contents><Key>\($0)</Key><Size>\($0.utf8.count)</Size></Contents>" }
        let token = next.map { "<NextContinuationToken>\($0)</NextContinuationToken>" } ?? ""
        let form = encoded ? "<EncodingType>url</EncodingType>" : ""
        return
            "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"x\"><IsTruncated>\(next != nil)</IsTruncated>"
            + form + token + contents.joined() + "</ListBucketResult>"
    }

    private func code(_ body: () throws -> Void) -> TransferFailure.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? Problem)?.failure.code
        }
    }

    // MARK: Requests

    @Test(arguments: [
        ("s3://bucket", "list-type=2&encoding-type=url&max-keys=1000"),
        ("s3://bucket/", "list-type=2&encoding-type=url&max-keys=1000"),
        ("oss://bucket/a b/?", "list-type=2&encoding-type=url&max-keys=1000&prefix=a%20b%2F%3F"),
        ("gs://bucket/é", "list-type=2&max-keys=1000&prefix=%C3%A9"),
    ])
    func aPageOfObjectsIsAskedFor(_ place: String, _ query: String) throws {
        let url = try BucketListing<ListedObject>(prefix(place)).url
        #expect(url.query == query)
        #expect(url.objectName?.bucket == "bucket" && url.objectName?.key.isEmpty == true)
    }

    @Test func aPageOfUploadsIsAskedForAndTheNextBeginsAfterBothMarkers() throws {
        var listing = BucketListing<ListedUpload>(try prefix("s3://bucket/p"))
        #expect(try listing.url.query == "uploads&encoding-type=url&max-uploads=1000&prefix=p")
        let body = """
            <ListMultipartUploadsResult><IsTruncated>true</IsTruncated>
            <NextKeyMarker>p+q r</NextKeyMarker><NextUploadIdMarker>a+b</NextUploadIdMarker>
            <Upload><Key>p+q r</Key><UploadId>a+b</UploadId><Initiated>2026-01-02T03:04:05.000Z</Initiated></Upload>
            <Upload><Key>p</Key><UploadId>c</UploadId></Upload></ListMultipartUploadsResult>
            """
        let uploads = try listing.read(page(body), at: UploadExample.now)
        #expect(uploads.map(\.key) == ["p+q r", "p"] && uploads.map(\.id) == ["a+b", "c"])
        #expect(uploads.map(\.begun) == [Instant(timestamp: "2026-01-02T03:04:05Z"), nil])
        #expect(try listing.url.query?.hasSuffix("&key-marker=p%2Bq%20r&upload-id-marker=a%2Bb") == true)
        #expect(!listing.isOver)
    }

    // MARK: Pages

    @Test func pagesFollowOneAnotherUntilTheLast() throws {
        var listing = BucketListing<ListedObject>(try prefix("s3://bucket/a"))
        let first = try listing.read(
            page(objects(["a%2F1", "a+2", "a%2B3"], next: "t/1=")),
            at: UploadExample.now
        )
        #expect(first.map(\.key) == ["a/1", "a 2", "a+3"])
        #expect(try listing.url.query?.hasSuffix("prefix=a&continuation-token=t%2F1%3D") == true)
        let last = try listing.read(page(objects(["a%0A4"])), at: UploadExample.now)
        #expect(last.map(\.key) == ["a\n4"] && last[0].length == 5 && listing.isOver)
    }

    @Test(arguments: [("s3", "a b"), ("oss", "a+b"), ("gs", "a+b")])
    func aPlusIsABlankOnlyForS3(_ store: String, _ key: String) throws {
        var listing = BucketListing<ListedObject>(try prefix("\(store)://bucket"))
        #expect(try listing.read(page(objects(["a+b"])), at: UploadExample.now).map(\.key) == [key])
    }

    @Test func aStoreThatDoesNotEncodeIsTakenByItsWord() throws {
        var listing = BucketListing<ListedObject>(try prefix("s3://bucket"))
        let read = try listing.read(page(objects(["a+%20b&amp;"], encoded: false)), at: UploadExample.now)
        #expect(read.map(\.key) == ["a+%20b&"])
    }

    @Test func tenThousandPagesTakeOneMarker() throws {
        var listing = BucketListing<ListedObject>(try prefix("s3://bucket"))
        for number in 1...10_000 {
            let answer = try page(objects(["k\(number)"], next: "t\(number)"))
            #expect(try listing.read(answer, at: UploadExample.now).count == 1)
        }
        #expect(!listing.isOver)
    }

    // MARK: Refusals

    @Test(arguments: [1, 2, 3, 7, 64, 1000])
    func aCircleOfPagesIsRefused(_ length: Int) throws {
        var listing = BucketListing<ListedObject>(try prefix("s3://bucket"))
        let refusal = code {
            for number in 0..<(4 * length + 8) {
                _ = try listing.read(
                    try page(objects(["k"], next: "t\(number % length)")),
                    at: UploadExample.now
                )
            }
        }
        #expect(refusal == .badResponse)
    }

    @Test func pagesWithoutEntriesEnd() throws {
        var listing = BucketListing<ListedObject>(try prefix("s3://bucket"))
        var count = 0
        let refusal = code {
            while count < 1000 {
                _ = try listing.read(try page(objects([], next: "t\(count)")), at: UploadExample.now)
                count += 1
            }
        }
        #expect(refusal == .badResponse && count == 99)
    }

    @Test(arguments: [
        "", "{}", "<html/>", "<ListBucketResult>", "<ListMultipartUploadsResult/>",
        "<!DOCTYPE r [<!ENTITY a \"aa\"><!ENTITY b \"&a;&a;\">]><ListBucketResult>&b;</ListBucketResult>",
        "<ListBucketResult><IsTruncated>maybe</IsTruncated></ListBucketResult>",
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken></NextContinuationToken></ListBucketResult>",
        "<ListBucketResult><EncodingType>rot13</EncodingType></ListBucketResult>",
        "<ListBucketResult><Contents><Size>1</Size></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>pa</Key></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>pa</Key><Size>-1</Size></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key></Key><Size>1</Size></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>other</Key><Size>1</Size></Contents></ListBucketResult>",
        "<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>p%FF</Key><Size>1</Size></Contents>"
            + "</ListBucketResult>",
        "<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>p%00</Key><Size>1</Size></Contents>"
            + "</ListBucketResult>",
    ])
    func whatIsNoPageIsRefused(_ body: String) throws {
        var listing = BucketListing<ListedObject>(try prefix("s3://bucket/p"))
        #expect(code { _ = try listing.read(try page(body), at: UploadExample.now) } == .badResponse)
        #expect(!listing.isOver)
    }

    @Test func onlyWhatIsDirectlyInAnEntryCounts() throws {
        var listing = BucketListing<ListedObject>(try prefix("s3://bucket"))
        let body = """
            <ListBucketResult><Contents><Owner><Key>no</Key><Size>7</Size></Owner><Key>a<x>b</x>%20c</Key>
            <Size> 3 </Size><ETag><![CDATA["e"]]></ETag><LastModified/></Contents>
            <Other><Contents><Key>no</Key><Size>7</Size></Contents></Other>
            <Contents><Key>d</Key><Size>1</Size><ETag>1</ETag><ETag>2</ETag></Contents>
            <EncodingType>url</EncodingType></ListBucketResult>
            """
        let objects = try listing.read(page(body), at: UploadExample.now)
        #expect(objects.map(\.key) == ["a c", "d"] && objects.map(\.length) == [3, 1])
        #expect(objects.map(\.etag) == ["\"e\"", nil] && objects.map(\.modified) == ["", nil])
        #expect(listing.isOver)
    }

    @Test func aPageOfTooManyElementsIsRefused() throws {
        var listing = BucketListing<ListedObject>(try prefix("s3://bucket"))
        let body = "<ListBucketResult>" + String(repeating: "<x/>", count: 100_000) + "</ListBucketResult>"
        #expect(code { _ = try listing.read(try page(body), at: UploadExample.now) } == .badResponse)
    }

    @Test func aKeyOrAMarkerThatIsTooLongIsRefused() throws {
        var listing = BucketListing<ListedObject>(try prefix("s3://bucket"))
        let key = String(repeating: "k", count: 1025)
        #expect(
            code { _ = try listing.read(try page(objects([key])), at: UploadExample.now) } == .badResponse
        )
        let token = String(repeating: "t", count: 8193)
        let long = objects(["k"], next: token)
        #expect(code { _ = try listing.read(try page(long), at: UploadExample.now) } == .badResponse)
    }

    @Test(arguments: [
        (403, "AccessDenied", TransferFailure.Code.forbidden), (404, "NoSuchBucket", .notFound),
        (503, "SlowDown", .serverOverloaded), (200, "InternalError", .badResponse),
    ])
    func aRefusalSaysWhy(_ status: Int, _ word: String, _ expected: TransferFailure.Code) throws {
        var listing = BucketListing<ListedObject>(try prefix("s3://bucket"))
        let body = "<Error><Code>\(word)</Code></Error>"
        #expect(code { _ = try listing.read(try page(body, status), at: UploadExample.now) } == expected)
    }

    @Test(arguments: UInt64(1)...8)
    func whateverAServerSendsOnlyKeysOfThePrefixAreBelieved(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let whole = Array(objects(["p%2F1", "p+2", "pp"], next: "token").utf8)
        for _ in 0..<3000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + 20))
                default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 40)], at: place)
                }
            }
            var answer = try page("")
            answer.body = bytes
            var listing = BucketListing<ListedObject>(try prefix("s3://bucket/p"))
            do throws(Problem) {
                for entry in try listing.read(answer, at: UploadExample.now) {
                    #expect(entry.key.hasPrefix("p") && entry.length >= 0, "seed \(seed)")
                }
            } catch {
                #expect(error.failure.code == .badResponse, "seed \(seed)")
            }
        }
    }
}
