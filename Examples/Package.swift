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

// Ferry's own package builds these sources as well, so that its tests run them without compiling everything twice. This
// manifest is what a package of your own looks like.
let package = Package(
    name: "ferry-examples",
    platforms: [.macOS(.v26)],
    dependencies: [
        .package(name: "ferry", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(name: "Console", swiftSettings: houseRules),
        .executableTarget(
            name: "ImageLoader",
            dependencies: [
                "Console",
                .product(name: "Ferry", package: "ferry"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: houseRules
        ),
        .executableTarget(
            name: "Downloader",
            dependencies: [
                "Console",
                .product(name: "Ferry", package: "ferry"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: houseRules
        ),
        .executableTarget(
            name: "FetchService",
            dependencies: [
                "Console",
                .product(name: "Ferry", package: "ferry"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: houseRules
        ),
    ]
)
