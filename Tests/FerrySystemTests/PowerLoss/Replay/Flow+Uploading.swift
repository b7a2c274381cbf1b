/// The flows that upload a file which can be resumed.
extension Flow {
    /// The suite replays a sample of them.
    static let uploading: [Flow] = [
        uploading(
            "tus",
            Upload(
                content: Content(count: 300_000, seed: 416),
                carries: { $0.hasPrefix("/tus/") && Int($0.dropFirst(5)) != nil },
                completes: { _ in false }
            ),
            to: ["URL/tus/", "--protocol", "tus", "--part-size", "100K"]
        ),
        // Files of up to 8 MiB go in one request.
        uploading(
            "S3",
            Upload(
                content: Content(count: 9 * .mebibyte, seed: 417),
                carries: { $0.contains("partNumber=") },
                completes: { $0.contains("?uploadId=") }
            ),
            to: ["s3://bucket/object", "--endpoint", "URL", "--part-size", "5M"]
        ),
    ]

    private static func uploading(_ name: String, _ upload: Upload, to place: [String]) -> Flow {
        Flow(
            name: "an upload by \(name), recorded and run",
            resources: [],
            upload: upload,
            steps: [
                Step(arguments: ["put", "--no-wait", "SOURCE"] + place, promise: .added),
                Step(arguments: ["run", "-q"], promise: .uploaded),
            ],
            recovery: ["run", "-q"]
        )
    }
}
