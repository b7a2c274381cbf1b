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

    @Test func aDownloadLosesEachSecretAlone() throws {
        var (field, credentials, certificate) = (DownloadOptions(), DownloadOptions(), DownloadOptions())
        var (mirror, proxy, proxies) = (DownloadOptions(), DownloadOptions(), DownloadOptions())
        field.headers = [.init(name: "Cookie", value: "v")]
        credentials.credentials = .bearer(token: "t")
        certificate.connection.clientCertificate = ClientCertificate(certificateFile: "/a")
        mirror.mirrors = [try HTTPURL(parsing: "https://u:p@h/f")]
        proxy.connection.proxy = try Proxy(parsing: "http://u:p@h:1")
        proxies.proxies = try ProxyEnvironment(["http_proxy": "http://u:p@h:1"])
        for options in [field, credentials, certificate, mirror, proxy, proxies] {
            var work = DownloadWork(
                DownloadSpecification(
                    url: try HTTPURL(parsing: "https://h/f"),
                    destination: .file(directory: "/d", name: nil),
                    options: options
                )
            )
            work.dropSecrets()
            #expect(options.asKept != options && work.specification.options == options.asKept)
        }
    }

    /// Parts that may hold a secret are looked for first. None is passed over.
    @Test func ofEachOptionADownloadKeepsWhatMayBeKept() throws {
        let url = try HTTPURL(parsing: "https://h/f")
        for change in SharedOptionTests.samples.values.joined() {
            var options = DownloadOptions()
            try change(&options)
            let destination = Destination.file(directory: "/d", name: nil)
            var work = DownloadWork(
                DownloadSpecification(url: url, destination: destination, options: options)
            )
            work.dropSecrets()
            #expect(work.specification.options == options.asKept)
        }
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
