import Testing

/// Uploads by the real binary to real servers, in spite of kills.
@Suite("Uploads whose process is killed", .limitedParallelism)
struct KilledUploadTests {
    /// A sample in the suite, and more with scripts/uploads.
    private static let kills = SampleSize(variable: "FERRY_UPLOAD_KILLS", otherwise: 5).limit ?? 50

    /// Another client finds the files whole, and the server is left with nothing else.
    private func arrives(at kind: some UploadServer) async throws {
        try await Sandbox.open { sandbox in
            let server = try await sandbox.start(kind, ServerOptions(takesFiles: true))
            try await Relay.run(to: server, holdingAfter: []) { relay in
                var uploads = KilledUploads(sandbox, server, kind, relay)
                try await uploads.run(until: Self.kills)
                print(
                    "uploads to \(kind.name): \(uploads.files) files of \(kind.length) bytes, \(uploads.kills) kills,"
                        + " \(uploads.again) bytes sent again (seed \(SeededRandom.seed))"
                )
                if kind.keepsAll {
                    // No more than the heads of requests.
                    let heads = (uploads.kills + uploads.files) * 4 * .kibibyte
                    #expect(uploads.again < heads, "seed \(SeededRandom.seed)")
                }
            }
        }
    }

    @Test("to SeaweedFS, in parts", .enabled(if: SeaweedFS().tool.isInstalled, "it is not installed"))
    func seaweedFS() async throws { try await arrives(at: SeaweedFS()) }

    @Test("to rclone serve s3, in parts", .enabled(if: RcloneStore().tool.isInstalled, "it is not installed"))
    func rcloneStore() async throws { try await arrives(at: RcloneStore()) }

    @Test("to moto, in parts", .enabled(if: Moto().tool.isInstalled, "it is not installed"))
    func moto() async throws { try await arrives(at: Moto()) }

    @Test("to SeaweedFS, by tus", .enabled(if: SeaweedTus().tool.isInstalled, "it is not installed"))
    func seaweedTus() async throws { try await arrives(at: SeaweedTus()) }

    @Test(
        "to resumable-upload, by tus",
        .enabled(if: ResumableUpload().tool.isInstalled, "it is not installed")
    )
    func resumableUpload() async throws { try await arrives(at: ResumableUpload()) }

    @Test("to swift-nio-extras, by the draft of the IETF")
    func swiftNIO() async throws { try await arrives(at: NIOUploadServer()) }

    @Test("to nginx, by PUT", .enabled(if: Nginx().tool.isInstalled, "it is not installed"))
    func nginx() async throws { try await arrives(at: Nginx()) }
}
