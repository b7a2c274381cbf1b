import FerryCore
import FerryUploads
import Testing

@Suite("What a store says about a signed URL")
struct StoreRefusalTests {
    private static func refusal(_ body: String, _ status: Int = 403) throws -> StoreRefusal? {
        StoreRefusal(
            reading: Array(body.utf8),
            from: try HTTPURL(parsing: "https://b.example/k"),
            status: status
        )
    }

    @Test(
        "the code is read, and whether the time is the reason",
        arguments: [
            (
                "<Error><Code>SignatureDoesNotMatch</Code><Message>The request signature…</Message></Error>",
                false
            ),
            ("<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>", true),
            ("<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>", false),
            ("<Error><Code>ExpiredToken</Code><Message>Invalid argument.</Message></Error>", true),
            (
                """
                <Error><Code>AuthenticationFailed</Code><Message>Server failed to authenticate the request.</Message>\
                <AuthenticationErrorDetail>Signature not valid in the specified time frame: Start [Mon]\
                </AuthenticationErrorDetail></Error>
                """, true
            ),
            (
                """
                <Error><Code>AuthenticationFailed</Code><Message>Server failed to authenticate the request.</Message>\
                <AuthenticationErrorDetail>Signature did not match.</AuthenticationErrorDetail></Error>
                """, false
            ),
        ]
    )
    func codes(body: String, isOfTime: Bool) throws {
        let refusal = try #require(try Self.refusal(body))
        #expect(body.contains("<Code>\(refusal.code)</Code>") && refusal.isOfTime == isOfTime)
    }

    @Test(
        "other bodies say nothing",
        arguments: ["", "denied", "<html/>", "<Error/>", "<Error><Code>a b</Code></Error>"]
    )
    func nothing(body: String) throws {
        #expect(try Self.refusal(body) == nil)
    }
}
