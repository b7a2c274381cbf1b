import FerryCore
import HTTPTypes
import Testing

/// What is said of an answer with which a server refuses a request.
@Suite("Refused requests")
struct RequestRefusalTests {
    private static let now = Instant(seconds: 1_800_000_000)

    /// - Parameter isRepeated: whether an earlier attempt may have arrived.
    private func problem(
        _ method: HTTPRequest.Method,
        key: Bool,
        isRepeated: Bool = false,
        _ status: Int
    ) throws -> Problem? {
        let request = try RequestSpecification(
            method: method,
            url: HTTPURL(parsing: "https://api.example/a"),
            key: key ? IdempotencyKey(value: "\"1\"") : nil
        )
        var work = RequestWork(request)
        if isRepeated { work.progress.sent = Self.now }
        var machine = RequestMachine(work)
        _ = machine.handle(.begin, at: Self.now)
        _ = machine.handle(.recorded, at: Self.now)
        let answer = RequestMachine.Answer(StoredResponse(status: status, fields: [], body: []))
        guard case .finish(.failed(let problem), _)? = machine.handle(.answered(answer), at: Self.now).last
        else {
            return nil
        }
        return problem
    }

    @Test("a conflict and a body that cannot be processed are explained")
    func explained() throws {
        let cases: [(HTTPRequest.Method, Bool, Int, String, [Remedy])] = [
            (.put, false, 409, "WebDAV", [.retry]),
            (.post, true, 409, "answered the POST request with 409", [.retry]),
            (.post, false, 409, "answered the POST request with 409", [.retry]),
            (.put, false, 422, "cannot process the body", [.remove]),
            (.post, true, 422, "another request had the same key", [.remove]),
            (.put, false, 401, "requires credentials", []),
            (.put, false, 403, "PUT request with 403", [.checkURL, .giveURL, .giveCredentials, .retry]),
        ]
        for (method, key, status, text, remedies) in cases {
            let problem = try #require(try problem(method, key: key, status))
            #expect(problem.failure.message.contains(text), "\(problem.failure.message)")
            #expect(problem.failure.message.contains("\(status)") && problem.failure.remedies == remedies)
            #expect(problem.disposition == .permanent)
        }
    }

    @Test("a 405 for a PUT says how the URL of a directory ends")
    func directory() throws {
        let put = try #require(try problem(.put, key: false, 405))
        #expect(put.failure.message.contains("must end with /"), "\(put.failure.message)")
        let post = try #require(try problem(.post, key: false, 405))
        #expect(!post.failure.message.contains("must end with /"), "\(post.failure.message)")
    }

    @Test("409 is retried only if an earlier attempt with the same key may be in progress")
    func conflict() throws {
        let twin = try #require(try problem(.post, key: true, isRepeated: true, 409))
        #expect(twin.disposition == .transient(retryAfter: nil))
        #expect(twin.failure.message.contains("may still be in progress"), "\(twin.failure.message)")
        // Without a key, a repeated PUT proves nothing.
        let conflict = try #require(try problem(.put, key: false, isRepeated: true, 409))
        #expect(conflict.disposition == .permanent && conflict.failure.message.contains("WebDAV"))
    }
}
