import FerryCore
import Testing

/// When an entry of a pool is served, and when it goes.
@Suite("Entries of pools")
struct CacheRuleTests {
    private static let now = Instant(seconds: 1_700_000_000)
    private static let day = Duration.seconds(86_400)

    private func entry(
        _ number: Int64 = 1,
        bytes: Int64 = 10,
        used: Duration = .zero,
        expiry: CacheExpiry = .inherited
    ) -> StoredEntry {
        var entry = StoredEntry(
            CacheTerms(pool: "pool", expiry: expiry),
            named: "\(number)",
            label: "label",
            at: Self.now.advanced(by: used)
        )
        entry.number = number
        let file = PlacedFile(
            identity: FileIdentity(device: 1, inode: UInt64(number)),
            length: bytes,
            modified: 1
        )
        entry.content = .file(SavedVersion(file))
        return entry
    }

    @Test("directories overlap if one is in the other, whatever characters their names begin with")
    func overlapsByBytes() {
        #expect(CacheSettings.overlap("/a", "/a/\u{301}b") && CacheSettings.overlap("/a/\u{301}b/c", "/a"))
        #expect(CacheSettings.overlap("/a/b", "/a/b"))
        #expect(!CacheSettings.overlap("/a/b", "/a/\u{301}b") && !CacheSettings.overlap("/ab", "/a"))
    }

    @Test(
        "an entry is fresh as long as it says, or else its pool",
        arguments: [
            (CacheExpiry.inherited, Duration?.some(.seconds(60)), Duration.seconds(59), true),
            (.inherited, .seconds(60), .seconds(60), false),
            (.inherited, nil, .seconds(1 << 40), true),
            (.inherited, .zero, .zero, false),
            (.after(.seconds(10)), .seconds(60), .seconds(9), true),
            (.after(.seconds(10)), .seconds(60), .seconds(10), false),
            (.after(.seconds(90)), .seconds(60), .seconds(89), true),
            (.after(.seconds(10)), nil, .seconds(10), false),
            (.never, .seconds(60), .seconds(1 << 40), true),
            // The clock was set back: the age is unknown.
            (.inherited, .seconds(60), .milliseconds(-1), false),
            (.after(.seconds(10)), .seconds(60), .seconds(-1), false),
            (.never, .seconds(60), .seconds(-1), true),
            (.inherited, nil, .seconds(-1), true),
        ]
    )
    func isFresh(_ expiry: CacheExpiry, _ freshFor: Duration?, _ age: Duration, _ expected: Bool) {
        var settings = CacheSettings("pool")
        settings.freshFor = freshFor
        #expect(entry(expiry: expiry).isFresh(at: Self.now.advanced(by: age), in: settings) == expected)
    }

    @Test("what is leaving, or has not arrived, is never fresh")
    func isNotFresh() {
        let settings = CacheSettings("pool")
        var leaving = entry(expiry: .never)
        leaving.isLeaving = true
        #expect(!leaving.isFresh(at: Self.now, in: settings))
        var expected = entry(expiry: .never)
        expected.content = .expected
        #expect(!expected.isFresh(at: Self.now, in: settings))
        var absent = entry(expiry: .never)
        absent.content = .absent
        #expect(absent.isFresh(at: Self.now, in: settings), "that there is none is served, too")
    }

    @Test("an expiry survives as one number")
    func codesExpiry() {
        for expiry in [CacheExpiry.inherited, .never, .after(.milliseconds(1)), .after(Self.day)] {
            #expect(CacheExpiry(number: expiry.number) == expiry)
        }
        #expect(CacheExpiry.after(.zero).number == 1, "no time at all is not the pool's time")
        #expect(CacheExpiry.after(.seconds(-5)).number == 1)
    }

    /// The numbers of those that go.
    private func evicted(_ settings: CacheSettings, _ entries: [StoredEntry]) -> [Int64] {
        let bytes = entries.reduce(0) { $0 + $1.bytes }
        var plan = EvictionPlan(settings, bytes: bytes, at: Self.now)
        return entries.prefix { plan.evicts($0) }.map(\.number)
    }

    @Test("the least recently used go until the pool keeps its limit, and not one more")
    func evictsByBytes() {
        let entries = (1...5).map { entry($0, used: .seconds(-100 + $0)) }
        for limit in Int64(0)...60 {
            var settings = CacheSettings("pool")
            settings.maxBytes = limit
            let gone = evicted(settings, entries)
            #expect(gone == (1...5).prefix(gone.count).map { Int64($0) })
            let left = 50 - 10 * Int64(gone.count)
            #expect(left <= limit)
            #expect(gone.isEmpty || left + 10 > limit)
        }
    }

    @Test("what is larger than the pool goes first, and nothing goes for it")
    func evictsTheTooLarge() {
        var settings = CacheSettings("pool")
        settings.maxBytes = 20
        for (bytes, isTooLarge) in [(Int64(0), false), (20, false), (21, true)] {
            #expect(settings.isTooLarge(bytes) == isTooLarge)
            #expect(!CacheSettings("pool").isTooLarge(bytes))
            var plan = EvictionPlan(settings, bytes: 20, at: Self.now)
            let (first, second) = (plan.evicts(entry(1, bytes: bytes)), plan.evicts(entry(2)))
            #expect(first == isTooLarge)
            #expect(!second, "the others keep the limit without it")
        }
    }

    @Test("what was not used for too long goes, whatever the bytes")
    func evictsByAge() {
        let entries = [-300, -200, -100, 0].enumerated().map {
            entry(Int64($0.offset) + 1, used: .seconds($0.element))
        }
        var settings = CacheSettings("pool")
        settings.maxAge = .seconds(200)
        #expect(evicted(settings, entries) == [1, 2])
        settings.maxBytes = 10
        #expect(evicted(settings, entries) == [1, 2, 3])
        #expect(evicted(CacheSettings("pool"), entries) == [])
    }

    @Test("what stays, is retained, is downloaded or leaves already is not evicted")
    func evictsNothingInUse() {
        #expect(entry().mayBeEvicted)
        let changes: [(inout StoredEntry) -> Void] = [
            { $0.mode = .persistent }, { $0.retains = 1 }, { $0.transfer = TransferID(rawValue: 1) },
            { $0.isLeaving = true }, { $0.content = .expected },
        ]
        for change in changes {
            var entry = entry()
            change(&entry)
            #expect(!entry.mayBeEvicted)
        }
    }

    @Test("a file is deleted only when its deletion was noted, and it is neither retained nor downloaded")
    func deletesOnlyTheUnused() {
        for (isLeaving, retains, isDownloaded) in [
            (true, 0, false), (false, 0, false), (true, 1, false), (true, 0, true),
        ] {
            var entry = entry()
            (entry.isLeaving, entry.retains) = (isLeaving, retains)
            entry.transfer = isDownloaded ? TransferID(rawValue: 1) : nil
            #expect(entry.mayBeDeleted == (isLeaving && retains == 0 && !isDownloaded))
        }
    }

    @Test("a new version keeps what a person has pinned, and ends a deletion")
    func takesAVersion() throws {
        var entry = entry()
        (entry.mode, entry.kind, entry.isLeaving) = (.persistent, "old", true)
        entry.transfer = TransferID(rawValue: 1)
        let version = try #require(self.entry(2).version)
        entry.take(version, CacheTerms(pool: "pool", expiry: .never), at: Self.now.advanced(by: Self.day))
        #expect(entry.mode == .persistent && entry.kind == "old" && entry.expiry == .never)
        #expect(!entry.isLeaving && entry.transfer == nil && entry.version == version)
        #expect(entry.checked == Self.now.advanced(by: Self.day) && entry.used == entry.checked)
    }

    @Test("that there is none is noted only if asked for, and never in place of a file")
    func notesAbsence() {
        for (hasFile, notes) in [(true, true), (true, false), (false, true), (false, false)] {
            var entry = entry()
            if !hasFile { entry.content = .expected }
            entry.transfer = TransferID(rawValue: 1)
            entry.noteAbsence(CacheTerms(pool: "pool", notesAbsence: notes), at: Self.now)
            #expect(entry.transfer == nil)
            #expect((entry.content == .absent) == (!hasFile && notes))
        }
    }

    @Test("a key has neither fragment, password nor signature, and no two kinds of keys meet")
    func namesKeys() throws {
        let plain = CacheKey.url(try HTTPURL(parsing: "https://user@h.example/a?b=1"))
        let secret = CacheKey.url(
            try HTTPURL(
                parsing: "https://user:secret@h.example/a?b=1&X-Amz-Signature=ab&X-Amz-Credential=c#f"
            )
        )
        #expect(plain.identity == secret.identity)
        #expect(!secret.label.contains("secret") && !secret.label.contains("=ab"))
        let other = CacheKey.url(try HTTPURL(parsing: "https://user@h.example/a?b=2"))
        #expect(plain.identity != other.identity)
        let text = CacheKey.text("https://user@h.example/a?b=1")
        #expect(text.identity != plain.identity)
    }

    @Test("settings that make no sense are refused, and change nothing")
    func refusesSettings() throws {
        let cases: [(CacheSettings.Flaw, (inout CacheEdit) -> Void)] = [
            (.negative, { $0.maxBytes = -1 }), (.negative, { $0.maxAge = .seconds(-1) }),
            (.negative, { $0.freshFor = .seconds(-1) }), (.directory("a"), { $0.directory = "a" }),
        ]
        for (flaw, change) in cases {
            var edit = CacheEdit()
            change(&edit)
            #expect(throws: flaw) { try CacheSettings("pool").applying(edit) }
            #expect(!flaw.description.isEmpty)
        }
        for name in ["", "a/b", ".a", String(repeating: "a", count: 65)] {
            #expect(throws: CacheSettings.Flaw.name(name)) { try CacheSettings(name).applying(CacheEdit()) }
        }
        var edit = CacheEdit()
        (edit.maxBytes, edit.maxAge, edit.freshFor) = (5, .seconds(6), .some(nil))
        let settings = try CacheSettings("pool").applying(edit)
        #expect(settings.maxBytes == 5 && settings.maxAge == .seconds(6) && settings.freshFor == nil)
        edit = CacheEdit()
        edit.maxBytes = .some(nil)
        #expect(try settings.applying(edit).maxBytes == nil)
        #expect(try settings.applying(edit).maxAge == .seconds(6), "what is not given stays")
    }

    @Test("what is in the place of a file is told, and only Ferry's own file is served")
    func tellsWhatIsInThePlace() {
        var own = entry(7)
        own.coming = SavedVersion(
            PlacedFile(identity: FileIdentity(device: 1, inode: 8), length: 12, modified: nil)
        )
        func found(
            _ inode: UInt64,
            _ length: Int64 = 10,
            _ kind: FileSurvey.Kind = .file,
            modified: Int64? = 1
        ) -> FileSurvey.Entry {
            let identity = FileIdentity(device: 1, inode: inode)
            return FileSurvey.Entry(identity: identity, length: length, kind: kind, modified: modified)
        }
        let table: [(FileSurvey.Entry?, EntryFile)] = [
            (nil, .missing), (found(7), .intact), (found(8, 12), .arrived), (found(8, 11), .changed),
            (found(7, 11), .changed), (found(7, modified: 2), .changed), (found(7, modified: nil), .changed),
            (found(9), .changed), (found(9, 0, .directory), .changed), (found(9, 0, .other), .changed),
            // Its number may be that of the file that it has replaced.
            (found(9, 0, .symbolicLink), .link), (found(7, 10, .symbolicLink), .link),
            (found(8, 12, .symbolicLink), .link),
        ]
        for (place, expected) in table {
            #expect(own.file(finding: place) == expected, "\(String(describing: place))")
        }
        own.coming = nil
        #expect(own.file(finding: found(8, 12)) == .changed)
        for content in [StoredEntry.Content.expected, .absent] {
            own.content = content
            #expect(own.file(finding: nil) == nil && own.file(finding: found(7)) == nil)
        }
    }
}
