// swift-tools-version: 6.3

import PackageDescription

/// The rules of Ferry's own package; an example need not keep them, but these do.
let houseRules: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "photo-journal",
    platforms: [.macOS(.v26)],
    dependencies: [
        .package(name: "ferry", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    ],
    targets: [
        .executableTarget(
            name: "PhotoJournal",
            dependencies: [
                .product(name: "Ferry", package: "ferry"),
                .product(name: "FerryOutbox", package: "ferry"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: houseRules
        ),
        .executableTarget(
            name: "JournalServer",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: houseRules
        ),
    ]
)
