// swift-tools-version: 6.3

import PackageDescription

/// The rules of Ferry's own package.
let houseRules: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

// The sources are those of Ferry itself, by links: so only what is measured is built, and modules that are no product
// can be measured as well.
let package = Package(
    name: "ferry-benchmarks",
    platforms: [.macOS(.v26)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
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
        .executableTarget(
            name: "HotPaths",
            dependencies: [
                "FerryCore", "FerrySQLite",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: houseRules
        ),
        .executableTarget(
            name: "QueueLoad",
            dependencies: ["FerryCore", "FerrySQLite"],
            swiftSettings: houseRules
        ),
    ]
)
