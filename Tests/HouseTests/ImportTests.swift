import Testing

/// No target imports upward, and heavy dependencies stay where they belong.
@Suite("Imports")
struct ImportTests {
    /// What the sources of each target may import.
    static let allowed: [String: Set<String>] = [
        "FerryCore": [
            "HTTPTypes", "RawStructuredFieldValues", "Collections", "DequeModule", "OrderedCollections",
            "HeapModule",
        ],
        "FerrySQLite": [
            "FerryCore", "Crypto", "GRDB", "GRDBSQLite", "Foundation", "FoundationEssentials", "Dispatch",
            "Synchronization",
        ],
        "FerryUploads": ["FerryCore", "Crypto", "CryptoExtras", "HTTPTypes"],
        "FerrySealed": ["FerryCore", "Crypto", "CryptoExtras"],
        "FerryIO": [
            "FerryCore", "FerrySealed", "NIOCore", "NIOPosix", "NIOSSL", "NIOTLS", "Crypto", "HTTPTypes",
            "SystemPackage",
            "CFerryPlatform", "Synchronization", "Dispatch",
            "Glibc", "Musl", "Darwin",
        ],
        "Ferry": [
            "FerryCore", "FerrySealed", "FerryUploads", "HTTPTypes", "Logging", "Metrics", "ServiceLifecycle",
            "Synchronization",
        ],
        "FerryOutbox": ["Ferry", "GRDB", "ServiceLifecycle", "FoundationEssentials"],
        "FerryFrontend": ["Ferry", "FerrySealed", "Glibc", "Synchronization"],
        "FerryCLI": [
            "Ferry", "FerryFrontend", "FerrySealed", "CFerryPlatform", "ArgumentParser", "Configuration",
            "Logging", "Subprocess",
            "SystemPackage", "UnixSignals", "Synchronization", "Dispatch", "Glibc", "Musl", "Darwin",
        ],
        "FerryTesting": [
            "Ferry", "FerryCore", "Crypto", "HTTPTypes", "Logging", "Testing", "Synchronization",
        ],
        "FerrySimulate": ["FerryCore", "FerryTesting", "ArgumentParser"],
        "CFerryPlatform": [],
        // The examples: what a stranger has, and no part of Ferry but its library.
        "Console": ["Foundation"],
        "ImageLoader": ["Console", "Ferry", "ArgumentParser"],
        "Downloader": ["Console", "Ferry", "ArgumentParser", "UnixSignals"],
        "FetchService": [
            "Console", "Ferry", "ArgumentParser", "Logging", "ServiceLifecycle", "UnixSignals",
        ],
        "PhotoJournal": ["Ferry", "FerryOutbox", "ArgumentParser", "Foundation", "GRDB"],
        "JournalServer": ["ArgumentParser", "Foundation", "Hummingbird"],
        "Conversations": ["Ferry", "ArgumentParser", "Foundation"],
        "ConversationServer": ["ArgumentParser", "Foundation", "Hummingbird"],
        "DownloadServer": [
            "Ferry", "ArgumentParser", "Foundation", "Hummingbird", "Logging", "ServiceLifecycle",
            "UnixSignals",
        ],
    ]

    /// Additional imports of single files, with the reason.
    static let exceptions: [String: Set<String>] = [
        // The one file that wires the live engine.
        "Sources/Ferry/Engine/LiveEngine.swift": ["FerrySQLite", "FerryIO"],
        // It decodes JSON for handlers.
        "Sources/Ferry/Engine/TransferEngine+Requests.swift": ["FoundationEssentials"],
        // It reads the files of seeds for three targets of tests.
        "Sources/FerryTesting/Seeds/SeedFolder.swift": ["FoundationEssentials"],
        // It makes temporary directories for the tests of applications.
        "Sources/FerryTesting/Applications/TransferEngine+ScriptedOrigin.swift": ["FoundationEssentials"],
    ]

    struct Import {
        var module: String
        var line: Int
    }

    static func imports(of file: SourceFile) -> [Import] {
        file.code.compactMap { number, line in
            var words = line.split(separator: " ").map(String.init)
            while let first = words.first, first.hasPrefix("@") || accessLevels.contains(first) {
                words.removeFirst()
            }
            guard words.count >= 2, words.removeFirst() == "import" else { return nil }
            if declarationKinds.contains(words[0]) { words.removeFirst() }
            return words.first.map { Import(module: String($0.prefix { $0 != "." }), line: number) }
        }
    }

    private static let accessLevels: Set<String> = [
        "public", "package", "internal", "fileprivate", "private",
    ]
    private static let declarationKinds: Set<String> = [
        "struct", "class", "enum", "protocol", "func", "var", "let",
    ]

    @Test("each target imports only what its row of the table allows")
    func targetsImportOnlyWhatIsAllowed() {
        var violations: [String] = []
        for file in House.sources + House.examples {
            guard let allowed = Self.allowed[file.target] else {
                violations.append("\(file.path): the target \(file.target) has no row in the table")
                continue
            }
            let extra = Self.exceptions[file.path] ?? []
            for item in Self.imports(of: file)
            where !allowed.contains(item.module) && !extra.contains(item.module) {
                violations.append("\(file.path):\(item.line): imports \(item.module)")
            }
        }
        #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))")
    }

    @Test("the core is pure: it imports nothing that can do I/O, tell the time or draw a random number")
    func coreIsPure() {
        var violations: [String] = []
        for file in House.sources where ["FerryCore", "FerryUploads", "FerrySealed"].contains(file.target) {
            for text in [
                "SystemRandomNumberGenerator", "ContinuousClock.now", "SuspendingClock", ".random(in:",
            ] {
                violations += file.mentions(of: text).filter { !$0.contains("using:") }
            }
        }
        #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))")
    }

    @Test("imports are read with any text before and after the word")
    func importsAreParsed() throws {
        let parser = try #require(SourceFile(path: "Tests/HouseTests/ImportTests.swift"))
        #expect(Self.imports(of: parser).map(\.module) == ["Testing"])
        #expect(!House.sources.isEmpty && !House.tests.isEmpty && !House.examples.isEmpty)
    }
}
