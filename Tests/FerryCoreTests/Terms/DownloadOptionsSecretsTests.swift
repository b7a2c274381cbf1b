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

    @Test func theDefaultOptionsLoseNothingWhenSecretsAreDropped() {
        #expect(DownloadOptions().asKept == DownloadOptions())
    }

    @Test func aDownloadWithTheDefaultOptionsLosesTheSecretsOfItsURL() throws {
        var work = DownloadWork(
            DownloadSpecification(
                url: try HTTPURL(parsing: "https://u:p@h/f?token=t"),
                destination: .file(directory: "/d", name: nil)
            )
        )
        let former = work.specification
        work.dropSecrets()
        #expect(work.specification.url == former.url.withoutSecrets && work.specification.url != former.url)
        #expect(work.specification.options == DownloadOptions())
    }

    @Test func aDownloadThatLosesOptionsKeepsTheOthers() throws {
        var options = DownloadOptions()
        options.retries = 3
        options.credentials = .bearer(token: "t")
        let url = try HTTPURL(parsing: "https://h/f")
        var work = DownloadWork(
            DownloadSpecification(url: url, destination: .file(directory: "/d", name: nil), options: options)
        )
        work.dropSecrets()
        options.credentials = nil
        #expect(work.specification.url == url && work.specification.options == options)
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
