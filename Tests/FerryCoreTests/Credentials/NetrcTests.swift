import FerryCore
import FerryTesting
import Testing

struct NetrcTests {
    private static let file = """
        # a comment
        machine example.com login alice password secret # behind it
        machine example.com login bob password "se cret\\"\\\\\\n#"
        machine
          other.example
          login "carol d"
          account acc password p#x
        macdef init
        machine macro.example login mallory password x

        machine empty.example
        default login anonymous password me@
        machine late.example login late password l
        """

    @Test(
        arguments: [
            ("example.com", nil, "alice", "secret"),
            ("EXAMPLE.COM", nil, "alice", "secret"),
            ("example.com", "bob", "bob", "se cret\"\\\n#"),
            ("other.example", nil, "carol d", "p#x"),
            ("www.example.com", nil, "anonymous", "me@"),
            ("macro.example", nil, "anonymous", "me@"),
            ("late.example", nil, "late", "l"),
        ] as [(String, String?, String, String)]
    )
    func findsTheFirstEntryThatFits(host: String, login: String?, user: String, password: String) throws {
        let netrc = try Netrc(parsing: Self.file)
        #expect(netrc.credentials(forHost: host, login: login) == .basic(user: user, password: password))
    }

    @Test func knowsNothingOfWhatIsNotThere() throws {
        let netrc = try Netrc(parsing: Self.file)
        #expect(netrc.credentials(forHost: "empty.example") == nil)
        #expect(netrc.credentials(forHost: "example.com", login: "eve") == nil)
        #expect(try Netrc(parsing: "").credentials(forHost: "x") == nil)
        #expect(try Netrc(parsing: "login a password b").credentials(forHost: "x") == nil)
    }

    @Test func anEntryWithoutLoginFitsEveryLogin() throws {
        let netrc = try Netrc(parsing: "machine h password p")
        #expect(netrc.credentials(forHost: "h", login: "u") == .basic(user: "u", password: "p"))
        #expect(netrc.credentials(forHost: "h") == .basic(user: "", password: "p"))
    }

    @Test func toleratesByteOrderMarkAndCRLF() throws {
        let netrc = try Netrc(parsing: "\u{FEFF}machine h\r\nlogin u\r\npassword p\r\n")
        #expect(netrc.credentials(forHost: "h") == .basic(user: "u", password: "p"))
    }

    @Test func aMacroEndsWithAnEmptyLineOfAnyKind() throws {
        let netrc = try Netrc(parsing: "macdef m\r\nmachine a login x\r\n\r\nmachine b login y")
        #expect(netrc.entries.map(\.machine) == ["b"])
    }

    @Test(arguments: [
        ("machine", Netrc.ParseError.missingValue(word: "machine", line: 1)),
        ("machine h\nlogin u\n\npassword", .missingValue(word: "password", line: 4)),
        ("machine h login # nothing", .missingValue(word: "login", line: 1)),
        ("machine h\nlogin \"geheim", .unclosedQuote(line: 2)),
        ("machine h\nlogin \"geheim\npassword x\"", .unclosedQuote(line: 2)),
        ("macdef m\nx\n\n# c\nmachine \"", .unclosedQuote(line: 5)),
        ("\"\\", .unclosedQuote(line: 1)),
    ])
    func namesTheLine(text: String, error: Netrc.ParseError) {
        #expect(throws: error) { try Netrc(parsing: text) }
        #expect(!error.description.contains("geheim"))
    }

    @Test func showsNoSecret() throws {
        let netrc = try Netrc(parsing: "machine h login geheim password geheim account geheim")
        var dumped = ""
        dump(netrc, to: &dumped)
        dump(netrc.entries, to: &dumped)
        #expect(!"\(netrc) \(netrc.entries) \(String(reflecting: netrc)) \(dumped)".contains("geheim"))
    }

    @Test func neverTraps() {
        let alphabet =
            SeededRandom.soup + ["machine ", "login ", "password ", "default ", "macdef ", "\n\n", "\\\""]
        for seed in 0..<20_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            _ = try? Netrc(parsing: random.text(from: alphabet, length: 14)).credentials(forHost: "a")
        }
    }
}
