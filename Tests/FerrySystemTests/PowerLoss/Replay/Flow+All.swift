/// The flows to replay.
extension Flow {
    private static let large = Content(count: 1_300_000, seed: 411)
    private static let small = Content(count: 90_000, seed: 412)
    private static let other = Content(count: 60_000, seed: 413)
    private static let old = Content(count: 70_000, seed: 414)

    private static func get(_ names: String..., options: [String] = []) -> [String] {
        ["get", "-q", "-d", "DESTINATION"] + options + names.map { "URL/\($0)" }
    }

    /// The flows of the suite, which replays a sample of them.
    static let all: [Flow] = [
        Flow(
            name: "a first add makes the store",
            resources: [Resource(name: "a.bin", content: small), Resource(name: "b.bin", content: other)],
            makesStore: true,
            steps: [
                Step(arguments: ["add", "-d", "DESTINATION", "URL/a.bin"], promise: .added),
                Step(arguments: ["add", "-d", "DESTINATION", "URL/b.bin"], promise: .added),
            ],
            recovery: get("a.bin", "b.bin")
        ),
        Flow(
            name: "a first download makes the store",
            resources: [Resource(name: "a.bin", content: large)],
            makesStore: true,
            steps: [Step(arguments: get("a.bin"), promise: .published(["a.bin"]))],
            recovery: get("a.bin")
        ),
        Flow(
            name: "a small file of unknown length",
            resources: [Resource(name: "a.bin", content: small, framing: .chunked)],
            steps: [Step(arguments: get("a.bin"), promise: .published(["a.bin"]))],
            recovery: get("a.bin")
        ),
        Flow(
            name: "paused and resumed",
            resources: [Resource(name: "a.bin", content: large)],
            steps: [
                // First too few bytes for ferry to sync the name of the part file, and then enough.
                Step(arguments: get("a.bin"), interruption: .after(500_000), status: 7, promise: .nothing),
                Step(
                    arguments: get("a.bin"),
                    interruption: .after(1_150_000),
                    status: 7,
                    promise: .kept(1_150_000)
                ),
                Step(arguments: get("a.bin"), promise: .published(["a.bin"])),
            ],
            recovery: get("a.bin")
        ),
        Flow(
            name: "a small file paused and resumed",
            resources: [Resource(name: "a.bin", content: small)],
            steps: [
                Step(arguments: get("a.bin"), interruption: .after(50_000), status: 7, promise: .nothing),
                Step(arguments: get("a.bin"), promise: .published(["a.bin"])),
            ],
            recovery: get("a.bin")
        ),
        Flow(
            name: "replaced with --overwrite, verified with --checksum",
            resources: [Resource(name: "a.bin", content: small)],
            former: ["a.bin": old],
            steps: [Step(arguments: replacing, promise: .published(["a.bin"]))],
            recovery: replacing
        ),
        Flow(
            name: "two downloads of one command",
            resources: [Resource(name: "a.bin", content: small), Resource(name: "b.bin", content: other)],
            steps: [Step(arguments: get("a.bin", "b.bin"), promise: .published(["a.bin", "b.bin"]))],
            recovery: get("a.bin", "b.bin")
        ),
        Flow(
            name: "added and run",
            resources: [Resource(name: "a.bin", content: small)],
            steps: [
                Step(arguments: ["add", "-d", "DESTINATION", "URL/a.bin"], promise: .added),
                Step(arguments: ["run", "-q"], promise: .published(["a.bin"])),
            ],
            recovery: get("a.bin")
        ),
        Flow(
            name: "cancelled and removed",
            resources: [Resource(name: "a.bin", content: large)],
            steps: [
                Step(arguments: get("a.bin"), interruption: .after(800_000), status: 7, promise: .nothing),
                Step(arguments: ["cancel", "1"], promise: .nothing),
                Step(arguments: ["remove", "1"], promise: .nothing),
            ],
            recovery: get("a.bin")
        ),
    ]

    /// The flows that take too long for the suite, because they wait until ferry syncs a running transfer.
    static let long: [Flow] = [
        Flow(
            name: "synced under way",
            resources: [Resource(name: "a.bin", content: large)],
            steps: [
                Step(
                    arguments: get("a.bin"),
                    interruption: .afterSync(800_000),
                    status: 7,
                    promise: .nothing
                ),
                Step(arguments: get("a.bin"), promise: .published(["a.bin"])),
            ],
            recovery: get("a.bin")
        )
    ]

    private static let replacing = get(
        "a.bin",
        options: ["--overwrite", "--checksum", "sha256=\(digestOfSmall)"]
    )
    /// The SHA-256 of `small`, computed by sha256sum.
    private static let digestOfSmall = "63a31aa6ac2f34cd045851e380cdcff35047301b1f0c7aa3592fc43f1ed73b51"
}
