import Testing

@testable import FerryCLI

@Suite struct CommandWordsTests {
    private func shown(_ words: [String]) -> [String] {
        let bytes = words.map { Array($0.utf8) }
        return zip([[]] + bytes, bytes).map { former, word in
            var shown = word
            for index in CommandWords.secret(in: word, after: former) { shown[index] = UInt8(ascii: "x") }
            return String(decoding: shown, as: UTF8.self)
        }
    }

    @Test(arguments: [
        (["ferry", "get", "--user", "a:secret"], ["ferry", "get", "--user", "xxxxxxxx"]),
        (["-u", "a:b", "-o", "x"], ["-u", "xxx", "-o", "x"]),
        (["--bearer=tok", "https://h/"], ["--bearer=xxx", "https://h/"]),
        (["-ua:b", "-HX: 1"], ["-uxxx", "-Hxxxx"]),
        (["-H", "X-Key: 1"], ["-H", "xxxxxxxx"]),
        (["https://u:p@h/a"], ["https://xxx@h/a"]), (["https://u:p@h/?s"], ["https://xxxxxxxx"]),
        (["https://h/a?b=1"], ["https://h/a?xxx"]), (["-vu", "a:b"], ["-vu", "xxx"]),
        (["-vua:b"], ["-vuxxx"]), (["-Ru", "a:b"], ["-Ru", "xxx"]), (["-ROua:b"], ["-ROuxxx"]),
        // For `put`, -r is a flag.
        (["-ru", "a:b"], ["-ru", "xxx"]), (["-rHX: 1"], ["-rHxxxx"]), (["-r0-9"], ["-r0-9"]),
        (["--proxy", "u:p@h:1"], ["--proxy", "xxx@h:1"]), (["--proxy=u:p@h:1"], ["--proxy=xxx@h:1"]),
        (["-ofile", "name"], ["-ofile", "name"]), (["-o", "uH"], ["-o", "uH"]),
        (["https://h/a@b"], ["https://h/a@b"]),
        (["--proxy", "http://u:p@h:1"], ["--proxy", "xxxxxxxxxx@h:1"]),
        (["a:/b://u:p@h"], ["a:/b://xxx@h"]), (["a:/"], ["a:/"]), (["a:"], ["a:"]),
        (["--header="], ["--header="]), (["--user"], ["--user"]), ([], []),
    ])
    func hides(_ words: [String], _ expected: [String]) {
        #expect(shown(words) == expected)
    }
}
