// swift-tools-version: 6.3

import PackageDescription

/// The rules that every target of Ferry is compiled under.
let houseRules: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "ferry",
    products: [
        .library(name: "Ferry", targets: ["Ferry"]),
        .library(name: "FerryOutbox", targets: ["FerryOutbox"]),
        .library(name: "FerryTesting", targets: ["FerryTesting"]),
        .executable(name: "ferry", targets: ["FerryCLI"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: [
        .target(
            name: "FerryCore",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
            ],
            swiftSettings: houseRules
        ),
        .target(
            name: "FerrySQLite",
            dependencies: [
                "FerryCore",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: houseRules
        ),
        // What is sent to stores and upload servers, without any I/O.
        .target(
            name: "FerryUploads",
            dependencies: [
                "FerryCore",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: houseRules
        ),
        // Files sealed at rest, in the format of age, without any I/O.
        .target(
            name: "FerrySealed",
            dependencies: [
                "FerryCore",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: houseRules
        ),
        .target(name: "CFerryPlatform", linkerSettings: [.linkedLibrary("z")]),
        .target(
            name: "FerryIO",
            dependencies: [
                "CFerryPlatform",
                "FerryCore",
                "FerrySealed",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: houseRules
        ),
        .target(
            name: "Ferry",
            dependencies: [
                "FerryCore",
                "FerryIO",
                "FerrySQLite",
                "FerrySealed",
                "FerryUploads",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: houseRules
        ),
        // Work that an application adds in the transactions of its own database.
        .target(
            name: "FerryOutbox",
            dependencies: [
                "Ferry",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: houseRules
        ),
        // What any front end of the engine needs: the tool today, a server next.
        .target(name: "FerryFrontend", dependencies: ["Ferry", "FerrySealed"], swiftSettings: houseRules),
        .executableTarget(
            name: "FerryCLI",
            dependencies: [
                "CFerryPlatform",
                "Ferry",
                "FerryFrontend",
                "FerrySealed",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: houseRules
        ),
        .target(
            name: "FerryTesting",
            dependencies: [
                "Ferry",
                "FerryCore",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: houseRules
        ),
        .executableTarget(
            name: "ferry-simulate",
            dependencies: [
                "FerryCore", "FerryTesting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/FerrySimulate",
            swiftSettings: houseRules
        ),
        // What the manifests in Examples name, built here as well so that the tests run it. As in a stranger's package, nothing
        // that is not public can be used there.
        .target(
            name: "Console",
            path: "Examples/Sources/Console",
            packageAccess: false,
            swiftSettings: houseRules
        ),
        .executableTarget(
            name: "ImageLoader",
            dependencies: [
                "Console", "Ferry",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Examples/Sources/ImageLoader",
            packageAccess: false,
            swiftSettings: houseRules
        ),
        .executableTarget(
            name: "Downloader",
            dependencies: [
                "Console", "Ferry",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Examples/Sources/Downloader",
            packageAccess: false,
            swiftSettings: houseRules
        ),
        .executableTarget(
            name: "FetchService",
            dependencies: [
                "Console", "Ferry",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Examples/Sources/FetchService",
            packageAccess: false,
            swiftSettings: houseRules
        ),
        .executableTarget(
            name: "Conversations",
            dependencies: [
                "Ferry",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Examples/Conversations/Sources/Conversations",
            packageAccess: false,
            swiftSettings: houseRules
        ),
        // The samples of the documents, compiled as a stranger's package.
        .target(
            name: "DocumentSamples",
            dependencies: [
                "Ferry", "FerryOutbox",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Tests/DocumentSamples",
            packageAccess: false,
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "FerryCoreTests",
            dependencies: [
                "FerryCore", "FerryTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "FerrySQLiteTests",
            dependencies: [
                "FerryCore", "FerrySQLite", "FerryTesting",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "FerryUploadsTests",
            dependencies: [
                "FerryCore", "FerryTesting", "FerryUploads",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "FerrySealedTests",
            dependencies: [
                "FerryCore", "FerrySealed", "FerryTesting",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "FerryIOTests",
            dependencies: [
                "FerryCore", "FerryIO", "FerrySealed", "FerryTesting",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "FerryTests",
            dependencies: [
                "Ferry", "FerryCore", "FerrySealed", "FerryTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: houseRules
        ),
        // As in the tests of a stranger's package, nothing that is not public can be used there.
        .testTarget(
            name: "FerryTestingTests",
            dependencies: ["Ferry", "FerryTesting"],
            packageAccess: false,
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "FerryOutboxTests",
            dependencies: [
                "Ferry", "FerryOutbox",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "FerryCLITests",
            dependencies: [
                "Ferry", "FerryCLI", "FerryFrontend", "FerryTesting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "HouseTests",
            swiftSettings: houseRules
        ),
        // Runs the tool and injects a fault into one of its system calls; only the system tests use it.
        .executableTarget(name: "fault-injector", path: "Tests/FaultInjector"),
        // Adds work through an outbox; only the system tests use it.
        .executableTarget(
            name: "outbox-application",
            dependencies: [
                "Ferry", "FerryOutbox",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/OutboxApplication",
            swiftSettings: houseRules
        ),
        // Takes resumable uploads by the library of others; only the system tests use it.
        .executableTarget(
            name: "upload-application",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOResumableUpload", package: "swift-nio-extras"),
            ],
            path: "Tests/UploadApplication",
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "FerrySystemTests",
            // Signatures are compared with those of other libraries by thousands, and a file is sealed to hundreds of keys: too
            // many to start the tool for each.
            dependencies: [
                "FerryCore", "FerryUploads", "FerrySealed", "fault-injector", "outbox-application",
                "upload-application",
            ],
            exclude: [
                "Scenarios", "Clocks/fakeclock.c", "FileSystems/oddfs.py", "Stores/other-signers.py",
                "Uploads/upload-servers.py",
            ],
            swiftSettings: houseRules
        ),
    ]
)
