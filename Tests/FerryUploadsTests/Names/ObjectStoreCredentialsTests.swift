import FerryUploads
import Testing

/// Nothing shows what credentials are (I7).
struct ObjectStoreCredentialsTests {
    @Test(arguments: [nil, "geheim"])
    func noDescriptionShowsThem(_ token: String?) {
        let credentials = ObjectStoreCredentials(accessKey: "geheim", secret: "geheim", sessionToken: token)
        let presigner = Presigner(credentials)
        var dumped = ""
        dump(presigner, to: &dumped)
        for text in [
            "\(credentials)", String(reflecting: credentials), "\([credentials])", "\(presigner)", dumped,
        ] {
            #expect(!text.contains("geheim"))
        }
    }
}
