import ArgumentParser
import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend
@testable import FerryUploads

/// Wildcards in the keys of objects.
@Suite struct KeyExpansionTests {
    private func expansion(_ words: [String]) throws -> KeyExpansion? {
        let environment = ProcessEnvironment(variables: [:], workingDirectory: "/", home: nil)
        return try KeyExpansion(GetCommand.parse(words).input.download, environment)
    }

    /// A page of a listing with these keys.
    private func page(_ keys: [String], under prefix: ObjectPrefix) throws -> [ListedObject] {
        var listing = BucketListing<ListedObject>(prefix)
        let contents = keys.map { "<Contents><Key>\($0)</Key><Size>1</Size></Contents>" }.joined()
        let body = "<ListBucketResult>\(contents)</ListBucketResult>"
        let answer = UploadAnswer(
            200,
            body: Array(body.utf8),
            from: try HTTPURL(parsing: "https://b.example/")
        )
        return try listing.read(answer, at: .epoch)
    }

    private func found(_ words: [String], _ keys: [String]) throws -> [String] {
        var expansion = try #require(try expansion(words))
        let pattern = try #require(expansion.pattern(words[0]))
        let listed = keys.filter { $0.utf8.starts(with: pattern.prefix.text.utf8) }
        try expansion.take(page(listed, under: pattern.prefix), of: pattern)
        return try expansion.end(pattern)
    }

    private func failure(_ body: () throws -> Void) -> CommandFailure? {
        do {
            try body()
            return nil
        } catch {
            return error as? CommandFailure
        }
    }

    @Test(arguments: [
        ["https://example.org/a*"], ["s3://bucket/a"], ["s3://bucket/a*", "--no-glob"], ["s3://bucket"],
        ["a*"], [],
    ])
    func whatHasNoPatternIsTakenAsItIs(_ words: [String]) throws {
        #expect(try expansion(words) == nil)
    }

    @Test func whatMatchesIsListedUnderTheLiteralPrefix() throws {
        let keys = ["logs/2026-1.gz", "logs/2026-2.txt", "logs/2026-x/3.gz", "logs/2026-/", "logs/2025.gz"]
        let names = try found(["s3://bucket/logs/2026-*.gz"], keys)
        #expect(names == ["s3://bucket/logs/2026-1.gz", "s3://bucket/logs/2026-x/3.gz"])
        let all = try found(["oss://bucket/*"], ["a*b", "c/"])
        #expect(all == ["oss://bucket/a*b"])
        let pattern = try #require(try expansion(["s3://bucket/a/b[12]"])?.pattern("s3://bucket/a/b[12]"))
        #expect(pattern.prefix.text == "a/b")
    }

    /// Nothing shows that a listing is retried.
    @Test func aListingIsRetriedLessOftenThanADownloadUnlessThatIsGiven() throws {
        #expect(try expansion(["s3://bucket/a*"])?.retries == 4)
        #expect(try expansion(["s3://bucket/a*", "--retries", "7"])?.retries == 7)
    }

    @Test func noMatchIsNotFound() {
        let refusal = failure { _ = try found(["s3://bucket/a*z"], ["ab"]) }
        #expect(refusal?.status == .notFound && refusal?.hint?.contains("--no-glob") == true)
    }

    @Test func twoObjectsWithOneNameAreRefusedUnlessTheyAreNumbered() throws {
        let words = ["s3://bucket/a/*", "s3://bucket/b/*"]
        func names(_ more: String...) throws -> [String] {
            var expansion = try #require(try expansion(words + more))
            return try words.flatMap { word in
                let pattern = try #require(expansion.pattern(word))
                let key = pattern.prefix.text + "x.gz"
                try expansion.take(page([key], under: pattern.prefix), of: pattern)
                return try expansion.end(pattern)
            }
        }
        let refusal = failure { _ = try names() }
        #expect(refusal?.status == .usage && refusal?.message.contains("same file") == true)
        #expect(try names("--auto-rename").count == 2)
    }

    private func folders(_ words: [String], _ keys: [String]) throws -> [String: String] {
        var expansion = try #require(try expansion(words))
        let pattern = try #require(expansion.pattern(words[0]))
        try expansion.take(page(keys, under: pattern.prefix), of: pattern)
        let folders = expansion.folders.map { (String(decoding: $0.key, as: UTF8.self), $0.value) }
        return Dictionary(uniqueKeysWithValues: folders)
    }

    @Test func directoriesBelowTheFixedPartStay() throws {
        let keys = ["logs/2026-1/a.gz", "logs/2026-1/x y/a.gz", "logs/2026.gz"]
        #expect(
            try folders(["s3://b/logs/2026*"], keys) == [
                "s3://b/logs/2026-1/a.gz": "2026-1", "s3://b/logs/2026-1/x y/a.gz": "2026-1/x y",
            ]
        )
        #expect(try folders(["s3://b/*"], ["logs/a"]) == ["s3://b/logs/a": "logs"])
        #expect(try folders(["s3://b/logs/2026*", "-o", "one"], keys).isEmpty)
    }

    @Test(arguments: ["../a", "x/../a", "x//a", "./a", "x/./a", "\(String(repeating: "x", count: 256))/a"])
    func aKeyThatLeadsElsewhereIsRefused(_ rest: String) throws {
        let refusal = failure { _ = try folders(["s3://b/logs/*"], ["logs/" + rest]) }
        #expect(refusal?.status == .usage && refusal?.message.contains("cannot be saved below") == true)
    }

    @Test(arguments: [["x", "x/a"], ["x/a", "x"], ["x/y", "x/y/z/a"]])
    func aFileAndADirectoryOfOneNameAreRefused(_ keys: [String]) throws {
        for option in [[], ["--auto-rename"]] {
            let refusal = failure { _ = try folders(["s3://b/*"] + option, keys) }
            #expect(refusal?.status == .usage && refusal?.message.contains("directory of that name") == true)
        }
    }

    @Test func anObjectThatTwoPatternsNameIsDownloadedOnce() throws {
        let words = ["s3://bucket/a*", "s3://bucket/*b"]
        var expansion = try #require(try expansion(words))
        var names: [String] = []
        for word in words {
            let pattern = try #require(expansion.pattern(word))
            try expansion.take(page(["ab"], under: pattern.prefix), of: pattern)
            names += try expansion.end(pattern)
        }
        #expect(names == ["s3://bucket/ab"])
    }

    /// Keys are octets: both forms of `é` are two objects, two files and two directories.
    @Test func canonicallyEquivalentKeysAreDifferent() throws {
        let forms = ["d\u{E9}", "de\u{301}"]
        for option in [[], ["--auto-rename"]] {
            let words = ["s3://b/*"] + option
            #expect(try found(words, forms).count == 2)
            var expansion = try #require(try expansion(words))
            let pattern = try #require(expansion.pattern(words[0]))
            try expansion.take(page(forms.map { "\($0)/a" }, under: pattern.prefix), of: pattern)
            let names = try expansion.end(pattern)
            #expect(names.count == 2 && expansion.folders.count == 2)
            for (name, form) in zip(names, forms) {
                let folder = expansion.folders[Array(name.utf8)]
                #expect(folder.map { Array($0.utf8) } == Array(form.utf8))
            }
        }
    }

    @Test func aVersionNeedsOneObject() {
        #expect(failure { _ = try expansion(["s3://bucket/a*", "--version-id", "1"]) }?.status == .usage)
    }
}
