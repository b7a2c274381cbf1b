import FerryCore
import Testing

@Suite("Codes of statuses")
struct StatusCodeTests {
    private static func ofDownload(_ status: Int) throws -> TransferFailure.Code {
        let facts = ResponseFacts(ResponseHead(status: status, headers: [:], bodyLength: nil), at: .epoch)
        let url = try HTTPURL(parsing: "http://example.com/f")
        return StatusProblem.problem(for: facts, url: url, hasWorked: false).failure.code
    }

    private static func ofRequest(_ status: Int) throws -> TransferFailure.Code? {
        let url = try HTTPURL(parsing: "http://example.com/f")
        var machine = RequestMachine(RequestWork(try RequestSpecification(url: url)))
        _ = machine.handle(.begin, at: .epoch)
        _ = machine.handle(.recorded, at: .epoch)
        let answer = RequestMachine.Answer(StoredResponse(status: status, fields: [], body: []))
        guard case .finish(.failed(let problem), _)? = machine.handle(.answered(answer), at: .epoch).last
        else { return nil }
        return problem.failure.code
    }

    @Test("a status has one code, whether a request or a download gets it")
    func everyKindUsesTheTable() throws {
        for status in 100...999 {
            let code = TransferFailure.Code(status: status)
            let ofRequest = try Self.ofRequest(status)
            #expect(ofRequest == (status / 100 == 2 ? nil : code), "\(status)")
            // Without content, a success or a redirect is of no use to a download, and to ask again does not help
            // where the server lacks the method or the version of HTTP.
            let exception: TransferFailure.Code? =
                switch status {
                case 200..<400: .badResponse
                case 501, 505, 506: .refused
                default: nil
                }
            let ofDownload = try Self.ofDownload(status)
            #expect(ofDownload == exception ?? code, "\(status)")
        }
    }

    @Test("the failure of a download has the status that caused it")
    func statusesAreKept() throws {
        for status in [204, 304, 401, 403, 404, 429, 503] {
            let problem = try Self.refused(status, nil)
            #expect(problem.failure.status == status)
        }
        #expect(
            try Self.refused(403, StoreRefusal(code: "AccessDenied", isOfTime: true)).failure.status == 403
        )
        #expect(TransferFailure(.timeout, "Late.").status == nil)
    }

    @Test(
        "a 401 says whether credentials were missing or refused, as far as that is known",
        arguments: [
            (false, "example.com requires credentials (401)."),
            (true, "example.com refuses the given credentials (401)."),
            (nil, "example.com requires credentials, or refuses the given ones (401)."),
        ] as [(Bool?, String)]
    )
    func credentials(_ had: Bool?, _ message: String) throws {
        var facts = ResponseFacts(ResponseHead(status: 401, headers: [:], bodyLength: nil), at: .epoch)
        facts.hadCredentials = had
        let url = try HTTPURL(parsing: "http://example.com/f")
        let failure = StatusProblem.problem(for: facts, url: url, hasWorked: false).failure
        #expect(failure.message == message)
    }

    @Test(
        "a 404 tells of the part of the URL that is not sent",
        arguments: [("data%20%231.csv", false), ("data%20#1.csv", true)]
    )
    func fragment(_ name: String, _ isTold: Bool) throws {
        let facts = ResponseFacts(ResponseHead(status: 404, headers: [:], bodyLength: nil), at: .epoch)
        let url = try HTTPURL(parsing: "http://example.com/\(name)")
        let failure = StatusProblem.problem(for: facts, url: url, hasWorked: false).failure
        #expect(failure.message.contains("write %23 for a # in a name") == isTold)
    }

    @Test(
        "a message names the port if it is not the usual one",
        arguments: [
            ("http://example.com:80/f", "example.com"), ("http://example.com:8080/f", "example.com:8080"),
            ("https://[::1]:8443/f", "[::1]:8443"), ("https://[::1]/f", "[::1]"),
        ]
    )
    func ports(_ text: String, _ server: String) throws {
        let facts = ResponseFacts(ResponseHead(status: 503, headers: [:], bodyLength: nil), at: .epoch)
        let problem = StatusProblem.problem(for: facts, url: try HTTPURL(parsing: text), hasWorked: false)
        #expect(problem.failure.message == "\(server) is overloaded (503 Service Unavailable).")
    }

    @Test("a status without a class counts as a server error")
    func unknownClassesAreServerErrors() {
        #expect(TransferFailure.Code(status: 600) == .serverError)
        #expect(TransferFailure.Code(status: 999) == .serverError)
    }

    private static func refused(
        _ status: Int,
        _ refusal: StoreRefusal?,
        hasWorked: Bool = false,
        at text: String = "https://b.example/k?X-Amz-Signature=a"
    ) throws -> Problem {
        var facts = ResponseFacts(ResponseHead(status: status, headers: [:], bodyLength: nil), at: .epoch)
        facts.refusal = refusal
        return StatusProblem.problem(for: facts, url: try HTTPURL(parsing: text), hasWorked: hasWorked)
    }

    @Test("a store that does not accept a signature is quoted, and no fresh time would help")
    func refusedSignatures() throws {
        let refusal = StoreRefusal(code: "SignatureDoesNotMatch", isOfTime: false)
        for hasWorked in [false, true] {
            let problem = try Self.refused(403, refusal, hasWorked: hasWorked)
            #expect(problem.disposition == .permanent && problem.failure.code == .forbidden)
            #expect(problem.failure.message.contains("SignatureDoesNotMatch"))
            #expect(!problem.failure.message.contains("expired"))
        }
    }

    @Test(
        "a store that says that a URL has expired is believed, whatever the status",
        arguments: [400, 401, 403]
    )
    func expired(status: Int) throws {
        let problem = try Self.refused(status, StoreRefusal(code: "ExpiredToken", isOfTime: true))
        #expect(problem.disposition == .condition(.newURL) && problem.failure.code == .urlExpired)
    }

    @Test("a denied access waits for another URL, and is called expired only if the URL has worked")
    func denied() throws {
        let refusal = StoreRefusal(code: "AccessDenied", isOfTime: false)
        let never = try Self.refused(403, refusal)
        #expect(never.disposition == .condition(.newURL) && never.failure.message.contains("AccessDenied"))
        #expect(!never.failure.message.contains("expired"))
        let later = try Self.refused(403, refusal, hasWorked: true)
        #expect(later.disposition == .condition(.newURL) && later.failure.code == .urlExpired)
    }

    @Test("an unsigned URL is judged by its status alone")
    func unsigned() throws {
        let refusal = StoreRefusal(code: "ExpiredToken", isOfTime: true)
        let without = try Self.refused(403, .none, at: "https://b.example/k")
        #expect(try Self.refused(403, refusal, at: "https://b.example/k") == without)
    }
}
