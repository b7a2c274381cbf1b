import ArgumentParser
import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// Command lines of `ferry presign`.
@Suite struct PresignPlanTests {
    private let now = Instant(milliseconds: 1_800_000_000_999)
    private let variables = [
        "AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "eu-west-1",
        "OSS_ACCESS_KEY_ID": "LTAI", "OSS_ACCESS_KEY_SECRET": "s", "OSS_REGION": "cn-beijing",
    ]

    private func signed(
        _ words: [String],
        variables more: [String: String] = [:]
    ) async throws -> SignedURL {
        let environment = ProcessEnvironment(
            variables: variables.merging(more) { $1 },
            workingDirectory: "/",
            home: nil
        )
        let plan = try PresignPlan(PresignCommand.parse(words).input, environment)
        return try plan.url(
            try await plan.access.credentials(
                outputOf: { _ in [] },
                answerTo: { _ in CredentialEndpoint.Answer(status: 404, body: []) }
            ),
            at: now
        )
    }

    @Test func aURLIsValidForAnHourOrAsLongAsIsSaid() async throws {
        let hour = try await signed(["GET", "s3://bucket/a b"])
        #expect(hour.url.host == "bucket.s3.eu-west-1.amazonaws.com" && hour.url.path == "/a%20b")
        #expect(
            hour.text.contains("X-Amz-Expires=3600&") && hour.expiration == Instant(seconds: 1_800_003_600)
        )
        let short = try await signed(["GET", "s3://bucket/k", "--expires", "30m"])
        #expect(short.text.contains("X-Amz-Expires=1800&") && !short.isShortened)
        let long = try await signed(["PUT", "oss://bucket/k", "--expires=7d"])
        #expect(long.text.contains("x-oss-expires=604800&"))
    }

    @Test func headersAndParametersAreSigned() async throws {
        let words = [
            "PUT", "s3://bucket/k", "-H", "Content-Type: text/plain", "--query", "versionId=a b=c", "--query",
            "acl",
        ]
        let url = try await signed(words)
        #expect(url.text.contains("/k?versionId=a%20b%3Dc&acl=&X-Amz-Algorithm="))
        #expect(url.text.contains("X-Amz-SignedHeaders=content-type%3Bhost&"))
        #expect(url.json.text.contains(#""headers":[{"name":"Content-Type","value":"text/plain"}]"#))
        #expect(url.json.text.contains(#""expires":"2027-01-15T09:00:00.000Z""#))
    }

    @Test func credentialsThatExpireShortenTheURL() async throws {
        let soon = ["AWS_SESSION_TOKEN": "t", "AWS_CREDENTIAL_EXPIRATION": "2027-01-15T08:10:00+00:00"]
        let url = try await signed(["GET", "s3://bucket/k"], variables: soon)
        #expect(url.isShortened && url.expiration == Instant(timestamp: "2027-01-15T08:10:00Z"))
        let past = ["AWS_CREDENTIAL_EXPIRATION": "2027-01-15T08:00:00Z"]
        let failure = await #expect(throws: CommandFailure.self) {
            try await signed(["GET", "s3://bucket/k"], variables: past)
        }
        #expect(failure?.status == .notAuthorised)
    }

    @Test(arguments: [
        (["get", "s3://bucket/k"], "capitals"), (["G T", "s3://bucket/k"], "one word"),
        (["GET", "https://u:p@bucket/k"], "s3://"), (["GET", "s3://bucket"], "no key"),
        (["GET", "s3://bucket/k", "--expires", "30"], "30m"),
        (["GET", "s3://bucket/k", "--expires", "0s"], "7 days"),
        (["GET", "s3://bucket/k", "--expires", "8d"], "7 days"),
        (["GET", "s3://bucket/k", "--query", "=x"], "name=value"),
        (["GET", "s3://bucket/k", "--query", "X-Amz-Date=1"], "X-Amz-Date"),
        (["GET", "s3://bucket/k", "-H", "x"], "colon"),
        (["GET", "s3://bucket/k", "-H", "Host: x"], "Host"),
        (["GET", "s3://bucket/k", "--region", "a.b"], "region"),
        (["GET", "s3://bucket/k", "--custom-domain"], "endpoint"),
        (["GET", "s3://bucket/k", "--sign-version", "v1"], "OSS"),
        (["GET", "s3://bucket/k", "--endpoint", "https://h?x=1"], "query"),
    ])
    func whatIsWrongIsSaid(_ words: [String], _ word: String) async {
        let failure = await #expect(throws: CommandFailure.self) { try await signed(words) }
        #expect(failure?.status == .usage)
        #expect(failure?.message.contains(word) == true, "\(failure?.message ?? "")")
    }

    @Test func aMissingRegionIsAskedFor() async {
        let failure = await #expect(throws: CommandFailure.self) {
            try await signed(["GET", "s3://bucket/k"], variables: ["AWS_REGION": ""])
        }
        #expect(failure?.status == .usage && failure?.hint?.contains("--region") == true)
    }
}
