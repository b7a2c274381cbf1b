// swift-tools-version: 6.3

import PackageDescription

/// libFuzzer's counters and the address sanitizer, in everything that is fuzzed.
let sanitized: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library", "-enable-testing"]),
]

// The sources are those of Ferry itself, by links: so nothing is built here but what reads bytes from outside, and
// none of the heavy dependencies.
let package = Package(
    name: "ferry-fuzz",
    platforms: [.macOS(.v26)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "FerryCore",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
            ],
            swiftSettings: sanitized
        ),
        .target(
            name: "FerryTesting",
            dependencies: [
                "FerryCore",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: sanitized
        ),
        .target(
            name: "FerrySQLite",
            dependencies: ["FerryCore"],
            exclude: [
                "ClusteredDigest.swift", "ColumnReader.swift", "DownloadWork+Stored.swift",
                "RememberedWork.swift", "RequestWork+Stored.swift", "RowCodec.swift", "RowColumns.swift",
                "RowDamage.swift", "StateColumns.swift", "StoredIdentity.swift", "StoredKind.swift",
                "StoredProgress.swift", "StoredTrace.swift", "StoredWork.swift", "TransferRow.swift",
                "TransferRow+Work.swift", "UploadWork+Stored.swift",
            ],
            swiftSettings: sanitized
        ),
        .target(
            name: "FerryUploads",
            dependencies: [
                "FerryCore",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: sanitized
        ),
        .target(
            name: "FerrySealed",
            dependencies: [
                "FerryCore",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: sanitized
        ),
        .target(name: "CFerryPlatform", linkerSettings: [.linkedLibrary("z")]),
        .target(name: "FerryIO", dependencies: ["CFerryPlatform", "FerryCore"], swiftSettings: sanitized),
        .target(name: "CLibFuzzer"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CLibFuzzer", "FerryCore", "FerryIO", "FerrySQLite", "FerrySealed", "FerryTesting",
                "FerryUploads",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: sanitized,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]
        ),
    ]
)
