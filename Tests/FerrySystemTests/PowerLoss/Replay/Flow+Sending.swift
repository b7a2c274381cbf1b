/// The flows that send requests.
extension Flow {
    private static let text = Content("item=17")
    private static let file = Content(count: 300_000, seed: 415)

    private static func send(_ path: String, _ options: String...) -> [String] {
        ["send", "POST", "URL\(path)", "--data", "item=17"] + options
    }

    /// The suite replays a sample of them.
    static let sending: [Flow] = [
        Flow(
            name: "a request with a key, recorded and run",
            resources: [],
            requests: [Outgoing(path: "/keyed", body: text)],
            makesStore: true,
            steps: [
                Step(arguments: send("/keyed"), promise: .added),
                Step(arguments: ["run", "-q"], promise: .answered(["/keyed"])),
            ],
            recovery: ["run", "-q"]
        ),
        Flow(
            name: "a request without a key, sent at once",
            resources: [],
            requests: [Outgoing(path: "/keyless", body: text, isRepeatable: false)],
            steps: [
                Step(
                    arguments: send("/keyless", "--wait", "--no-key"),
                    promise: .answered(["/keyless"])
                )
            ],
            recovery: ["run", "-q"]
        ),
        Flow(
            name: "a request of unknown outcome, resolved as not sent",
            resources: [],
            requests: [Outgoing(path: lost, body: text, isRepeatable: false)],
            steps: [
                Step(arguments: send(lost, "--wait", "--no-key"), status: 33, promise: .unknown([lost])),
                Step(arguments: ["resolve", "1", "--not-sent"], promise: .nothing),
                Step(arguments: ["run", "-q"], promise: .answered([lost])),
            ],
            recovery: ["run", "-q"]
        ),
        Flow(
            name: "a file, recorded and uploaded",
            resources: [],
            requests: [Outgoing(path: "/file", body: file)],
            former: ["file.bin": file],
            steps: [
                Step(arguments: ["put", "--no-wait", "DESTINATION/file.bin", "URL/file"], promise: .added),
                Step(arguments: ["run", "-q"], promise: .answered(["/file"])),
            ],
            recovery: ["run", "-q"]
        ),
    ]
}
