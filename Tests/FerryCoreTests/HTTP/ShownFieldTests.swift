import FerryCore
import HTTPTypes
import Testing

@Suite struct ShownFieldTests {
    private func name(_ text: String) throws -> HTTPField.Name { try #require(HTTPField.Name(text)) }

    @Test(arguments: [
        ("Range", "bytes=0-"), ("User-Agent", "x/1"), ("If-Range", "\"a\""), ("Accept-Encoding", "identity"),
    ])
    func showsWhatIsNoSecret(_ name: String, _ value: String) throws {
        let field = HTTPField(name: try self.name(name), value: value)
        #expect(ShownField(sent: field).description == "\(name): \(value)")
    }

    @Test(arguments: [
        "Authorization", "Cookie", "X-Api-Key", "Proxy-Authorization", "Referer", "Idempotency-Key",
    ])
    func masksWhatMayBeASecretOfTheUser(_ name: String) throws {
        let field = HTTPField(name: try self.name(name), value: "secret")
        #expect(ShownField(sent: field).description == "\(name): …")
    }

    @Test(arguments: [
        ("Set-Cookie", "a=secret", "Set-Cookie: …"), ("ETag", "\"a\"", "ETag: \"a\""),
        ("Location", "/b?X-Amz-Signature=secret", "Location: https://h/b?X-Amz-Signature=…"),
        ("Location", "https://u:secret@o/", "Location: https://o/"),
        ("Link", "<https://h/x?sig=secret>; rel=next", "Link: …"),
        ("Content-Length", "5", "Content-Length: 5"),
        ("X-Subject-Token", "secret", "X-Subject-Token: …"),
        ("X-Upload-Url", "https://h/?sig=secret", "X-Upload-Url: …"),
    ])
    func masksSecretsOfAnswers(_ name: String, _ value: String, _ expected: String) throws {
        let url = try HTTPURL(parsing: "https://h/a")
        let field = HTTPField(name: try self.name(name), value: value)
        #expect(ShownField(received: field, from: url).description == expected)
    }
}
