import Foundation
import Testing

/// Ferry and age open each other's files, and refuse the same ones.
@Suite(
    "Sealed files of age",
    .limitedParallelism,
    .enabled(
        if: Tool.age.isInstalled && Tool.ageKeygen.isInstalled,
        "age is not installed; scripts/test installs it"
    )
)
struct AgeTests {
    /// The lengths at which something changes: nothing, one byte, a chunk less, whole or more, several chunks.
    private static let lengths = [0, 1, 65_535, 65_536, 65_537, 131_072, 300_001]

    @Test("each opens what the other has sealed, byte for byte")
    func openEachOther() async throws {
        try await Sandbox.open { sandbox in
            let keys = try await SealedKeys.make(in: sandbox, count: 3)
            let count = SampleSize(variable: "FERRY_SEALED_FILES", otherwise: 14).limit ?? 1_000
            let seed = SeededRandom.seed
            var random = SeededRandom(seed: seed)
            for number in 0..<count {
                let drawn = Int.random(in: 0...400_000, using: &random)
                let length = number < Self.lengths.count ? Self.lengths[number] : drawn
                let content = Content(count: length, seed: seed &+ UInt64(number))
                let clear = sandbox.path(of: "clear")
                try content.bytes.write(to: URL(fileURLWithPath: clear))
                let chosen = Array(
                    keys.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
                )
                let opener = try #require(chosen.randomElement(using: &random))
                let recipients = chosen.flatMap { ["--to", $0.recipient] }
                let say = "seed \(seed), file \(number), \(length) bytes"

                try await sandbox.launch(["seal", clear, "-o", "ours.age", "--overwrite"] + recipients)
                    .outcome()
                    .expect(0)
                let theirs = try await sandbox.shell("age -d -i '\(opener.file)' ours.age > opened-by-age")
                #expect(theirs.status == 0, "\(say): \(theirs)")
                #expect(content.isWhole(at: sandbox.path(of: "opened-by-age")), "\(say)")

                let flags = chosen.map { "-r \($0.recipient)" }.joined(separator: " ")
                let armor = Bool.random(using: &random) ? "-a" : ""
                try await sandbox.shell("age \(armor) \(flags) -o theirs.age clear").expect(0)
                let ours = try await sandbox.ferry(
                    "open",
                    "theirs.age",
                    "-i",
                    opener.file,
                    "-o",
                    "opened-by-ferry",
                    "--overwrite"
                )
                #expect(ours.status == 0, "\(say): \(ours)")
                #expect(content.isWhole(at: sandbox.path(of: "opened-by-ferry")), "\(say)")
            }
            print("sealed files: \(count) both ways (seed \(seed))")
        }
    }

    /// What can happen to a file of 200,000 bytes, the status that it ends with, and words of the message.
    private static func changes(of whole: Data) -> [(what: String, data: Data, status: Int32, words: String)]
    {
        let start = whole.count - 200_000 - 4 * 16
        let chunk = 65_552
        func changed(at place: Int) -> Data {
            var data = whole
            // Another letter, also where only base64 may stand.
            data[place] = data[place] == 0x41 ? 0x42 : 0x41
            return data
        }
        return [
            ("an authentication code", changed(at: start - 16 - 10), 32, "header was changed"),
            ("a nonce", changed(at: start - 1), 32, "header belongs to another file"),
            ("the first chunk", changed(at: start), 32, "Chunk 1 was changed"),
            ("the third chunk", changed(at: start + 2 * chunk + 5), 32, "Chunk 3 was changed"),
            ("a cut at a chunk", whole.prefix(start + 2 * chunk), 32, "ends after chunk 2"),
            ("a cut in a chunk", whole.dropLast(100), 32, "cut short within chunk 4"),
            ("a cut in a tag", whole.prefix(start + 2 * chunk + 3), 32, "ends after chunk 2"),
            ("a header alone", whole.prefix(start), 32, "no chunk of it is there"),
            ("a cut header", whole.prefix(40), 15, "ends within it"),
            ("more behind the end", whole + [0], 32, "cut short within chunk 4"),
            ("no sealed file", Data("hello".utf8), 15, "not a sealed file"),
            (
                "exchanged chunks",
                whole.prefix(start) + whole[(start + chunk)..<(start + 2 * chunk)]
                    + whole[start..<(start + chunk)] + whole[(start + 2 * chunk)...],
                32, "chunk 2 is in place 1"
            ),
        ]
    }

    @Test("both refuse what was changed, and ferry saves nothing of it")
    func refuseTheSame() async throws {
        try await Sandbox.open { sandbox in
            let key = try #require(try await SealedKeys.make(in: sandbox, count: 1).first)
            let content = Content(count: 200_000, seed: 5)
            try content.bytes.write(to: URL(fileURLWithPath: sandbox.path(of: "clear")))
            try await sandbox.ferry("seal", "clear", "--to", key.recipient).expect(0)
            let whole = try Data(contentsOf: URL(fileURLWithPath: sandbox.path(of: "clear.age")))
            for example in Self.changes(of: whole) {
                try Data(example.data).write(to: URL(fileURLWithPath: sandbox.path(of: "changed.age")))
                let theirs = try await sandbox.shell("age -d -i '\(key.file)' -o theirs changed.age")
                #expect(theirs.status != 0, "\(example.what)")
                for (line, input) in [("changed.age", "/dev/null"), ("-", sandbox.path(of: "changed.age"))] {
                    let ours = try await sandbox.ferry(
                        "open",
                        line,
                        "-i",
                        key.file,
                        "-o",
                        "ours",
                        input: input
                    )
                    #expect(ours.status == example.status, "\(example.what): \(ours)")
                    #expect(ours.errors.contains(example.words), "\(example.what): \(ours)")
                }
                #expect(try !sandbox.fileNames().contains("ours"), "\(example.what)")
            }
            // Nothing else is left.
            #expect(
                try sandbox.fileNames().filter {
                    !["theirs", "clear", "clear.age", "changed.age"].contains($0)
                } == []
            )
        }
    }

    @Test(
        "passphrases are typed on the terminal, and open each other's files",
        .enabled(if: Tool.script.isInstalled, "script is not installed")
    )
    func passphrases() async throws {
        try await Sandbox.open { sandbox in
            try Data("by heart".utf8).write(to: URL(fileURLWithPath: sandbox.path(of: "clear")))
            func typed(_ lines: String, _ command: String) async throws -> Outcome {
                try await sandbox.shell("printf '\(lines)' | script -qec \"\(command)\" /dev/null")
            }
            let ferry = "'\(Repository.ferry)'"
            let sealing = try await typed("horse\\nhorse\\n", "\(ferry) seal clear --passphrase")
            sealing.expect(0)
            #expect(
                sealing.output.contains("Passphrase again") && !sealing.output.contains("Passphrase: horse")
            )
            try await typed("horse\\n", "age -d -o by-age clear.age").expect(0)
            #expect(Content("by heart").isWhole(at: sandbox.path(of: "by-age")))

            try await typed("horse\\nhorse\\n", "age -p -o theirs.age clear").expect(0)
            try await typed("horse\\n", "\(ferry) open theirs.age").expect(0)
            #expect(Content("by heart").isWhole(at: sandbox.path(of: "theirs")))

            let wrong = try await typed("cow\\n", "\(ferry) open theirs.age -o wrong")
            wrong.expect(24)
            #expect(wrong.output.contains("It is sealed with a passphrase, and no given one"), "\(wrong)")
            let differing = try await typed("horse\\ncow\\n", "\(ferry) seal clear --passphrase -o other")
            differing.expect(24)
            #expect(try !sandbox.fileNames().contains { ["wrong", "other"].contains($0) })
        }
    }
}

/// Identities of age, made for a test.
struct SealedKeys {
    /// The file of the identity.
    var file: String
    /// Its recipient.
    var recipient: String

    /// Makes some, beside those before `first`.
    static func make(in sandbox: Sandbox, count: Int, from first: Int = 0) async throws -> [SealedKeys] {
        var keys: [SealedKeys] = []
        for number in first..<(first + count) {
            let file = "\(sandbox.root)/key-\(number).txt"
            try await sandbox.shell("age-keygen -o '\(file)'").expect(0)
            let recipient = try await sandbox.shell("age-keygen -y '\(file)'").output
            keys.append(
                SealedKeys(file: file, recipient: recipient.trimmingCharacters(in: .whitespacesAndNewlines))
            )
        }
        return keys
    }
}
