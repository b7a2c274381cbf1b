import ArgumentParser
import Ferry
import Foundation
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite struct SettingsTests {
    /// One good value of each key, and another one.
    static let samples: [(key: SettingKey, one: String, other: String)] = [
        (.jobs, "3", "4"), (.connections, "2", "9"), (.connectionsPerHost, "7", "6"),
        (.limitRate, "1M", "off"),
        (.retries, "0", "5"), (.timeout, "2.5", "30"), (.directory, "/a", "/b"),
        (.window, "22:00-06:00", "off"), (.userAgent, "x/1", "y/2"),
        (.proxy, "http://h:1", "socks5://h:2"), (.noProxy, "*", "a,b"),
        (.certificateAuthorities, "/c.pem", "/d.pem"), (.clientCertificate, "/me.pem", "/you.pem"),
        (.clientKey, "/me.key", "/you.key"), (.dataDirectory, "/s", "/t"),
        (.color, "never", "auto"),
    ]

    /// Runs `body` with a configuration file of this text.
    private func withFile(
        _ text: String,
        mode: Int = 0o600,
        _ body: (SettingsFile) throws -> Void
    ) throws {
        let url = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(
            "config-\(UUID().uuidString)"
        )
        try Data(text.utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
        let result = Result { try body(SettingsFile(path: url.path, isRequired: true)) }
        try FileManager.default.removeItem(at: url)
        try result.get()
    }

    private func environment(_ variables: [String: String]) -> ProcessEnvironment {
        ProcessEnvironment(variables: variables, workingDirectory: "/", home: "/home-that-is-not-there")
    }

    @Test func namesMisspeltVariables() {
        let warnings = Settings.misspelt([
            "FERRY_DATADIR", "FERRY_DATADRI", "FERRY_DATA_DRI", "FERRY_JOB", "FERRY_JOBS",
            "FERRY_UNRELATED_THING", "PATH",
        ])
        #expect(
            warnings == [
                "The variable FERRY_DATADIR has no effect; did you mean FERRY_DATA_DIR?",
                "The variable FERRY_DATADRI has no effect; did you mean FERRY_DATA_DIR?",
                "The variable FERRY_DATA_DRI has no effect; did you mean FERRY_DATA_DIR?",
                "The variable FERRY_JOB has no effect; did you mean FERRY_JOBS?",
            ]
        )
    }

    @Test func everyKeyHasASample() {
        #expect(Self.samples.map(\.key) == SettingKey.allCases)
    }

    @Test(arguments: samples)
    func optionsComeBeforeTheEnvironmentAndThatBeforeTheFile(
        _ key: SettingKey,
        _ one: String,
        _ other: String
    ) throws {
        let variable = "FERRY_" + key.name.uppercased().replacingOccurrences(of: "-", with: "_")
        try withFile("{\n\"\(key.name)\": \"\(one)\"}") { file in
            let alone = try Settings(environment([:]), file: file)
            #expect(alone.given == [key: Setting(text: one, origin: .file(path: file.path, line: 2))])
            // One that is set to nothing is not set.
            #expect(try Settings(environment([variable: ""]), file: file) == alone)
            var both = try Settings(environment([variable: other]), file: file)
            #expect(both.given == [key: Setting(text: other, origin: .variable(variable))])
            both.override(key, nil, by: "--x")
            #expect(both[key] == other)
            both.override(key, one, by: "--x")
            #expect(both.given == [key: Setting(text: one, origin: .option("--x"))])
        }
        #expect(try Settings(environment([variable: one]), file: nil)[key] == one)
    }

    @Test(arguments: [
        ("FERRY_JOBS", "0"), ("FERRY_COLOR", "yes"), ("FERRY_PROXY", "https://u:secret@h"),
        ("FERRY_TIMEOUT", "x"),
    ])
    func aVariableThatMakesNoSenseIsRefusedByItsName(_ name: String, _ value: String) throws {
        let failure = #expect(throws: CommandFailure.self) {
            try Settings(environment([name: value]), file: nil)
        }
        #expect(failure?.status == .usage)
        #expect(failure?.message.hasPrefix("\(name) must be ") == true)
        #expect(failure?.message.contains("secret") == false)
    }

    @Test func theFileIsTheFirstThatIsNamed() throws {
        let variables = ["FERRY_CONFIG": "/b", "XDG_CONFIG_HOME": "/c"]
        func find(_ option: String?, _ names: String...) throws -> SettingsFile? {
            let chosen = variables.filter { names.contains($0.key) }
            return try SettingsFile.find(option: option, environment: environment(chosen))
        }
        #expect(try find("/a", "FERRY_CONFIG") == SettingsFile(path: "/a", isRequired: true))
        #expect(
            try find(nil, "FERRY_CONFIG", "XDG_CONFIG_HOME") == SettingsFile(path: "/b", isRequired: true)
        )
        #expect(
            try find(nil, "XDG_CONFIG_HOME") == SettingsFile(path: "/c/ferry/config.json", isRequired: false)
        )
        let usual = "/home-that-is-not-there/.config/ferry/config.json"
        #expect(try find(nil) == SettingsFile(path: usual, isRequired: false))
        #expect(try find(nil)?.read().isEmpty == true)
        #expect(try SettingsFile.find(option: nil, environment: Sample.environment) == nil)
        #expect(throws: CommandFailure.self) { try find("") }
        let missing = #expect(throws: CommandFailure.self) { try find("/not/there")?.read() }
        #expect(missing?.status == .cannotOpen)
    }

    @Test func whatOthersMayWriteIsNotUsedNorASecretThatTheyMayRead() throws {
        let secret = "{\"jobs\": 1,\n\"proxy\": \"http://u:hush@h:1\"}"
        let cases: [(String, Int, Set<SettingKey>?)] = [
            ("{\"jobs\": 1}", 0o644, [.jobs]), ("{\"jobs\": 1}", 0o620, nil),
            ("{\"jobs\": 1}", 0o602, nil), (secret, 0o600, [.jobs, .proxy]), (secret, 0o640, nil),
            (secret, 0o604, nil), (secret, 0o644, nil), ("{\"proxy\": \"http://h:1\"}", 0o644, [.proxy]),
        ]
        for (text, mode, keys) in cases {
            try withFile(text, mode: mode) { file in
                if let keys {
                    let read = try file.read().keys
                    #expect(Set(read) == keys)
                } else {
                    let failure = #expect(throws: CommandFailure.self) { try file.read() }
                    #expect(failure?.status == .cannotOpen, "\(String(mode, radix: 8))")
                    #expect(failure?.hint?.contains("chmod") == true)
                    #expect(failure?.message.contains("hush") == false)
                }
            }
        }
    }

    @Test func whatTheCommandLineLeavesOpenIsTaken() throws {
        var settings = Settings()
        for sample in Self.samples { settings.override(sample.key, sample.one, by: "--x") }
        let open = try GetCommand.parse(["http://h/"]).input.download.completed(from: settings)
        #expect(open.directory == "/a" && open.connections == 2 && open.connection.retries == 0)
        #expect(open.connection.timeout == "2.5" && open.connection.proxy == "http://h:1")
        #expect(
            open.connection.proxyExceptions == "*" && open.connection.certificateAuthorityFile == "/c.pem"
        )
        #expect(open.connection.certificateFile == "/me.pem" && open.connection.keyFile == "/me.key")
        let certified = try GetCommand.parse(["http://h/", "--cert", "/own.pem"]).input.download
        let own = certified.completed(from: settings)
        #expect(own.connection.certificateFile == "/own.pem" && own.connection.keyFile == nil)
        #expect(open.placement.window == "22:00-06:00" && !open.placement.namesWindow)
        let words = [
            "http://h/", "--window", "off", "-d", "/e", "-x", "4", "--retries", "1", "--timeout", "1",
            "--proxy", "",
            "--no-proxy", "",
            "--cacert", "/f.pem",
        ]
        let said = try GetCommand.parse(words).input.download
        let completed = said.completed(from: settings)
        #expect(completed.placement.window == "off" && completed.placement.namesWindow)
        #expect(completed.directory == "/e" && completed.connections == 4)
        #expect(completed.connection.retries == 1 && completed.connection.timeout == "1")
        #expect(completed.connection.proxy == "" && completed.connection.proxyExceptions == "")
        #expect(completed.connection.certificateAuthorityFile == "/f.pem")

        let run = try RunCommand.parse([])
        let terms = try EngineTerms(run.jobs.input, limitRate: run.rate.text, settings)
        #expect(terms.slots == 3 && terms.connectionsPerHost == 7)
        #expect(terms.rateLimit == RateSchedule(try RateLimit(parsing: "1M")))
        let other = try RunCommand.parse(["-j", "8", "--connections-per-host", "1", "--limit-rate", "off"])
        let mine = try EngineTerms(other.jobs.input, limitRate: other.rate.text, settings)
        #expect(mine.slots == 8 && mine.connectionsPerHost == 1 && mine.rateLimit == .off)
        let none = try EngineTerms(run.jobs.input, limitRate: run.rate.text, Settings())
        #expect(none.slots == 5 && none.connectionsPerHost == nil && none.rateLimit == .off)
    }

    @Test func theReportHidesSecretsAndNamesEverySource() throws {
        var settings = Settings()
        settings.override(.proxy, "http://u:hush@h:1", by: "--proxy")
        let report = SettingsReport(settings, dataDirectory: "/data", file: nil)
        let text = (report.lines() + report.json.map(\.text)).joined(separator: "\n")
        #expect(!text.contains("hush") && text.contains("http://h:1"))
        #expect(report.rows.map(\.key) == SettingKey.allCases)
        for row in report.rows where row.origin == .builtIn {
            guard let value = row.value else { continue }
            #expect(row.key.accepts(value), "\(row.key.name)")
        }
        #expect(report.rows.first { $0.key == .dataDirectory }?.value == "/data")
    }

    @Test func theReportSaysWhenThereIsNoFile() {
        let file = SettingsFile(path: "/x/config.json", isRequired: false)
        let absent = SettingsReport(Settings(), dataDirectory: "/data", file: file, isThere: false)
        #expect(absent.lines().last == "The file would be /x/config.json; it does not exist.")
        let present = SettingsReport(Settings(), dataDirectory: "/data", file: file)
        #expect(present.lines().last == "The file is /x/config.json.")
    }

    @Test func theReportFitsATerminal() throws {
        var settings = Settings()
        settings.override(.userAgent, "Mozilla/5.0-and-much-more-of-the-same-kind", by: "--user-agent")
        let file = SettingsFile(path: "/x/y/config.json", isRequired: false)
        let report = SettingsReport(
            settings,
            dataDirectory: "/home/me/.local/share/ferry",
            file: file,
            isThere: false
        )
        let lines = report.lines(columns: 60).flatMap { $0.split(separator: "\n") }
        #expect(lines.allSatisfy { $0.count < 60 || $0.contains("Mozilla") }, "\(lines)")
        #expect(lines.contains("                      --user-agent"), "\(lines)")
        let end = "The file would be /x/y/config.json; it does not exist."
        #expect(report.lines(columns: 60).last == end)
        #expect(report.lines(columns: 50).last == "The file would be /x/y/config.json; it does not\n  exist.")
    }

    @Test func aChangeTellsOnlyWhatConcernsAService() {
        var old = Settings()
        var new = Settings()
        for sample in Self.samples {
            old.override(sample.key, sample.one, by: "a")
            new.override(sample.key, sample.other, by: "b")
        }
        let change = SettingsChange(from: old, to: new)
        #expect(change.atOnce == [.jobs, .connectionsPerHost, .limitRate])
        #expect(change.atStart == [.userAgent, .dataDirectory, .color])
        #expect(SettingsChange(from: old, to: old) == SettingsChange())
        #expect(SettingsChange(from: old, to: Settings()).lines.joined().contains("jobs is no longer set"))
    }
}
