import FerryCore
import Foundation
import Testing

struct CodingTests {
    private static func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    @Test func everyStoredValueSurvivesARoundTrip() throws {
        let url = try HTTPURL(parsing: "https://u:p@h:1/ü?X-Amz-Signature=s#f")
        #expect(try Self.roundTrip(url) == url)
        let name = try FileName(userGiven: "e\u{301} \"x\"")
        #expect(try Self.roundTrip(name) == name)
        let tag = try #require(EntityTag("W/\"x\""))
        #expect(try Self.roundTrip(tag) == tag)
        let type = try #require(MediaType("text/html;a=b"))
        #expect(try Self.roundTrip(type) == type)
        let proxy = try Proxy(parsing: "socks5h://u:p@[::1]:9")
        #expect(try Self.roundTrip(proxy) == proxy)
        let validator = Validator(
            entityTag: tag,
            lastModified: "Sun Nov  6 08:49:37 1994",
            date: .epoch,
            receivedAt: .epoch
        )
        #expect(try Self.roundTrip(validator) == validator)
        for credentials in [Credentials.basic(user: "u", password: "p"), .bearer(token: "t")] {
            #expect(try Self.roundTrip(credentials) == credentials)
        }
    }

    /// Equality looks at less than what is stored.
    @Test func theBirthOfAFileSurvivesARoundTripAndMayBeMissing() throws {
        let born = FileIdentity(device: 1, inode: 2, birth: .max)
        #expect(try Self.roundTrip(born).birth == .max)
        let old = try JSONDecoder().decode(FileIdentity.self, from: Data(#"{"device":1,"inode":2}"#.utf8))
        #expect(old == born && old.birth == nil)
    }

    @Test func optionsSurviveARoundTripAndWhatIsMissingHasItsDefault() throws {
        var options = DownloadOptions()
        options.existingFile = .autoRename
        options.onChange = .keep
        options.updates = true
        options.isInOrder = true
        options.refusesPages = true
        options.keepsServerTime = true
        options.maximumLength = 1 << 40
        options.retriedStatuses = [500, 404, 409]
        options.recipients = ["age1a", "age1b"]
        options.root = "/downloads"
        options.mountPoint = "/mnt/usb"
        options.listedLength = 5
        options.range = .from(5, through: nil)
        options.strictResume = true
        options.headers = [.init(name: "Cookie", value: "a=1"), .init(name: "Cookie", value: "b=2")]
        options.credentials = .bearer(token: "t")
        options.checksum = try Checksum(parsing: "sha256=" + String(repeating: "0f", count: 32))
        options.retries = 0
        options.ignoredQuery = ["token", "Ünsicher"]
        options.redirectLimit = 3
        options.allowsDowngrade = true
        options.rateLimit = try RateLimit(parsing: "1M")
        options.connection.proxy = try Proxy(parsing: "http://p:1")
        options.proxies = try ProxyEnvironment([
            "http_proxy": "http://u:p@p:1", "https_proxy": "socks5h://q", "no_proxy": "a.example, 10.0.0.0/8",
        ])
        options.connection.certificateAuthorityFile = "/ca.pem"
        options.connection.clientCertificate = ClientCertificate(
            certificateFile: "/me.pem",
            keyFile: "/me.key"
        )
        options.connection.trustsAnyCertificate = true
        options.connection.connectTimeout = .milliseconds(1)
        options.connection.idleTimeout = .seconds(2)
        options.connection.lowSpeedLimit = 4
        options.connection.lowSpeedTime = .seconds(5)
        options.connection.addressFamily = .ipv6
        options.connection.localAddress = "wg0"
        options.connection.hostOverrides = [try HostOverride(parsing: "[::1]:1:::2,10.0.0.1")]
        #expect(try Self.roundTrip(options) == options)
        let empty = try JSONDecoder().decode(DownloadOptions.self, from: Data("{}".utf8))
        #expect(empty == DownloadOptions())
        let partial = Data(#"{"exchange":{"connection":{"trustsAnyCertificate":true}}}"#.utf8)
        let read = try JSONDecoder().decode(DownloadOptions.self, from: partial)
        #expect(read.connection.trustsAnyCertificate && read.connection.idleTimeout == .seconds(60))
        let plain = String(decoding: try JSONEncoder().encode(DownloadOptions()), as: UTF8.self)
        for field in [
            "clientCertificate", "update", "inOrder", "range", "sealedFor", "strictType", "serverTime",
            "maximumLength", "retried", "loadedCookies", "root", "mountPoint",
            "listedLength",
        ] {
            #expect(!plain.contains(field))
        }
    }

    /// Equal options have one stored form, whatever the order of a set.
    @Test func statusesAreStoredInOrder() throws {
        var options = DownloadOptions()
        options.retriedStatuses = Set((400...599).reversed())
        let text = String(decoding: try JSONEncoder().encode(options), as: UTF8.self)
        #expect(text.contains(#""retried":[400,401,402,"#))
        options.retriedStatuses = []
        #expect(options == DownloadOptions())
    }

    /// For each of the terms, a change of it alone.
    private static let terms: [String: @Sendable (inout WorkTerms) throws -> Void] = [
        "retries": { $0.retries = 3 },
        "rateLimit": { $0.rateLimit = try RateLimit(parsing: "1M") },
        "window": { $0.window = try TimeWindow(parsing: "22:00-06:00") },
        "runsInBackground": { $0.runsInBackground = false },
        "notAfter": { $0.notAfter = Instant(milliseconds: 1_700_000_000_001) },
    ]

    /// A new one has no change yet, and is perhaps not read.
    @Test func everyTermIsStoredWithARequestAndIsATermOfADownload() throws {
        #expect(Set(Mirror(reflecting: WorkTerms()).children.compactMap(\.label)) == Set(Self.terms.keys))
        for (name, change) in Self.terms {
            var request = try RequestSpecification(url: HTTPURL(parsing: "http://h/"))
            try change(&request.terms)
            #expect(request.terms != WorkTerms(), "\(name)")
            #expect(try Self.roundTrip(request) == request, "\(name)")
            var options = DownloadOptions()
            options.terms = request.terms
            #expect(options != DownloadOptions() && options.terms == request.terms, "\(name)")
        }
    }

    @Test(arguments: [("[9223372036854775807,0]", Int64.max), ("[-9223372036854775808,0]", .min)])
    func anImpossibleDurationThatWasStoredCountsAsTheLongest(json: String, expected: Int64) throws {
        let text = #"{"exchange":{"connection":{"idleTimeout":\#(json)}}}"#
        let options = try JSONDecoder().decode(DownloadOptions.self, from: Data(text.utf8))
        #expect(options.connection.idleTimeout.wholeMilliseconds == expected)
        let moment = Instant.epoch.advanced(by: options.connection.idleTimeout)
        #expect(moment.milliseconds == expected)
    }

    @Test func theValueOfAHeaderFieldIsNeverShown() {
        var options = DownloadOptions()
        options.headers = [.init(name: "Cookie", value: "hunter2")]
        #expect(!"\(options)".contains("hunter2"))
        #expect(!String(reflecting: options).contains("hunter2"))
    }

    @Test func aStoredValueThatBreaksTheRulesIsRefused() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([HTTPURL].self, from: Data(#"["ftp://h/"]"#.utf8))
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([FileName].self, from: Data(#"["../x"]"#.utf8))
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([EntityTag].self, from: Data(#"[""]"#.utf8))
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([MediaType].self, from: Data(#"["x"]"#.utf8))
        }
    }
}
