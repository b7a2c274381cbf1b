import Testing

@testable import FerryCore

struct DownloadOptionsSecretsTests {
    @Test func onlyWhatTellsNothingAboutWhoAsksIsKept() {
        var options = DownloadOptions()
        options.retries = 3
        options.credentials = .bearer(token: "t")
        let names = [
            "Accept", "COOKIE", "user-agent", "X-Any", "Accept-Language", "Authorization", "cache-control",
        ]
        options.headers = names.map { .init(name: $0, value: "v") }
        let bare = options.withoutSecrets
        #expect(bare.headers.map(\.name) == ["Accept", "user-agent", "Accept-Language", "cache-control"])
        #expect(bare.credentials == nil && bare.retries == 3)
        #expect(options.hasSecrets && !bare.hasSecrets && !DownloadOptions().hasSecrets)
    }

    @Test func clientCertificateIsForTheServerThatTheUserNamed() {
        var options = DownloadOptions()
        options.connection.clientCertificate = ClientCertificate(certificateFile: "/a")
        #expect(options.hasSecrets && options.withoutSecrets == DownloadOptions())
        var terms = options.exchange
        terms.dropSecrets()
        #expect(terms == ExchangeTerms())
    }

    @Test(arguments: [
        "Cookie", "X-Api-Key", "authorization", "Proxy-Authorization", "Accept-Encoding", "Accept ",
    ])
    func oneFieldIsEnough(_ name: String) {
        var options = DownloadOptions()
        options.headers = [.init(name: name, value: "v")]
        #expect(options.hasSecrets && options.withoutSecrets.headers.isEmpty)
    }
}
