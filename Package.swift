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
        .library(name: "FerryCore", targets: ["FerryCore"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "FerryCore",
            dependencies: [
                .product(name: "Collections", package: "swift-collections"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "FerryCoreTests",
            dependencies: [
                "FerryCore",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: houseRules
        ),
    ]
)
