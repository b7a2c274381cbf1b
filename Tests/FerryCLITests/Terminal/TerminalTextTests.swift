import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("abc", 3), ("日本語", 6), ("e\u{301}", 1), ("👍🏽", 2), ("👨‍👩‍👧", 2), ("❤️", 2), ("한글", 4), ("", 0),
        ("\u{200B}", 0), ("ｱ", 1), ("Ａ", 2), ("…", 1), ("🇩🇪", 2),
    ])
    func countsColumns(_ text: String, _ columns: Int) {
        #expect(DisplayWidth.of(text) == columns)
    }

    @Test(arguments: [
        ("image.iso", 9, "image.iso"), ("image.iso", 8, "imag…iso"), ("image.iso", 5, "im…so"),
        ("image.iso", 2, "i…"), ("image.iso", 1, "…"), ("image.iso", 0, ""), ("日本語日本語", 7, "日本…語"),
        ("日本語日本語", 6, "日…語"), ("日本", 4, "日本"),
    ])
    func shortensInTheMiddle(_ text: String, _ width: Int, _ expected: String) {
        #expect(TerminalText.truncatedInMiddle(text, to: width) == expected)
    }

    @Test(arguments: [
        ("a/b.iso", 7, "a/b.iso"), ("~/Downloads/linux/b.iso", 15, "~/Do…inux/b.iso"),
        ("/a/image.iso", 11, "…/image.iso"), ("/a/image.iso", 10, "image.iso"),
        ("/a/image.iso", 9, "image.iso"),
        ("/a/image.iso", 8, "imag…iso"), ("image.iso", 8, "imag…iso"),
    ])
    func shortensDirectoriesBeforeTheName(_ path: String, _ width: Int, _ expected: String) {
        #expect(TerminalText.truncatedPath(path, to: width) == expected)
    }

    @Test func neitherWayOfShorteningExceedsTheWidth() {
        for text in ["a", "image.iso", "日本語日本語.iso", "👍👍👍👍👍", "e\u{301}e\u{301}e\u{301}e\u{301}"] {
            for width in 0...20 {
                #expect(DisplayWidth.of(TerminalText.truncatedInMiddle(text, to: width)) <= width)
                #expect(DisplayWidth.of(TerminalText.truncatedAtEnd(text, to: width)) <= width)
                #expect(DisplayWidth.of(TerminalText.truncatedPath("a/\(text)/\(text)", to: width)) <= width)
            }
        }
    }

    @Test func replacesWhatATerminalActsUpon() {
        #expect(TerminalText.safe("a\u{1B}[31mb\tc\u{7F}\u{9B}d\u{202E}e") == "a�[31mb�c��d�e")
        #expect(TerminalText.safe("schön 日本") == "schön 日本")
        #expect(TerminalText.safeLines("a\nb\u{1B}") == "a\nb�")
    }

    @Test(arguments: [
        (["TERM": "xterm"], true, false, true, true), (["TERM": "dumb"], true, false, false, false),
        ([:], true, false, false, false), (["TERM": "xterm"], false, false, false, false),
        (["TERM": "xterm", "NO_COLOR": "1"], true, false, false, true),
        (["TERM": "xterm", "NO_COLOR": ""], true, false, true, true),
        (["TERM": "xterm"], true, true, false, true),
    ])
    func decidesHowToLook(
        _ environment: [String: String],
        _ isTerminal: Bool,
        _ noColour: Bool,
        _ colour: Bool,
        _ live: Bool
    ) {
        let appearance = Appearance.decide(
            json: false,
            quiet: false,
            verbosity: 0,
            noColour: noColour,
            isTerminal: isTerminal,
            environment: environment
        )
        #expect(appearance.colour == colour)
        #expect(appearance.live == live)
    }

    @Test func quietAndJSONDrawNothing() {
        for (json, quiet) in [(true, false), (false, true)] {
            let appearance = Appearance.decide(
                json: json,
                quiet: quiet,
                verbosity: 0,
                noColour: false,
                isTerminal: true,
                environment: ["TERM": "xterm"]
            )
            #expect(!appearance.live)
        }
    }

    @Test(arguments: [
        ("one two three", 20, "one two three"), ("one two three", 8, "one two\n  three"),
        ("see `a b c d` now", 11, "see\n  `a b c d`\n  now"), ("a `b c", 5, "a\n  `b c"),
        ("  one two three", 9, "  one two\n  three"),
        ("averyveryverylongword x", 8, "averyveryverylongword\n  x"), ("one two", 1, "one two"), ("", 5, ""),
    ])
    func wrapsAtBlanksAndKeepsCommandsWhole(_ text: String, _ width: Int, _ expected: String) {
        #expect(TerminalText.wrapped(text, to: width, indent: 2) == expected)
    }

    @Test(arguments: [
        (["a b.iso"], "Done: a b.iso (5 B).", 9, "Done:\n  a b.iso\n  (5 B)."),
        (["a b", "/x/a b"], "a b: at /x/a b now", 8, "a b: at\n  /x/a b\n  now"),
        ([""], "one two three", 8, "one two\n  three"), (["b c"], "a b c d", 4, "a\n  b c\n  d"),
        (["b c"], "a b c", 5, "a b c"),
    ])
    func wrapsNotWithinANameThatHasBlanks(_ names: [String], _ text: String, _ width: Int, _ expected: String)
    {
        #expect(TerminalText.wrapped(text, to: width, indent: 2, keeping: names) == expected)
    }

    @Test func aTextBesideALabelContinuesBelowItself() {
        let text = "Repeat the `ferry get` line with -d DIRECTORY to choose another directory."
        let margin = String(repeating: " ", count: 16)
        #expect(
            TerminalText.labelled("Next", text, columns: 60)
                == "  Next          Repeat the `ferry get` line with -d\n"
                + "\(margin)DIRECTORY to choose another directory."
        )
        let path = "/a/" + String(repeating: "long/", count: 12)
        #expect(TerminalText.labelled("To", path, columns: 60) == "  To            " + path)
        #expect(TerminalText.labelled("Next", text) == "  Next          " + text)
        #expect(TerminalText.labelled("Next", text, columns: 9) == "  Next          " + text)
    }
}
