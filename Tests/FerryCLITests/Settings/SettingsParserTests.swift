import Testing

@testable import FerryCLI

@Suite struct SettingsParserTests {
    private func parse(_ text: String) throws -> [SettingKey: SettingsParser.Entry] {
        try SettingsParser.parse(Array(text.utf8))
    }

    @Test func everyValueHasItsLine() throws {
        let entries = try parse(
            """
            {
              "jobs": 3, "retries": "0",

              "limit-rate": "08:00,1M 19:00,off",
              "user-agent":
                "caf\\u00e9 \\ud83d\\udea2 \\"x\\" \\/",
              "timeout": 2.5
            }

            """
        )
        #expect(
            entries == [
                .jobs: .init(text: "3", line: 2), .retries: .init(text: "0", line: 2),
                .limitRate: .init(text: "08:00,1M 19:00,off", line: 4),
                .userAgent: .init(text: "café 🚢 \"x\" /", line: 6), .timeout: .init(text: "2.5", line: 7),
            ]
        )
    }

    @Test(arguments: ["", " \n\t\r\n", "{}", " { } \n"])
    func nothingIsSet(_ text: String) throws {
        #expect(try parse(text).isEmpty)
    }

    @Test(
        arguments: [
            ("{\n\"job\": 1}", 2, "unknown key \"job\"; the keys are jobs, "),
            ("{\"jobs\": 1,\n\"jobs\": 1}", 2, "jobs is already set in line 1"),
            ("{\n\n\"jobs\": 0}", 3, "jobs must be a whole number from 1 to 1000"),
            ("{\"jobs\":\n1001}", 2, "jobs must be"), ("{\"jobs\": -1}", 1, "jobs must be"),
            ("{\"jobs\": 01}", 1, "jobs must be"), ("{\"jobs\": 1.5}", 1, "jobs must be"),
            ("{\"jobs\": true}", 1, "jobs must be"), ("{\"jobs\": null}", 1, "jobs must be"),
            ("{\"jobs\": [1]}", 1, "jobs must be"), ("{\"jobs\": {}}", 1, "jobs must be"),
            ("{\"jobs\": \"\"}", 1, "jobs must be"), ("{\"jobs\": \"٣\"}", 1, "jobs must be"),
            ("{\"timeout\": 0}", 1, "timeout must be"), ("{\"timeout\": 1.}", 1, "timeout must be"),
            ("{\"color\": 1}", 1, "color must be \"auto\" or \"never\""),
            ("{\"color\": \"always\"}", 1, "color must be"),
            ("{\"proxy\": \"https://h:1\"}", 1, "proxy must be"), ("{\"proxy\": 8080}", 1, "proxy must be"),
            ("{\"user-agent\": \"a\\nb\"}", 1, "user-agent must be a line of text"),
            ("{\"user-agent\": \"\"}", 1, "user-agent must be"),
            ("{\"directory\": \"Downloads\"}", 1, "the path in directory must begin with / or ~/"),
            ("{\"data-dir\": \"~bob/x\"}", 1, "the path in data-dir must begin"),
            ("{\"jobs\": 1,}", 1, "unexpected `}`; remove the trailing comma"),
            ("{\"jobs\": 1 \"retries\": 1}", 1, "a comma or the closing brace is missing"),
            ("{\"jobs\": 1\n", 2, "a comma or the closing brace is missing"),
            ("{\"jobs\" 1}", 1, "there must be a colon after \"jobs\""),
            ("{\"jobs\": 1}\n{}", 2, "unexpected text after the closing brace"),
            ("[1]", 1, "there must be one object in braces"), ("jobs = 1", 1, "there must be one object"),
            ("// no\n{}", 1, "there must be one object"),
            ("{\"jobs", 1, "a closing quotation mark is missing"),
            ("{\"no-proxy\": \"a\nb\"}", 1, "a string must end on its line"),
            ("{\"no-proxy\": \"\\x\"}", 1, "unknown escape \\x"),
            ("{\"no-proxy\": \"\\ud83d\"}", 1, "a \\u escape names half a character"),
            ("{\"no-proxy\": \"\\u12\"}", 1, "a \\u escape needs four hexadecimal digits"),
            ("{\"no-proxy\": \"\\", 1, "a string ends with a backslash"),
            ("{", 1, "a key in quotation marks is missing"),
        ]
    )
    func aMistakeIsToldWithItsLine(_ text: String, _ line: Int, _ reason: String) {
        let mistake = #expect(throws: SettingsParser.Mistake.self) { try parse(text) }
        #expect(mistake?.line == line, "\(text)")
        #expect(mistake?.reason.hasPrefix(reason) == true, "\(text): \(mistake?.reason ?? "")")
    }

    @Test func whatIsNoTextIsRefused() {
        #expect(throws: SettingsParser.Mistake.self) { try SettingsParser.parse([0x7B, 0xFF, 0x7D]) }
        #expect(throws: SettingsParser.Mistake.self) { try SettingsParser.parse([0xFF, 0xFE, 0x7B, 0x00]) }
    }

    /// A file with any cut or change is either read or refused.
    @Test func everyBeginningAndEveryChangedByteIsReadOrRefused() throws {
        let text = Array(
            "{\n\"jobs\": 3, \"proxy\": \"http://u:p@h:1\", \"no-proxy\": \"\\u00e9\\ud83d\\udea2\"}\n".utf8
        )
        var refused = 0
        for place in text.indices {
            for byte in [nil, 0x00, 0x0A, 0x22, 0x5C, 0x7D, 0xFF] as [UInt8?] {
                var changed = text
                if let byte { changed[place] = byte } else { changed.removeSubrange(place...) }
                do {
                    _ = try SettingsParser.parse(changed)
                } catch {
                    refused += 1
                    #expect((1...4).contains(error.line))
                    #expect(!error.reason.contains("u:p"), "a password is told")
                }
            }
        }
        #expect(refused > text.count)
    }
}
