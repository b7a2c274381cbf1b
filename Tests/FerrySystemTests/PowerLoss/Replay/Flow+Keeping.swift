/// The flows whose files are kept in a pool, sealed, or by a mirror.
extension Flow {
    /// The suite replays a sample of them.
    static let keeping: [Flow] = [
        pooled("a download into a pool", [Step(arguments: pooledGet, promise: .published(["a.bin"]))]),
        pooled(
            "pinned, and not evicted",
            [
                Step(arguments: pooledGet, promise: .published(["a.bin"])),
                Step(arguments: ["cache", "pin", "pool", "URL/a.bin"], promise: .pinned),
                Step(
                    arguments: ["cache", "set", "pool", "--max-bytes", "0"],
                    promise: .published(["a.bin"])
                ),
                Step(arguments: ["cache", "trim"], promise: .published(["a.bin"])),
            ]
        ),
        pooled(
            "evicted",
            [
                Step(arguments: pooledGet, promise: .nothing),
                Step(arguments: ["cache", "set", "pool", "--max-bytes", "0"], promise: .nothing),
                Step(arguments: ["cache", "trim"], promise: .nothing),
                Step(arguments: pooledGet, promise: .published(["a.bin"])),
            ],
            evicts: true
        ),
        Flow(
            name: "a sealed download",
            resources: [Resource(name: "a.bin", content: small)],
            keeping: .sealed,
            steps: [Step(arguments: sealedGet, promise: .published(["a.bin"]))],
            recovery: sealedGet
        ),
        Flow(
            name: "a sealed download paused and resumed",
            resources: [Resource(name: "a.bin", content: large)],
            keeping: .sealed,
            steps: [
                Step(arguments: sealedGet, interruption: .after(wholeChunks), status: 7, promise: .nothing),
                Step(arguments: sealedGet, promise: .published(["a.bin"])),
            ],
            recovery: sealedGet
        ),
        Flow(
            name: "a file that is sealed",
            resources: [Resource(name: "a.bin", content: small)],
            keeping: .sealed,
            seals: true,
            steps: [Step(arguments: seal, promise: .saved(["a.bin"]))],
            recovery: seal + ["--overwrite"]
        ),
        Flow(
            name: "a mirror of a manifest",
            resources: [Resource(name: "a.bin", content: small), Resource(name: "b.bin", content: other)],
            hasManifest: true,
            steps: [
                Step(arguments: mirror, promise: .published(["a.bin", "b.bin"])),
                Step(arguments: mirror, promise: .published(["a.bin", "b.bin"])),
            ],
            recovery: mirror
        ),
        Flow(
            name: "a mirror of a manifest with another version of a file",
            resources: [Resource(name: "a.bin", content: small), Resource(name: "b.bin", content: other)],
            former: ["a.bin": old],
            hasManifest: true,
            preparation: [mirror],
            steps: [Step(arguments: mirror, promise: .published(["a.bin", "b.bin"]))],
            recovery: mirror
        ),
    ]

    private static let large = Content(count: 1_300_000, seed: 421)
    private static let small = Content(count: 90_000, seed: 422)
    private static let other = Content(count: 60_000, seed: 423)
    private static let old = Content(count: 70_000, seed: 424)

    /// Progress of a sealed file is recorded in whole chunks.
    private static let wholeChunks = 15 * 65_536

    private static let pooledGet = ["get", "-q", "--cache", "pool", "URL/a.bin"]
    private static let sealedGet = [
        "get", "-q", "-d", "DESTINATION", "--seal-to", SampleIdentity.recipient, "URL/a.bin",
    ]
    private static let seal = [
        "seal", "SOURCE", "-o", "DESTINATION/a.bin.age", "--to", SampleIdentity.recipient,
    ]
    private static let mirror = ["mirror", "-q", "URL\(manifestPath)", "DESTINATION"]

    private static func pooled(_ name: String, _ steps: [Step], evicts: Bool = false) -> Flow {
        Flow(
            name: name,
            resources: [Resource(name: "a.bin", content: small)],
            keeping: .pooled,
            evicts: evicts,
            preparation: [["cache", "set", "pool", "--dir", "DESTINATION"]],
            steps: steps,
            recovery: pooledGet
        )
    }
}
