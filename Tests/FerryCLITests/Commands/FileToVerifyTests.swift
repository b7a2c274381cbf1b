import Ferry
import Testing

@testable import FerryFrontend

/// What `ferry verify` checks, and whether it needs the store for that.
@Suite struct FileToVerifyTests {
    @Test func onlyAFileWhoseDigestIsGivenNeedsNoStore() {
        let first = FileToVerify.ofTransfer(TransferID(rawValue: 1))
        for (word, hasDigest, expected) in [
            ("1", false, first), ("1", true, first), ("./1", true, .any("./1")), ("0", true, .any("0")),
            ("a.iso", false, .saved("a.iso")), ("a.iso", true, .any("a.iso")),
        ] as [(String, Bool, FileToVerify)] {
            let target = FileToVerify(word: word, hasDigest: hasDigest)
            #expect(target == expected)
            #expect((target.anyPath != nil) == (expected == .any(word)))
        }
    }

    @Test func nothingUnderAPathIsAFileThatCannotBeOpened() {
        let environment = ProcessEnvironment(variables: [:], workingDirectory: "/", home: nil)
        for path in ["ferry-does-not-exist", "/ferry-does-not-exist/x", "/dev/null/x"] {
            let failure = #expect(throws: CommandFailure.self) {
                try FileToVerify.place(of: path, environment)
            }
            #expect(failure?.status == .cannotOpen && failure?.message.contains(path) == true)
        }
    }
}
