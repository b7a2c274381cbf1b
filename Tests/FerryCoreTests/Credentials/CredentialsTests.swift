import FerryCore
import Testing

struct CredentialsTests {
    /// The examples of RFC 7617 §2 and §2.1, RFC 6750 §2.1, and the padding of RFC 4648 §10.
    @Test(arguments: [
        (Credentials.basic(user: "Aladdin", password: "open sesame"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        (.basic(user: "test", password: "123£"), "Basic dGVzdDoxMjPCow=="),
        (.basic(user: "", password: ""), "Basic Og=="), (.basic(user: "a", password: ""), "Basic YTo="),
        (.basic(user: "fo", password: ""), "Basic Zm86"),
        (.basic(user: "\u{3FF}?>", password: "~"), "Basic z78/Pjp+"),
        (.bearer(token: "mF_9.B5f-4.1JqM"), "Bearer mF_9.B5f-4.1JqM"),
        (.bearer(token: "a\r\nX: y"), "Bearer aX: y"),
    ])
    func writesTheField(credentials: Credentials, expected: String) {
        #expect(credentials.authorizationFieldValue == expected)
    }

    @Test(arguments: [
        ("u:p", "u", "p"), ("u", "u", ""), ("u:", "u", ""), (":p", "", "p"), ("u:p:q", "u", "p:q"),
        ("", "", ""),
    ])
    func splitsAtTheFirstColon(text: String, user: String, password: String) {
        #expect(Credentials(userAndPassword: text) == .basic(user: user, password: password))
    }

    @Test(arguments: [Credentials.basic(user: "geheim", password: "geheim"), .bearer(token: "geheim")])
    func showsNoSecret(credentials: Credentials) {
        var dumped = ""
        dump(credentials, to: &dumped)
        dump(["x": credentials], to: &dumped)
        #expect(
            !"\(credentials) \(String(reflecting: credentials)) \([credentials]) \(dumped)".contains("geheim")
        )
    }
}
