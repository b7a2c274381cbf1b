import Ferry
import Testing

@testable import FerryFrontend

/// What a mirror keeps, and where it places files.
@Suite struct MirrorRecordTests {
    @Test func entriesAreReadAsTheyWereWritten() throws {
        var entry = MirrorEntry(.file, pass: 7)
        #expect(MirrorEntry(entry.payload) == entry)
        entry.comparison = .kept
        entry.version = ListedVersion(etag: "W/\"é\\\"", size: .max, stamp: "Mon, 1 \u{2028}K")
        entry.version.checksum = try Checksum(parsing: "sha-512=\(String(repeating: "a", count: 128))")
        entry.mirrors = try ["https://h/a?b=%20", "http://u:p@[::1]:8/"].map { try HTTPURL(parsing: $0) }
        entry.isPending = true
        let identity = FileIdentity(device: .max, inode: .max - 1, birth: -5)
        entry.placed = PlacedFile(identity: identity, length: 9, modified: -1)
        #expect(MirrorEntry(entry.payload) == entry)
        #expect(MirrorEntry(entry.payload)?.placed?.identity.birth == -5)
        entry.placed = PlacedFile(identity: FileIdentity(device: 0, inode: 1), length: 0, modified: nil)
        #expect(MirrorEntry(entry.payload) == entry)
        var folder = MirrorEntry(.directory, pass: 2)
        (folder.listedPass, folder.isMade) = (2, true)
        #expect(MirrorEntry(folder.payload) == folder)
        for payload in ["", "{}", "[]", #"{"kind":"x","pass":1}"#, #"{"kind":"f"}"#] {
            #expect(MirrorEntry(Array(payload.utf8)) == nil)
        }
    }

    @Test func aFileThatIsNotToBeDownloadedKeepsNoSecret() throws {
        var entry = MirrorEntry(.file, pass: 1)
        for text in ["https://h/a?token=s3cret", "https://u:s3cret@h/a", "https://h/a"] {
            let url = try HTTPURL(parsing: text)
            entry.mirrors = [try HTTPURL(parsing: "https://m/a?token=s3cret")]
            var node = MirrorTree.node("a", entry, at: url)
            #expect(node.source == url && MirrorEntry(node.payload)?.mirrors == entry.mirrors)
            // A second time changes nothing.
            for _ in 0..<2 {
                let known = try #require(MirrorEntry(node.payload))
                node = MirrorTree.settledNode("a", known, at: node.source)
                let source = node.source?.absoluteString ?? ""
                let kept = "\(source) \(String(decoding: node.payload, as: UTF8.self))"
                #expect(!kept.contains("s3cret"), "\(kept)")
                #expect(node.isOfFile(at: url), "\(kept)")
                let renewed = try HTTPURL(parsing: text.replacing("s3cret", with: "renewed"))
                #expect(node.isOfFile(at: renewed), "\(kept)")
                for other in ["https://h/b", "https://h/a?page=2", "http://h/a"] {
                    #expect(!node.isOfFile(at: try HTTPURL(parsing: other)), "\(kept)")
                }
            }
        }
    }

    @Test func theEndOfAPayloadTellsWhetherAFileIsPending() {
        var file = MirrorEntry(.file, pass: 1)
        for isPlaced in [false, true] {
            for isPending in [false, true] {
                let identity = FileIdentity(device: 1, inode: 2)
                file.placed = isPlaced ? PlacedFile(identity: identity, length: 1, modified: 1) : nil
                file.isPending = isPending
                #expect(MirrorEntry.isPending(file.payload) == isPending)
            }
        }
        file.isPending = false
        file.version.stamp = #","pending":1}"#
        #expect(!MirrorEntry.isPending(file.payload))
        var folder = MirrorEntry(.directory, pass: 1)
        (folder.listedPass, folder.isMade) = (1, true)
        #expect(!MirrorEntry.isPending(folder.payload) && !MirrorEntry.isPending([]))
    }

    @Test func statesAreReadAsTheyWereWritten() {
        var state = MirrorState(identity: "s3://b/\n/srv/é \"x\"", filter: "+*.iso")
        #expect(MirrorState(state.payload) == state)
        (state.pass, state.phase, state.language) = (3, .downloading, .webDAV)
        (state.place, state.isComplete, state.listedPass) = (["continuation-token", "a/b=="], false, 2)
        (state.count, state.refused) = (10_000_000, 7)
        (state.formerLanguage, state.collides, state.isListedAnew) = (.json, true, true)
        #expect(MirrorState(state.payload) == state)
        state.disk = MirrorDisk(device: .max, noted: Instant(milliseconds: 1_700_000_000_123))
        #expect(MirrorState(state.payload) == state)
        for payload in ["", "{}", #"{"identity":"a","pass":0,"phase":"over"}"#] {
            #expect(MirrorState(Array(payload.utf8)) == nil)
        }
    }

    @Test func aPassContinuesUntilItIsOverAndWithTheSameFilter() {
        var state = MirrorState(identity: "a", filter: "f")
        #expect(state.continues(filter: "f") && !state.continues(filter: "g"))
        (state.phase, state.count, state.refused) = (.over, 7, 7)
        (state.language, state.isListedAnew) = (.json, true)
        #expect(!state.continues(filter: "f"))
        let next = state.next(filter: "g")
        #expect(next.pass == 2 && next.phase == .listing && next.filter == "g")
        #expect(next.place.isEmpty && next.count == 0 && next.refused == 0)
        #expect(next.formerLanguage == .json && next.language == nil && !next.isListedAnew)
        for phase in [MirrorState.Phase.listing, .downloading] {
            state.phase = phase
            #expect(state.next(filter: "g").isListedAnew)
        }
    }

    @Test func treesOfDifferentMirrorsHaveDifferentNames() {
        let names = [("a", 0), ("b", 0), ("a", 1)].map { MirrorState.treeName($0.0, number: $0.1) }
        #expect(Set(names).count == 3)
        #expect(names.allSatisfy { $0.utf8.count <= 255 })
    }

    @Test(arguments: [
        ("a", ["a"]), ("a/b", ["a", "a/b"]), ("a//b", nil), ("/a", nil), ("../a", nil), ("a/../b", nil),
        ("a/.", nil),
        ("a/.hidden", ["a", "a/hidden"]), ("CON/x", ["_CON", "_CON/x"]),
        ("a:b/x.part", ["a_b", "a_b/x_part"]),
        ("a\u{0}b", ["ab"]),
    ])
    func eachPartOfAKeyIsMadeSafe(key: String, expected: [String]?) {
        let place = MirrorPath.ofObject(Substring(key))
        #expect(place.map { $0.directories + [$0.path] } == expected)
    }

    @Test func deepAndLongPathsAreRefused() {
        let deep = Array(repeating: "d", count: MirrorPath.deepest + 1).joined(separator: "/")
        #expect(MirrorPath.ofObject(Substring(deep)) != nil)
        #expect(MirrorPath.ofObject(Substring(deep + "/e")) == nil)
        let long = Array(repeating: String(repeating: "x", count: 200), count: 6).joined(separator: "/")
        #expect(MirrorPath.ofObject(Substring(long)) == nil)
        #expect(MirrorPath.split("a/b/c") == (directory: "a/b", name: "c"))
        #expect(MirrorPath.split("c") == (directory: MirrorPath.top, name: "c"))
        #expect(MirrorPath.directories(above: "a/b/c") == ["a", "a/b"])
        #expect(MirrorPath.directories(above: "c") == [])
    }

    @Test func sourcesAreReadFromACommandLine() throws {
        #expect(try MirrorSource(parsing: "https://h/pub").redacted == "https://h/pub/")
        #expect(try MirrorSource(parsing: "http://h").redacted == "http://h/")
        #expect(try MirrorSource(parsing: "s3://b/logs/2026-").commonLength == 5)
        #expect(try MirrorSource(parsing: "gs://b").commonLength == 0)
        for name in ["a.json", "A.META4", "sub/x.metalink"] {
            #expect(
                try MirrorSource(parsing: "https://h/\(name)")
                    == .manifest(HTTPURL(parsing: "https://h/\(name)"))
            )
        }
        #expect(try MirrorSource(parsing: "https://h/a.json/").redacted == "https://h/a.json/")
        #expect(try MirrorSource(parsing: "https://u:p@h/a.json").withoutUserinfo.url?.user == nil)
        let (open, secret) = try (
            MirrorSource(parsing: "https://h/p/"), MirrorSource(parsing: "https://u:secret@h/p/")
        )
        #expect(open.identity == secret.identity && !secret.redacted.contains("secret"))
        for text in [
            "", "h/pub", "https://h/p?x=1", "https://h/p/#f", "https://h/a.json?x", "ftp://h/", "s3://",
            "s3:///x",
        ] {
            #expect(throws: CommandFailure.self) { try MirrorSource(parsing: text) }
        }
    }
}
