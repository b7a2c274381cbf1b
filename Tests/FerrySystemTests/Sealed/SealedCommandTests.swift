import FerrySealed
import Foundation
import Testing

/// The commands that seal, open and print files.
@Suite(
    "Sealed files",
    .limitedParallelism,
    .enabled(if: Tool.ageKeygen.isInstalled, "age is not installed; scripts/test installs it")
)
struct SealedCommandTests {
    private static let content = Content(count: 200_000, seed: 77)

    /// Runs `body` with the file `clear` in the working directory.
    private func sealing(_ body: (Sandbox, SealedKeys) async throws -> Void) async throws {
        try await Sandbox.open { sandbox in
            let key = try #require(try await SealedKeys.make(in: sandbox, count: 1).first)
            try Self.content.bytes.write(to: URL(fileURLWithPath: sandbox.path(of: "clear")))
            try await body(sandbox, key)
        }
    }

    @Test("FILE becomes FILE.age and is opened as FILE; no existing file is replaced without --overwrite")
    func names() async throws {
        try await sealing { sandbox, key in
            try await sandbox.ferry("seal", "clear", "--to", key.recipient).expect(0)
            #expect(try sandbox.fileNames() == ["clear", "clear.age"])
            let again = try await sandbox.ferry("seal", "clear", "--to", key.recipient)
            again.expect(13)
            #expect(
                again.errors.contains("already exists") && again.errors.contains("--overwrite"),
                "\(again)"
            )
            try await sandbox.ferry("open", "clear.age", "-i", key.file).expect(13)
            try FileManager.default.removeItem(atPath: sandbox.path(of: "clear"))
            try await sandbox.ferry("open", "clear.age", "-i", key.file).expect(0)
            #expect(Self.content.isWhole(at: sandbox.path(of: "clear")))
            try await sandbox.ferry("seal", "clear", "--to", key.recipient, "--overwrite").expect(0)
            try await sandbox.ferry("open", "clear.age", "-i", key.file, "--overwrite").expect(0)
            #expect(Self.content.isWhole(at: sandbox.path(of: "clear")))
            #expect(try sandbox.fileNames() == ["clear", "clear.age"])
            // A link is not followed, whatever it leads to.
            try await sandbox.shell("ln -s elsewhere link.age").expect(0)
            let link = try await sandbox.ferry(
                "seal",
                "clear",
                "--to",
                key.recipient,
                "-o",
                "link.age",
                "--overwrite"
            )
            link.expect(13)
            #expect(
                link.errors.contains("link.age already exists and is a symbolic link")
                    && link.errors.contains("Move or remove it") && !link.errors.contains("--overwrite"),
                "\(link)"
            )
            #expect(try !sandbox.fileNames().contains("elsewhere"))
        }
    }

    @Test("pipes are sealed and opened, and end with the same bytes")
    func pipes() async throws {
        try await sealing { sandbox, key in
            let line =
                "cat clear | ferry seal - --to \(key.recipient) | cat | ferry open - -i '\(key.file)' > out"
            try await sandbox.shell(line).expect(0)
            #expect(Self.content.isWhole(at: sandbox.path(of: "out")))
            try await sandbox.shell("ferry seal clear -o - --to \(key.recipient) > sealed").expect(0)
            try await sandbox.shell("ferry cat sealed -i - < '\(key.file)' | cmp - clear").expect(0)
            // A reader that leaves is no failure.
            try await sandbox.shell("ferry cat sealed -i '\(key.file)' | head -c 10 | cmp -n 10 - clear")
                .expect(0)
            let recipients = sandbox.path(of: "recipients")
            try Data("# one\n\(key.recipient)\n".utf8).write(to: URL(fileURLWithPath: recipients))
            try await sandbox.shell(
                "ferry seal - --to-file recipients < clear | ferry cat - -i '\(key.file)' | cmp - clear"
            )
            .expect(0)
        }
    }

    @Test("a range is the same as of the file in clear, and needs only its chunks and the last")
    func ranges() async throws {
        try await sealing { sandbox, key in
            try await sandbox.ferry("seal", "clear", "--to", key.recipient).expect(0)
            let bytes = Self.content.bytes
            let ranges: [(String, Range<Int>)] = [
                ("0-0", 0..<1), ("0-65535", 0..<65_536), ("65535-65536", 65_535..<65_537),
                ("199999-", 199_999..<200_000),
                ("-10", 199_990..<200_000), ("70000-150000", 70_000..<150_001),
                ("5-999999999", 5..<200_000),
            ]
            for (range, expected) in ranges {
                let out = try await sandbox.shell(
                    "ferry cat clear.age -i '\(key.file)' --range '\(range)' > part"
                )
                out.expect(0)
                #expect(
                    Content(bytes: Data(bytes[expected])).isWhole(at: sandbox.path(of: "part")),
                    "\(range)"
                )
            }
            let behind = try await sandbox.ferry("cat", "clear.age", "-i", key.file, "--range", "200000-")
            behind.expect(64)
            #expect(behind.output.isEmpty && behind.errors.contains("200000 bytes"), "\(behind)")
            // The second chunk is changed; the others are read as before.
            var sealed = try Data(contentsOf: URL(fileURLWithPath: sandbox.path(of: "clear.age")))
            sealed[sealed.count - 200_000 - 64 + 65_552 + 9] ^= 1
            try sealed.write(to: URL(fileURLWithPath: sandbox.path(of: "clear.age")))
            try await sandbox.ferry("cat", "clear.age", "-i", key.file, "--range", "131072-").expect(0)
            let damaged = try await sandbox.ferry(
                "cat",
                "clear.age",
                "-i",
                key.file,
                "--range",
                "65536-65536"
            )
            damaged.expect(32)
            #expect(damaged.output.isEmpty && damaged.errors.contains("Chunk 2 was changed"), "\(damaged)")
            #expect(damaged.errors.contains("Nothing was printed."), "\(damaged)")
            // No byte comes of a file that is cut short.
            try sealed.dropLast(1).write(to: URL(fileURLWithPath: sandbox.path(of: "clear.age")))
            let cut = try await sandbox.ferry("cat", "clear.age", "-i", key.file, "--range", "0-0")
            cut.expect(32)
            #expect(cut.output.isEmpty, "\(cut)")
            let pipe = try await sandbox.shell("cat clear.age | ferry cat - -i '\(key.file)' --range 0-0")
            pipe.expect(64)
        }
    }

    @Test("a file at a URL is cut short if it ends with its header, short or long", arguments: [1, 800])
    func nothingButAHeader(recipients: Int) async throws {
        try await sealing { sandbox, key in
            var random = SystemRandomNumberGenerator()
            let others = (1..<recipients).map { _ in X25519Identity(using: &random).recipient.description }
            let team = ([key.recipient] + others).joined(separator: "\n")
            try Data(team.utf8).write(to: URL(fileURLWithPath: sandbox.path(of: "team")))
            try await sandbox.ferry("seal", "clear", "--to-file", "team", "-o", "sealed").expect(0)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: sandbox.path(of: "sealed")))
            let mark = try #require(bytes.firstRange(of: Data("\n--- ".utf8)))
            let end = try #require(bytes[mark.upperBound...].firstIndex(of: UInt8(ascii: "\n")))
            // More than is fetched at first.
            #expect(recipients == 1 || end > 70_000)
            let header = Content(bytes: Data(bytes[...end]))
            try await ScriptedServer.run {
                ScriptedReply.serving(header, tag: "\"a\"", to: $0)
            } _: { server in
                let outcome = try await sandbox.ferry("cat", server.url("file.age"), "-i", key.file)
                outcome.expect(32)
                #expect(outcome.errors.contains("cut short"), "\(outcome)")
            }
        }
    }

    @Test("sections are opened alone; age opens the whole")
    func sections() async throws {
        try await sealing { sandbox, key in
            try await sandbox.shell("printf '{}' > meta; head -c 70000 clear > small").expect(0)
            try await sandbox.ferry(
                "seal",
                "clear",
                "--to",
                key.recipient,
                "--metadata",
                "meta",
                "--thumbnail",
                "small"
            ).expect(0)
            for (section, file) in [("metadata", "meta"), ("thumbnail", "small"), ("data", "clear")] {
                let line = "ferry cat clear.age -i '\(key.file)' --section \(section) | cmp - \(file)"
                try await sandbox.shell(line).expect(0)
            }
            let whole = try await sandbox.shell(
                "ferry cat clear.age -i '\(key.file)' | tail -c +262145 | cmp - clear"
            )
            whole.expect(0)
            try await sandbox.ferry("seal", "clear", "--to", key.recipient, "-o", "plain.age").expect(0)
            let none = try await sandbox.ferry("cat", "plain.age", "-i", key.file, "--section", "data")
            none.expect(15)
            #expect(none.errors.contains("It has no sections."), "\(none)")
        }
    }

    @Test("a wrong key ends with 24, bad usage with 64, and no message has a secret")
    func refusals() async throws {
        try await sealing { sandbox, key in
            try await sandbox.ferry("seal", "clear", "--to", key.recipient).expect(0)
            let other = try #require(try await SealedKeys.make(in: sandbox, count: 1, from: 1).first)
            let wrong = try await sandbox.ferry("open", "clear.age", "-i", other.file, "-o", "out")
            wrong.expect(24)
            #expect(wrong.errors.contains("None of the given identities opens it."), "\(wrong)")
            let none = try await sandbox.ferry("open", "clear.age", "-o", "out")
            none.expect(24)
            #expect(none.errors.contains("none was given") && none.errors.contains("-i FILE"), "\(none)")
            let secret =
                try String(contentsOfFile: key.file, encoding: .utf8)
                .split(separator: "\n").last.map(String.init) ?? ""
            #expect(secret.hasPrefix("AGE-SECRET-KEY-1"))
            try await sandbox.ferry("seal", "clear", "--to", secret, "-o", "out").expect(64)
            try await sandbox.ferry("seal", "clear", "--to-file", key.file, "-o", "out").expect(15)
            try await sandbox.ferry("seal", "clear", "-o", "out").expect(64)
            try await sandbox.ferry("seal", "clear", "--passphrase", "--to", key.recipient).expect(64)
            try await sandbox.ferry("open", "clear", "-i", key.file).expect(64)
            try await sandbox.ferry("seal", "absent", "--to", key.recipient).expect(15)
            try await sandbox.ferry("seal", "clear", "--to", key.recipient, "-o", "absent/out").expect(16)
            // Without a terminal, no passphrase can be typed.
            try await sandbox.shell("setsid '\(Repository.ferry)' seal clear --passphrase -o out < /dev/null")
                .expect(24)
            #expect(!sandbox.saidSoFar.contains(secret))
            #expect(try sandbox.fileNames() == ["clear", "clear.age"])
        }
    }

    @Test("--json tells the path and the length")
    func json() async throws {
        try await sealing { sandbox, key in
            let sealed = try await sandbox.ferry("seal", "clear", "--to", key.recipient, "--json")
            sealed.expect(0)
            #expect(
                sealed.output.contains("\"length\":200000") && sealed.output.contains("clear.age"),
                "\(sealed)"
            )
            let damaged = try await sandbox.ferry("open", "clear", "-o", "x", "--json", "-i", key.file)
            damaged.expect(15)
            #expect(damaged.errors.contains("\"code\":\"notSealed\""), "\(damaged)")
        }
    }
}
