// swift-tools-version: 6.2

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
    platforms: [.macOS(.v26), .iOS(.v26)],
    products: [
        .library(name: "FerryTesting", targets: ["FerryTesting"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
    ],
    targets: [
        .target(
            name: "FerryCore",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: houseRules
        ),
        .target(
            name: "FerryTesting",
            dependencies: ["FerryCore"],
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
    ]
)
