import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// What a command line says by mistake is quoted without its secrets (I7).
struct QuotedWordTests {
    @Test(arguments: [
        ("https://me:pw@h.example/f?token=s3cret", "https://h.example/f?token=…"),
        ("htps://me:s3cret@h.example/f?token=s3cret#s3cret", "htps://h.example/f?…"),
        ("htps://me:s3/cr@et@h.example/f", "htps://h.example/f"),
        ("htps://s3cret@h.example", "htps://h.example"),
        ("ftp://h.example/@scope/f", "ftp://h.example/@scope/f"),
        ("me:s3cret@h.example/f?token=s3cret", "h.example/f?…"),
        ("--mirror=htps://me:s3cret@h.example/f", "--mirror=htps://h.example/f"),
        ("--miror=https://me:s3cret@h.example/f", "--miror=https://h.example/f"),
        ("/home/me@work/a?b", "/home/me@work/a?b"), ("a@b", "a@b"), ("f:1", "f:1"), ("what?", "what?"),
        ("h.example/f?pin=s3cret", "h.example/f?…"), ("h.example/f?s3cret", "h.example/f?…"),
        ("htps://h.example/f;sid=s3cret/g", "htps://h.example/f;…"), ("f;sid=s3cret", "f;…"), ("a;b", "a;b"),
        ("--header=X: s3cret", "--header=…"), ("--user=me:s3cret", "--user=…"),
        ("7", "7"), ("", ""), ("--", "--"), ("--x=", "--x="), ("://", "://"),
    ])
    func isShownWithoutWhatIsSecret(word: String, shown: String) {
        #expect(QuotedWord(word).description == shown)
        let text = Invocation.redacted("Error: Unexpected argument '\(word)'", ["doctor", word])
        #expect(text == "Error: Unexpected argument '\(shown)'")
    }

    @Test func theValueOfASecretOptionIsNotQuoted() {
        for option in ["-H", "--header", "-u", "--user", "--bearer"] {
            let text = Invocation.redacted("Error: Unexpected argument 's3cret'", ["list", option, "s3cret"])
            #expect(text == "Error: Unexpected argument '…'")
        }
    }

    /// Flags may precede the option in one word, and its value may follow in it.
    @Test(arguments: [
        (["-Ru", "s3cret"], "s3cret", "…"), (["-us3cret"], "-us3cret", "-u…"),
        (["-vRHX: s3cret"], "-vRHX: s3cret", "-vRH…"), (["-Ld", "s3cret"], "s3cret", "…"),
        (["-vq", "name"], "name", "name"), (["-", "name"], "name", "name"), (["-Ru"], "-Ru", "-Ru"),
    ])
    func theValueOfAJoinedOptionIsNotQuoted(words: [String], word: String, shown: String) {
        let text = Invocation.redacted("Error: Unexpected argument '\(word)'", ["list"] + words)
        #expect(text == "Error: Unexpected argument '\(shown)'")
    }

    @Test(arguments: [
        ["verify", "https://me:s3cret@h.example/f?token=s3cret"], ["verify", "me:s3cret@h.example/f"],
        ["verify", "--checksum-file", "htps://me:s3cret@h.example/f?token=s3cret"],
        ["get", "-i", "htps://me:s3cret@h.example/f?token=s3cret"],
        ["get", "--metalink", "htps://me:s3cret@h.example/f?token=s3cret"],
        ["get", "https://h.example/f", "--mirror", "htps://me:s3cret@h.example/f?token=s3cret"],
        ["get", "https://h.example/f", "--mirror", "me:s3cret@h.example/f?token=s3cret"],
    ])
    func noMistakenWordTellsASecret(words: [String]) throws {
        let source = words.contains("get") ? words.last : nil
        for word in words where word.contains("s3cret") {
            #expect(!QuotedWord(word).description.contains("s3cret"))
        }
        guard let source, words.contains("--metalink") else { return }
        #expect(!(try DocumentSource(parsing: source, option: "--metalink").name.contains("s3cret")))
    }
}
