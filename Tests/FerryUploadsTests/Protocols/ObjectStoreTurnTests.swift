import FerryCore
import FerryUploads
import HTTPTypes
import Testing

@Suite("Answers of stores to signed requests")
struct ObjectStoreTurnTests {
    private static let now = Instant(seconds: 1_700_000_000)

    private func turn(
        _ status: Int,
        _ xml: String = "",
        _ fields: HTTPFields = [:],
        store: ObjectStore = .s3,
        isOwnServer: Bool = true
    ) throws -> ObjectStoreTurn {
        let answer = UploadAnswer(
            status,
            fields,
            body: Array(xml.utf8),
            from: try HTTPURL(parsing: "https://store.example/bucket/key")
        )
        return ObjectStoreTurn(
            answer,
            from: store,
            region: "us-east-1",
            isOwnServer: isOwnServer,
            at: Self.now
        )
    }

    private func error(_ code: String, _ more: String = "") -> String {
        "<?xml version=\"1.0\"?><Error><Code>\(code)</Code>\(more)<RequestId>R1</RequestId></Error>"
    }

    private func failure(_ turn: ObjectStoreTurn) -> TransferFailure? {
        if case .fail(let problem) = turn { problem.failure } else { nil }
    }

    @Test("another region is taken from the field or from the body, once it is another")
    func regions() throws {
        let region = HTTPField.Name("x-amz-bucket-region")!
        #expect(try turn(301, "", [region: "eu-west-1"]) == .move(region: "eu-west-1"))
        #expect(try turn(400, "", [region: "us-east-1"]) == .pass)
        let wrong = error("AuthorizationHeaderMalformed", "<Region>eu-central-1</Region>")
        #expect(try turn(400, wrong) == .move(region: "eu-central-1"))
        let oss = error("AccessDenied", "<Endpoint>oss-cn-beijing.aliyuncs.com</Endpoint>")
        #expect(try turn(403, oss, store: .oss) == .move(region: "cn-beijing"))
        #expect(failure(try turn(403, oss, store: .oss, isOwnServer: false))?.code == .forbidden)
    }

    @Test("the clock of the store is believed when it says that ours is wrong")
    func clocks() throws {
        let date: HTTPFields = [.date: Self.now.advanced(by: .seconds(1_200)).httpDate]
        #expect(try turn(403, error("RequestTimeTooSkewed"), date) == .correct(clock: .seconds(1_200)))
        #expect(failure(try turn(403, error("RequestTimeTooSkewed"))) != nil)
    }

    @Test("expired credentials are renewed", arguments: ["ExpiredToken", "RequestExpired"])
    func renewals(code: String) throws { #expect(try turn(400, error(code)) == .renew) }

    @Test(
        "refusals say which, with the name that the store gives them",
        arguments: [
            (403, "AccessDenied", TransferFailure.Code.forbidden),
            (403, "SignatureDoesNotMatch", .notAuthorised),
            (403, "InvalidAccessKeyId", .notAuthorised), (404, "NoSuchKey", .notFound),
            (404, "NoSuchBucket", .notFound),
            (403, "InvalidObjectState", .refused),
        ]
    )
    func refusals(status: Int, name: String, code: TransferFailure.Code) throws {
        let failure = try #require(failure(try turn(status, error(name))))
        #expect(failure.code == code)
        #expect(
            failure.message.hasPrefix("store.example ") && failure.message.contains("(\(name), request R1)")
        )
    }

    @Test("a signature that is too old is made anew")
    func oldSignatures() throws {
        let expired = error("AccessDenied", "<Message>Request has expired</Message>")
        #expect(try turn(403, expired) == .renew)
    }

    @Test("errors in JSON are read as well")
    func json() throws {
        let body = #"{"error": {"code": 404, "errors": [{"domain": "global", "reason": "notFound"}]}}"#
        let failure = try #require(failure(try turn(404, body, store: .gs)))
        #expect(failure.code == .notFound && failure.message.hasSuffix("(notFound)."))
        for other in [
            "{}", #"{"error": 1}"#, #"{"error": {"errors": []}}"#, "[",
            #"{"error": {"errors": [{"reason": "a b"}]}}"#,
        ] {
            #expect(try turn(404, other, store: .gs) == .pass)
        }
    }

    @Test("a bucket that is elsewhere, while its region is as told, is at another server")
    func elsewhere() throws {
        let failure = try #require(
            failure(try turn(301, error("PermanentRedirect", "<Region>us-east-1</Region>")))
        )
        #expect(failure.code == .refused && failure.message.contains("PermanentRedirect"))
    }

    @Test("what others judge is passed on")
    func passes() throws {
        for status in [304, 412, 416, 200, 206] { #expect(!ObjectStoreTurn.concerns(status)) }
        #expect(try turn(503, error("SlowDown")) == .pass)
        #expect(try turn(500, error("InternalError")) == .pass)
        #expect(try turn(404, error("NoSuchUpload")) == .pass)
        #expect(try turn(404, "not found") == .pass)
        #expect(try turn(403) == .pass)
        #expect(try turn(307, "", [.location: "https://elsewhere.example/"]) == .pass)
    }
}
