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
    name: "conversations",
    platforms: [.macOS(.v26)],
    dependencies: [
        .package(name: "ferry", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    ],
    targets: [
        .executableTarget(
            name: "Conversations",
            dependencies: [
                .product(name: "Ferry", package: "ferry"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: houseRules
        ),
        .executableTarget(
            name: "ConversationServer",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: houseRules
        ),
    ]
)
