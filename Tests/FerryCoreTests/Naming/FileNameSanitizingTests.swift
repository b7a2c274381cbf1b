import FerryCore
import FerryTesting
import Testing

struct FileNameSanitizingTests {
    @Test(
        arguments: [
            ("a.txt", "a.txt"),
            ("../x", "x"), ("..\\x", "x"), ("/etc/passwd", "passwd"), ("C:\\dir\\x.txt", "x.txt"),
            ("a/../..", nil),
            ("..", nil), (".", nil), ("...", nil), ("", nil), (" ", nil), ("dir/", nil), ("dir\\", nil),
            ("~", nil), ("~/.", nil),
            ("..%2Fx", "%2Fx"), ("a\0b", "ab"), ("\0", nil), ("a\r\nb", "ab"), ("\u{7F}\u{85}", nil),
            (".bashrc", "bashrc"), ("..bashrc", "bashrc"), (". .bashrc", "bashrc"), ("~root", "root"),
            (".~.x", "x"),
            ("\u{200B}.bashrc", "bashrc"), ("a\u{2065}b\u{E0002}c", "abc"), ("\u{202E}gpj.exe", "gpj.exe"),
            ("a\u{202E}gpj.exe", "agpj.exe"),
            ("a\u{2066}b\u{2069}c\u{FEFF}", "abc"), ("a\u{200D}b\u{2028}c", "abc"), (".\u{202E}./x", "x"),
            (" a b ", "a b"), ("\u{A0}a\u{3000}", "a"), ("a. . .", "a"), ("a...", "a"), ("a.txt.", "a.txt"),
            ("a<b>c:d\"e|f?g*h", "a_b_c_d_e_f_g_h"), ("???", "___"), ("a:b", "a_b"),
            ("-rf", "_rf"), ("--help", "_-help"), (".-x", "_x"),
            ("CON", "_CON"), ("con", "_con"), ("Con.txt", "_Con.txt"), ("CON .txt", "_CON .txt"),
            ("NUL.tar.gz", "_NUL.tar.gz"),
            ("AUX", "_AUX"), ("PRN", "_PRN"), ("COM1", "_COM1"), ("com9.log", "_com9.log"), ("LPT1", "_LPT1"),
            ("COM\u{B9}", "_COM\u{B9}"), ("CON.\u{301}x", "_CON.\u{301}x"), ("COM10", "COM10"),
            ("CONSOLE", "CONSOLE"), ("CONIN$", "_CONIN$"),
            ("\0CON", "_CON"),
            ("x.part", "x_part"), ("X.Part", "X_part"), ("a.part.part", "a.part_part"), ("part", "part"),
            ("x.part.bin", "x.part.bin"), ("x.part.", "x_part"), ("\u{D4E}.part", "\u{D4E}_part"),
            (
                String(repeating: "a", count: 250) + ".part" + String(repeating: "b", count: 40),
                String(repeating: "a", count: 250) + "_part"
            ),
            ("ü€💾.bin", "ü€💾.bin"), ("e\u{301}", "e\u{301}"),
        ] as [(String, String?)]
    )
    func makesASafeName(untrusted: String, expected: String?) {
        let name = FileName.sanitized(untrusted)?.rawValue
        #expect(name.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
    }

    /// A name of `count` times `unit` with `tail` behind, and what is left of each.
    @Test(arguments: [
        ("a", 300, "", 255, ""),
        ("a", 300, ".tar.gz", 252, ".gz"),
        ("ü", 200, ".x", 126, ".x"),
        ("👩🏽", 100, "", 31, ""),
        ("a", 254, ". b", 252, ". b"),
        ("a", 252, " .gz", 252, ".gz"),
        ("a", 300, ".ccccccccccccccccccccccccccccccccccccccccc", 255, ""),
    ])
    func shortensBeforeTheExtension(
        unit: String,
        count: Int,
        tail: String,
        keptCount: Int,
        keptTail: String
    ) throws {
        let name = try #require(FileName.sanitized(String(repeating: unit, count: count) + tail))
        #expect(name.rawValue == String(repeating: unit, count: keptCount) + keptTail)
    }

    @Test(arguments: ["con", "LPT\u{B9}"])
    func aNameThatIsADevicesOnlyOnceItIsShortIsNoDevice(_ device: String) throws {
        let spaces = String(repeating: " ", count: 300)
        for tail in ["x", "x.txt"] {
            let name = try #require(FileName.sanitized(device + spaces + tail))
            #expect(name.rawValue.hasPrefix("_" + device))
            #expect(FileName.sanitized(name.rawValue) == name)
        }
    }

    @Test func anEndlessCharacterIsCutBetweenScalars() throws {
        let name = try #require(FileName.sanitized("a" + String(repeating: "\u{301}", count: 300))).rawValue
        #expect(name.utf8.count == 255)
        #expect(name.unicodeScalars.dropFirst().allSatisfy { $0 == "\u{301}" })
    }

    @Test func everyNameIsSafeAndStaysTheSameWhenSanitizedAgain() {
        let alphabet =
            SeededRandom.soup + [
                "CON", "com1", "~", "-", "<", "|", "\u{2067}", "\u{200F}", ".txt", "/../", "\\..\\", "👩‍💻",
                "\u{301}",
                "\u{A0}", "\u{E0041}", String(repeating: "x", count: 120), String(repeating: "é", count: 70),
            ]
        for seed in 0..<60_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let untrusted = random.text(from: alphabet, length: 10)
            guard let name = FileName.sanitized(untrusted) else { continue }
            #expect(Self.isSafe(name.rawValue), "seed \(seed): \(name.rawValue.debugDescription)")
            #expect(
                FileName.sanitized(name.rawValue) == name,
                "seed \(seed): \(name.rawValue.debugDescription)"
            )
            #expect(Self.isSafe(name.partName.rawValue), "seed \(seed)")
            #expect(Self.isSafe(name.numbered(12).rawValue), "seed \(seed)")
        }
    }

    /// What a safe name is, written down apart from the rules that make one.
    private static func isSafe(_ name: String) -> Bool {
        let scalars = Array(name.unicodeScalars)
        let forbidden: Set<Unicode.Scalar> = ["/", "\\", "<", ">", ":", "\"", "|", "?", "*", "\0"]
        let hidden: [ClosedRange<UInt32>] = [
            0...0x1F, 0x7F...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF...0xFEFF,
            0xE0000...0xE007F,
        ]
        guard let first = scalars.first, let last = scalars.last, (1...255).contains(name.utf8.count) else {
            return false
        }
        return !scalars.contains { forbidden.contains($0) }
            && !scalars.contains { scalar in hidden.contains { $0.contains(scalar.value) } }
            && ![".", "~", " ", "-", "\u{A0}"].contains(first) && ![".", " ", "\u{A0}"].contains(last)
            && !["CON", "COM1"].contains(String(name.unicodeScalars.prefix { $0 != "." }).uppercased())
    }
}
