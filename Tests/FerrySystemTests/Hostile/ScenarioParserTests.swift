import Testing

/// The format of scenarios: what the parser reads, and that it rejects everything else.
@Suite("Scenario format")
struct ScenarioParserTests {
    static let whole = """
        # A comment.
        == a-name
        why One reason,
        why in two lines.
        version A 100 etag="a" modified="Sat, 01 Jan 2000 00:00:00 GMT"
        impostor P "<p>\\r\\n" type=text/html
        plant file.bin "mine"
        plant sub/
        plant link -> ../precious
        on run=2 nth=2.. open=3.. path=/x range no-if-range origin=other
          > HTTP/1.1 206 Part\\x41
          >
          body A from..A-1
          repeat 3 x
          drip A 0..2 1000
          reset
        on any
          honest A cut=50 end=hold pace=1000 ignores-if-range
          with X-Here: {here}
        run --user "a b:c" /x
          exit 6 7
          left file.bin = A
          left note = "mine"
          left file.bin.part
          state waiting
          asked 2..3
          says a word
        resumable A
        peak 64M
        """

    @Test("a scenario is read with all of its parts")
    func everything() throws {
        let scenario = try #require(try ScenarioParser.parse(Self.whole).first)
        #expect(scenario.name == "a-name")
        #expect(scenario.why == "One reason, in two lines.")
        #expect(scenario.versions["A"]?.content.count == 100)
        #expect(scenario.versions["A"]?.tag == "\"a\"")
        #expect(scenario.versions["A"]?.modified == "Sat, 01 Jan 2000 00:00:00 GMT")
        #expect(scenario.versions["P"]?.content.bytes.elementsEqual("<p>\r\n".utf8) == true)
        #expect(scenario.versions["P"]?.isImpostor == true)
        #expect(
            scenario.plants == [
                .file("file.bin", text: "mine"), .directory("sub"), .link("link", to: "../precious"),
            ]
        )
        #expect(
            scenario.rules[0].conditions == [
                .run(2...2), .nth(2...Int.max), .open(3...Int.max), .path("/x"), .has("range"),
                .lacks("if-range"), .origin("other"),
            ]
        )
        #expect(scenario.rules.map(\.steps.count) == [6, 1])
        guard case .honest(let honest)? = scenario.rules.last?.steps.first else {
            Issue.record("no honest answer")
            return
        }
        #expect(honest.end == .hold && honest.pace == 1000 && honest.flaws == [.ignoresIfRange])
        let run = try #require(scenario.runs.first)
        #expect(
            run.arguments.map { $0.bytes { _ in "" } }.map { String(decoding: $0, as: UTF8.self) } == [
                "--user", "a b:c", "/x",
            ]
        )
        #expect(run.exits == [6, 7])
        #expect(run.left?.map(\.thing) == [.version("A"), .text("mine"), .something])
        #expect(run.asked == 2...3)
        #expect(run.state == "waiting")
        #expect(run.says == ["a word"])
        #expect(scenario.resumable == "A")
        #expect(scenario.peak == 64 << 20)
    }

    @Test("escapes become bytes, and placeholders are filled in")
    func texts() throws {
        let text = try ScenarioText("a\\x00\\xff\\r\\n\\\\{A-1}\\{b}é")
        #expect(text.bytes { "<\($0)>" } == [97, 0, 255, 13, 10, 92] + Array("<A-1>{b}é".utf8))
    }

    @Test("numbers add up", arguments: [("7", 7), ("A-1", 99), ("from+5", 15), ("A-from-1", 89), ("-1", -1)])
    func numbers(_ source: String, _ value: Int) throws {
        let number = try ScenarioNumber(source)
        #expect(number.value { ["A": 100, "from": 10][$0] } == value)
    }

    static let mistakes = [
        "why before a name", "== a\nwhat is this", "== a\n  body A", "== a\nwhy x\non any\n  dance",
        "== a\nwhy x\non any\n  close\nrun\n  exit soon", "== a\nwhy x\non any\n  honest A\nrun",
        "== a\nwhy x\non any\n  raw \\q\nrun", "== a\nwhy x\non any\n  raw {A\nrun", "== a\nwhy x\nrun",
        "== a\nwhy x\non any\n  close", "== a\n== a", "== a\nwhy x\non any\n  close\nrun\nresumable A",
        "== a\nwhy x\non nth=x\n  close\nrun", "== a\nwhy x\non any\n  body A 5\nrun",
        "== a\nwhy x\nversion A 5 colour=red\non any\n  close\nrun",
        "== a\nwhy x\nplant thing\non any\n  close\nrun",
    ]

    @Test("a line that makes no sense is an error", arguments: mistakes)
    func senseless(_ text: String) {
        #expect(throws: ScenarioMistake.self) { try ScenarioParser.parse(text, file: "x") }
    }

    @Test("an error names its line")
    func lineOfAMistake() {
        #expect {
            try ScenarioParser.parse("== a\nwhy x\non any\n  dance\n", file: "x.txt")
        } throws: { error in
            "\(error)".hasPrefix("x.txt:4:")
        }
    }
}
