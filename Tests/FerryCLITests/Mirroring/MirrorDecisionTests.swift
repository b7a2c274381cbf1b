import Ferry
import Testing

@testable import FerryFrontend

/// What becomes of each file of a source.
@Suite struct MirrorDecisionTests {
    private let placed = PlacedFile(identity: FileIdentity(device: 1, inode: 2), length: 3, modified: 4)

    private func known(_ version: ListedVersion, isPlaced: Bool = true) -> MirrorEntry {
        var entry = MirrorEntry(.file, pass: 1)
        entry.version = version
        entry.placed = isPlaced ? placed : nil
        return entry
    }

    private func decide(
        _ version: ListedVersion,
        _ known: MirrorEntry?,
        isMarked: Bool = false,
        _ local: MirrorDecision.Local = .placed,
        isEqual: Bool? = nil,
        overwrites: Bool = false
    ) -> MirrorDecision {
        MirrorDecision(
            version,
            known: known,
            isMarked: isMarked,
            local: local,
            isEqual: isEqual,
            overwrites: overwrites
        )
    }

    private static func checksum(_ text: String) -> Checksum? {
        do {
            return try Checksum(parsing: text)
        } catch {
            Issue.record(error)
            return nil
        }
    }

    private let one = ListedVersion(etag: "\"1\"", size: 3, stamp: "Monday")
    private let two = ListedVersion(etag: "\"2\"", size: 3, stamp: "Monday")
    private let untold = ListedVersion(size: 3)

    @Test func whatWasNotListedBeforeIsNewUnlessItsPlaceIsTaken() {
        for local in MirrorDecision.Local.allCases {
            for known in [nil, MirrorEntry(.directory, pass: 1)] {
                let decision = decide(one, known, local)
                #expect(decision.comparison == (local == .other ? .conflict : .new))
                #expect(decision.marks == (local != .other))
                let replacing = decide(one, known, local, overwrites: true)
                #expect(replacing.comparison == .new && replacing.marks)
            }
        }
    }

    @Test func whatTheMirrorDidNotPlaceStaysInConflict() {
        // A file that is not replaced keeps its recorded version, and here that is none.
        let conflicting = known(ListedVersion(), isPlaced: false)
        for version in [one, untold] {
            let decision = decide(version, conflicting, .other)
            #expect(decision.comparison == .conflict && !decision.marks)
            #expect(decide(version, conflicting, .absent).comparison == .new)
            #expect(decide(version, conflicting, .other, overwrites: true).marks)
        }
        // It had the listed digest.
        #expect(decide(one, known(one, isPlaced: false), .other).comparison == .kept)
        #expect(decide(two, known(one, isPlaced: false), .other).comparison == .conflict)
    }

    @Test(arguments: [
        (MirrorDecision.Local.placed, true, false, MirrorEntry.Comparison.unchanged, false),
        (.placed, false, false, .changed, true), (.placed, true, true, .unchanged, false),
        (.absent, true, false, .new, true), (.absent, false, false, .new, true),
        (.other, true, false, .kept, false), (.other, true, true, .changed, true),
        (.other, false, false, .conflict, false), (.other, false, true, .changed, true),
        (.unreachable, true, false, .kept, false), (.unreachable, true, true, .changed, true),
        (.unreachable, false, false, .changed, true), (.unreachable, false, true, .changed, true),
    ])
    func aKnownFileIsComparedWithTheListingAndWithItsPlace(
        local: MirrorDecision.Local,
        isSame: Bool,
        overwrites: Bool,
        comparison: MirrorEntry.Comparison,
        marks: Bool
    ) {
        let decision = decide(isSame ? one : two, known(one), local, overwrites: overwrites)
        #expect(decision.comparison == comparison && decision.marks == marks)
    }

    @Test func aListingThatTellsNoVersionsLeadsToAQuestion() {
        for (now, former) in [(untold, one), (one, untold), (untold, untold)] {
            let decision = decide(now, known(former))
            #expect(decision.comparison == .asked && decision.marks)
            #expect(decide(now, known(former), .other).comparison == .kept)
            #expect(decide(now, known(former), .unreachable).comparison == .kept)
            #expect(decide(now, known(former), .other, overwrites: true).marks)
            #expect(decide(now, known(former), .absent).comparison == .new)
        }
    }

    @Test func aMarkIsSetAgainOnlyForAnotherVersion() {
        for local in MirrorDecision.Local.allCases {
            #expect(!decide(one, known(one), isMarked: true, local).marks)
            #expect(decide(two, known(one), isMarked: true, local).marks)
            for overwrites in [false, true] {
                let isInTheWay = local == .other && !overwrites
                for isPlaced in [false, true] {
                    let known = known(one, isPlaced: isPlaced)
                    let decision = decide(one, known, isMarked: true, local, overwrites: overwrites)
                    // The file of an earlier pass may have been removed.
                    let isNew = !isPlaced || local == .absent
                    #expect(decision.comparison == (isInTheWay ? .conflict : isNew ? .new : .changed))
                }
            }
        }
    }

    @Test func aFileThatIsAskedAboutIsNewOnceItIsRemoved() {
        var asked = known(one)
        asked.comparison = .asked
        #expect(decide(one, asked, isMarked: true).comparison == .asked)
        #expect(decide(one, asked, isMarked: true, .absent).comparison == .new)
    }

    @Test func aFileWithTheListedDigestIsLeftAlone() {
        for local in [MirrorDecision.Local.placed, .other] {
            for known in [nil, known(one), known(two), known(untold)] {
                let decision = decide(one, known, local, isEqual: true, overwrites: true)
                #expect(decision.comparison == .unchanged && !decision.marks)
            }
            // Its download has begun, and ends by itself.
            let begun = decide(one, known(one), isMarked: true, local, isEqual: true, overwrites: true)
            #expect(begun.comparison == .changed)
        }
    }

    @Test func aPlacedFileWithAnotherDigestIsReplaced() {
        let damaged = decide(one, known(one), isEqual: false)
        #expect(damaged.comparison == .changed && damaged.marks)
        // What was changed here is not damaged.
        #expect(decide(one, known(one), .other, isEqual: false).comparison == .kept)
        #expect(decide(one, known(one), .other, isEqual: false, overwrites: true).marks)
        #expect(decide(one, nil, .other, isEqual: false).comparison == .conflict)
    }

    /// Nothing that was changed here is ever marked, unless it is to be replaced.
    @Test func everyCombinationIsDecided() {
        for local in MirrorDecision.Local.allCases {
            for version in [one, two, untold] {
                for overwrites in [false, true] {
                    let decision = decide(version, known(one), local, overwrites: overwrites)
                    let isLeft = [.unchanged, .kept, .conflict].contains(decision.comparison)
                    #expect(decision.marks != isLeft)
                    if isLeft { #expect(local != .absent) }
                    if decision.comparison == .kept {
                        #expect([.other, .unreachable].contains(local) && !overwrites)
                    }
                    if local == .other { #expect(decision.marks == overwrites) }
                }
            }
        }
    }

    @Test func etagsDecideAndOtherwiseSizeAndTime() {
        let plain = ListedVersion(size: 3, stamp: "Monday")
        #expect(one.isSame(as: one) && !one.isSame(as: two))
        #expect(one.isSame(as: plain) && plain.isSame(as: one))
        #expect(!plain.isSame(as: ListedVersion(size: 4, stamp: "Monday")))
        #expect(!plain.isSame(as: ListedVersion(size: 3, stamp: "Tuesday")))
        #expect(!plain.isSame(as: ListedVersion(size: 3)))
        let sum = String(repeating: "0", count: 64)
        let digests = ["sha-256=\(sum)", "sha-256=\(sum.dropLast())1", "md5=\(sum.prefix(32))"].map { text in
            ListedVersion(etag: "\"1\"", size: 3, checksum: Self.checksum(text))
        }
        #expect(digests[0].isSame(as: digests[0]) && !digests[0].isSame(as: digests[1]))
        // Digests by two algorithms cannot be compared, but ETags can.
        #expect(digests[0].isSame(as: digests[2]))
        let bare = digests.map { ListedVersion(size: $0.size, checksum: $0.checksum) }
        #expect(bare[0].isSame(as: bare[0]) && !bare[0].isSame(as: bare[2]) && !bare[0].isSame(as: untold))
        #expect(bare[0].tellsVersionsApart)
        #expect(!untold.tellsVersionsApart && plain.tellsVersionsApart && two.tellsVersionsApart)
    }

    @Test(arguments: [
        ("\"d41d8cd98f00b204e9800998ecf8427e\"", true), ("D41D8CD98F00B204E9800998ECF8427E", true),
        ("\"d41d8cd98f00b204e9800998ecf8427e-2\"", false), ("\"x\"", false), ("", false),
    ])
    func anETagOfAnObjectMayBeItsDigest(etag: String, isDigest: Bool) {
        let checksum = ListedVersion(etag: etag).objectChecksum
        #expect((checksum == Self.checksum("md5=d41d8cd98f00b204e9800998ecf8427e")) == isDigest)
    }
}
