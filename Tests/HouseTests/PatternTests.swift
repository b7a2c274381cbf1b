import Testing

/// Nothing is swallowed, nothing is left for later, and nothing sleeps.
@Suite("Patterns")
struct PatternTests {
    /// Allowed uses of forbidden patterns in Sources: the file, a piece of the line, and the reason.
    static let allowed: [(path: String, piece: String, reason: String)] = [
        (
            "Sources/FerryCore/HTTP/HTTPURL+Parsing.swift", "let suggestion = try? HTTPURL(",
            "whether a guess is a URL is the question; the failure is the answer"
        ),
        (
            "Sources/FerrySQLite/SQLiteTransferStore.swift", "let isLocked = (try? lock.take(",
            "the store closes either way, and says whether it was locked"
        ),
    ]

    static let forbidden = [
        "try?", "try!", "fatalError(", "TODO", "FIXME", "XXX", "print(\"DEBUG", "Thread.sleep",
    ]

    @Test("sources swallow no error, trap on no input and leave nothing for later")
    func sourcesAreFinished() {
        var violations: [String] = []
        for file in House.sources + House.examples {
            for pattern in Self.forbidden {
                violations += file.mentions(of: pattern).filter { mention in
                    !Self.allowed.contains { file.path == $0.path && mention.contains($0.piece) }
                }
            }
            violations += file.lines.filter { $0.contains("// TODO") || $0.contains("// FIXME") }
                .map { "\(file.path): \($0)" }
        }
        #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))")
    }

    @Test("the list of allowed uses has no stale entry")
    func allowanceIsNotStale() {
        for entry in Self.allowed {
            let file = House.sources.first { $0.path == entry.path }
            #expect(file?.text.contains(entry.piece) == true, "\(entry.path) no longer has \(entry.piece)")
        }
    }

    /// The files that may use a whole URL, with the reason.
    static let wholeURLs: [String: String] = [
        "Sources/FerryFrontend/Connecting/ObjectStoreInput.swift": "an endpoint has no secrets",
        "Sources/FerryCore/HTTP/HTTPURL.swift": "defines it, and writes it for the store",
        "Sources/FerryCore/HTTP/HTTPURL+Parsing.swift": "measures it",
        "Sources/FerryCore/HTTP/HTTPURL+Resource.swift": "compares it with others; kept in the store",
        "Sources/FerryCore/Trees/Node.swift": "the source of a node, kept in the store",
        "Sources/FerryCore/Terms/CacheKey.swift": "names an entry by a digest of it",
        "Sources/FerryCore/Requests/RequestSpecification+Checksum.swift": "makes a short checksum of it",
        "Sources/FerryCore/HTTP1/WireRequest.swift": "writes it into the request line",
        "Sources/FerryCore/Uploads/UploadWork.swift": "the identity of a transfer, kept in the store",
        "Sources/FerryCore/Requests/RequestWork.swift": "the identity of a transfer, kept in the store",
        "Sources/FerryCore/Terms/DownloadSpecification.swift":
            "the identity of a transfer, kept in the store",
        "Sources/FerrySQLite/Rows/StoredWork.swift": "keeps it in the store",
        "Sources/FerryFrontend/Getting/DownloadPlan+Sidecars.swift": "makes another URL of it",
        "Sources/FerryCLI/Options/Refreshing/RefreshCommand.swift": "gives it to the user's own command",
        "Sources/FerryFrontend/ObjectStores/SignedURL.swift": "prints the one that the user asks for",
        "Sources/FerryFrontend/Mirroring/MirrorEntry.swift": "stores the mirrors of a file of a mirror",
        "Sources/FerryFrontend/Records/ShownMirror.swift": "prints it where the user asks for all of it",
        "Sources/FerryCLI/Commands/Invocation.swift": "compares it with what is shown",
    ]

    /// A secret may stand anywhere in a URL: messages use `redacted` (I7).
    @Test("only code that stores, sends or reveals a URL uses it whole")
    func urlsAreShownRedacted() {
        var violations: [String] = []
        for file in House.sources
        where Self.wholeURLs[file.path] == nil && !["FerryTesting", "FerrySimulate"].contains(file.target) {
            violations += file.mentions(of: "absoluteString") + file.mentions(of: ".requestTarget")
        }
        #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))")
        for path in Self.wholeURLs.keys.sorted() {
            let file = House.sources.first { $0.path == path }
            let isNeeded = ["absoluteString", ".requestTarget"].contains {
                file?.mentions(of: $0).isEmpty == false
            }
            #expect(isNeeded, "\(path) no longer uses a whole URL")
        }
    }

    /// The files that may ask whether a transfer is of one kind, with the reason. All others ask `TransferWork` or
    /// `WorkWording` what holds for every kind.
    static let oneKind: [String: String] = [
        "Sources/FerryCore/Work/Work.swift": "maps each kind to its type",
        "Sources/FerryCore/Work/DownloadWork.swift": "is of that kind",
        "Sources/Ferry/Access/TransferHandle.swift": "gives the result of one kind",
        "Sources/Ferry/Access/TransferAccess+Verifying.swift": "only a download has a file",
        "Sources/FerryCore/Transfer/Transfer.swift": "defines what tells whether it is of one kind",
        "Sources/FerryCore/Transfer/SavedFile.swift": "only a download saves a file",
        "Sources/FerryCore/Transfer/Sharing/KeptPart.swift": "only a download has a part file",
        "Sources/FerryCore/Transfer/Sharing/OtherSpelling.swift": "only a download is given a name",
        "Sources/FerryCore/Transfer/Sharing/SharedTerms.swift": "compares the options of downloads",
        "Sources/Ferry/Files/ClientSeams+Fulfilling.swift": "only a download publishes a file",
        "Sources/Ferry/Access/CachePool+Files.swift": "only a download saves a file",
        "Sources/FerryCore/Rows/CacheRows.swift": "only a download brings an entry",
        "Sources/Ferry/Files/Adoption.swift": "only a download takes over a file",
        "Sources/Ferry/Files/Transfer+Place.swift": "only a download has a file",
        "Sources/FerryFrontend/Getting/DownloadPlan+Metalinks.swift": "finds the download of a document",
        "Sources/FerryFrontend/Records/ShownMirror.swift": "only a download has mirrors",
        "Sources/FerryFrontend/Records/Transfer+Standing.swift": "only a download has a destination",
        "Sources/FerryFrontend/ObjectStores/UnfinishedUpload.swift":
            "only an upload is unfinished at an object store",
    ]

    /// What asks whether a transfer, or its work, is of one kind.
    static let kindQuestions: [String] =
        ["download", "request"].flatMap { kind in
            [
                "transfer.\(kind)", "\(kind)?.", "\(kind) == nil", "\(kind) != nil", "guard let \(kind)",
                "let \(kind) else", "if case .\(kind)", "guard case .\(kind)", "compactMap(\\.\(kind))",
                "kind == .\(kind)", "kind != .\(kind)",
            ]
        }
        // A request has an `upload` as well: how much of its body was sent.
        + [
            "if case .upload(", "guard case .upload(", "compactMap(\\.upload)", "kind == .upload",
            "kind != .upload",
        ]

    @Test("what differs from kind to kind is asked of the work")
    func kindsAreToldApartInOnePlace() {
        var violations: [String] = []
        for file in House.sources
        where Self.oneKind[file.path] == nil && !["FerryTesting", "FerrySimulate"].contains(file.target) {
            for question in Self.kindQuestions { violations += file.mentions(of: question) }
        }
        #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))")
        for path in Self.oneKind.keys.sorted() {
            let file = House.sources.first { $0.path == path }
            let isNeeded = Self.kindQuestions.contains { file?.mentions(of: $0).isEmpty == false }
            #expect(isNeeded, "\(path) no longer asks")
        }
    }

    /// The files that name every kind, so that the compiler finds what a new kind needs, with what differs.
    static let everyKind: [String: String] = [
        "Sources/FerryCore/Work/Work.swift": "its type",
        "Sources/FerrySQLite/Rows/StoredKind.swift": "its columns",
        "Sources/Ferry/Scheduling/Scheduler+Attempts.swift": "its runner",
        "Sources/Ferry/Observing/TransferResult.swift": "its result",
        "Sources/FerryFrontend/Records/WorkRecord.swift": "its members in JSON",
        "Sources/FerryFrontend/Remedies/TransferKind+Advice.swift": "how a new one is asked for",
        "Sources/FerryCLI/Output/WorkWording.swift": "its words",
        "Sources/FerryOutbox/OutboxForm.swift": "its form in an outbox",
    ]

    @Test("each thing that differs from kind to kind is chosen in one place")
    func kindsAreNamedInFewPlaces() {
        let switches = ["switch transfer.work", "switch work {", "case .request(let", "case .request:"]
        let files = House.sources.filter { file in
            !["FerryTesting", "FerrySimulate", "FerryIO"].contains(file.target)
                && switches.contains { !file.mentions(of: $0).isEmpty }
        }
        #expect(files.map(\.path).sorted() == Self.everyKind.keys.sorted())
    }

    /// The values of the store have one canonical form, which only one way of coding them keeps. The rows of an outbox are in
    /// the database of an application, and handlers decode what servers send to it.
    @Test("values are coded as JSON in one file for each purpose")
    func codableHasOneForm() {
        let coders = House.sources.filter { file in
            ["JSONEncoder", "JSONDecoder", "JSONSerialization"].contains { !file.mentions(of: $0).isEmpty }
        }
        let expected = [
            "Sources/Ferry/Engine/TransferEngine+Requests.swift", "Sources/FerryOutbox/OutboxForm.swift",
            "Sources/FerrySQLite/Rows/StoredTexts.swift",
        ]
        #expect(coders.map(\.path).sorted() == expected)
    }

    @Test("a comment says why an unchecked Sendable is safe")
    func uncheckedSendableIsExplained() {
        var violations: [String] = []
        for file in House.sources + House.tests + House.examples
        where !file.path.hasPrefix("Tests/HouseTests/") {
            for (index, line) in file.lines.enumerated() where line.contains("@unchecked Sendable") {
                let before = file.lines[max(0, index - 8)..<index]
                let isExplained = before.contains { $0.contains("//") }
                if !isExplained { violations.append("\(file.path):\(index + 1)") }
            }
        }
        #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))")
    }

    /// The test files that may sleep, with the reason.
    static let sleepers: [String: String] = [
        "Tests/OutboxApplication/OutboxApplication.swift":
            "no test, but a program that waits for other processes",
        "Tests/FerrySystemTests/Harness/Deadline.swift": "between two looks at a condition, within a bound",
        "Tests/HouseTests/PatternTests.swift": "names the pattern",
        "Tests/FerryCoreTests/Testing/ManualClockTests.swift": "a manual clock's sleep is what is tested",
        "Tests/FerryIOTests/Platform/RenamingAndSleepTests.swift":
            "the clock's sleep is what is tested: none, or cancelled",
    ]

    @Test("no test sleeps")
    func testsDoNotSleep() {
        var violations: [String] = []
        for file in House.tests where Self.sleepers[file.path] == nil {
            violations += file.mentions(of: "sleep(")
        }
        #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))")
    }

    /// A limit would count the time in which a test waits for its turn.
    @Test("no suite of limited parallelism has a time limit")
    func waitingForATurnHasNoLimit() {
        let suites = House.tests.filter {
            $0.path != "Tests/HouseTests/PatternTests.swift"
                && !$0.mentions(of: ".limitedParallelism").isEmpty
        }
        #expect(!suites.isEmpty)
        let violations = suites.flatMap { $0.mentions(of: ".timeLimit(") }
        #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))")
    }

    /// On Linux, Foundation's `Process.run()` reads beyond what `readdir` gave it, in Swift 6.3 and before: it crashes
    /// now and then where many files are open (swift-corelibs-foundation, #5472).
    @Test("no process is started by Foundation")
    func foundationStartsNoProcess() {
        var violations: [String] = []
        for file in House.sources + House.tests + House.examples
        where file.path != "Tests/HouseTests/PatternTests.swift" {
            for form in [" Process()", "(Process())", ".Process()", " Process.init(", " Process.run("] {
                violations += file.mentions(of: form)
            }
        }
        #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))")
    }
}
