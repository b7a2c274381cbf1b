import FerryCore
import FerryTesting
import Testing

struct FileNameTests {
    @Test(arguments: [
        "a", "a b", ".bashrc", "~", "-rf", "CON", "a\nb", "a\\b", "...", "\u{202E}x",
        String(repeating: "a", count: 255),
    ])
    func takesWhateverAUserMayType(name: String) throws {
        #expect(try FileName(userGiven: name).rawValue == name)
    }

    @Test(arguments: [
        ("", FileName.Invalid.empty), (".", .dots), ("..", .dots), ("a/b", .slash), ("/", .slash),
        ("../x", .slash),
        ("a\0b", .nul), (String(repeating: "a", count: 256), .tooLong(bytes: 256)),
        (String(repeating: "ü", count: 128), .tooLong(bytes: 256)),
    ])
    func refuses(name: String, reason: FileName.Invalid) {
        #expect(throws: reason) { try FileName(userGiven: name) }
    }

    @Test func canonicallyEquivalentNamesAreDifferentFiles() throws {
        #expect(try FileName(userGiven: "\u{E9}") != FileName(userGiven: "e\u{301}"))
    }

    @Test func namesThePartFile() throws {
        #expect(try FileName(userGiven: "a.iso").partName.rawValue == "a.iso.part")
        let longest = String(repeating: "a", count: 250)
        #expect(try FileName(userGiven: longest).partName.rawValue == longest + ".part")
    }

    @Test func longNamesThatBeginAlikeHaveDifferentPartFiles() throws {
        var parts: Set<FileName> = []
        for number in 0..<1000 {
            let tail = String(1000 + number)
            let part = try FileName(userGiven: String(repeating: "ü", count: 125) + "a" + tail).partName
            #expect(part.rawValue.utf8.count <= 255)
            #expect(part.rawValue.hasSuffix(".part"))
            parts.insert(part)
        }
        #expect(parts.count == 1000)
    }

    /// The hash is part of the format on disk: a change of it would lose part files.
    @Test func partNameOfALongNameIsStable() throws {
        let name = try FileName(userGiven: String(repeating: "a", count: 255))
        #expect(name.partName.rawValue == String(repeating: "a", count: 241) + "~95f0f1e8.part")
    }

    /// A later version must find what an earlier one left.
    @Test func namesTheDraftOfAFileThatNoTransferRecords() throws {
        #expect(try FileName(userGiven: "a.iso").draftName.rawValue == ".a.iso.ferry.part")
        let longest = try [String(repeating: "a", count: 255), String(repeating: "a", count: 254) + "b"]
            .map { try FileName(userGiven: $0).draftName.rawValue }
        #expect(longest.allSatisfy { $0.utf8.count == 255 && $0.hasPrefix(".aaa") && $0.hasSuffix(".part") })
        #expect(longest[0] != longest[1])
    }

    @Test(arguments: [
        ("file", "file.1"), ("file.txt", "file.1.txt"), ("file.tar.gz", "file.tar.1.gz"),
        (".profile", ".profile.1"),
        (".a.b", ".a.1.b"), ("file.", "file.1."),
    ])
    func numbersBeforeTheLastExtension(name: String, expected: String) throws {
        #expect(try FileName(userGiven: name).numbered(1).rawValue == expected)
    }

    @Test(arguments: [("", 255, 253), (".txt", 251, 249), (".a", 253, 251)])
    func shortensTheStemToMakeRoomForANumber(tail: String, count: Int, kept: Int) throws {
        let name = try FileName(userGiven: String(repeating: "a", count: count) + tail)
        #expect(name.numbered(1).rawValue == String(repeating: "a", count: kept) + ".1" + tail)
    }

    @Test func whateverIsDerivedIsANameAgain() throws {
        for seed in 0..<20_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let alphabet =
                SeededRandom.soup + [
                    String(repeating: "é", count: 60), String(repeating: "\u{301}", count: 60),
                ]
            guard let name = try? FileName(userGiven: random.text(from: alphabet, length: 8)) else {
                continue
            }
            for derived in [name.partName, name.numbered(1), name.numbered(.max), name.numbered(7).partName] {
                #expect((try? FileName(userGiven: derived.rawValue)) == derived, "seed \(seed)")
            }
        }
    }
}
