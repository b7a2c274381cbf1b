import Ferry
import FerryTesting
import Testing

@testable import FerryFrontend

/// Which of the uploads at a store belong to transfers of the list.
@Suite struct KnownUploadsTests {
    private static let host = Host()

    private struct Host: HostInspector {
        let boot = BootID(rawValue: "boot")
        var currentProcess: ProcessIdentity { ProcessIdentity(pid: 1, startTime: 1, boot: boot) }
        func enrol() async throws(StoreError) -> ProcessIdentity { currentProcess }
        func life(of process: ProcessIdentity) -> Life { .alive }
    }

    private let store = MemoryTransferStore()
    private let client: TransferClient
    private let prefix: ObjectPrefix

    init() throws {
        let seams = ClientSeams(
            store: store,
            files: MemoryPartFileSystem(directories: []),
            bodies: MemoryBodyFiles(),
            clock: ManualClock(),
            host: Self.host
        )
        client = TransferClient(seams: seams)
        prefix = try ObjectPrefix(parsing: "s3://bucket/a")
    }

    /// How a transfer stands that has begun an upload.
    private enum Standing: CaseIterable {
        case queued, active, paused, failed, cancelled
    }

    /// Adds a transfer whose upload has this name at the store; `nil` for one that has none yet.
    private func add(
        _ url: String,
        _ upload: String?,
        _ standing: Standing = .queued
    ) async throws -> TransferID {
        let entry = FileSurvey.Entry(
            identity: FileIdentity(device: 1, inode: 2),
            length: 9,
            kind: .file,
            modified: 5
        )
        let address = try HTTPURL(parsing: url)
        let specification = UploadSpecification(PinnedFile(path: "/f", entry), to: address, by: .s3)
        let owner = try await store.join(Self.host.currentProcess, at: Sample.now)
        let added = try await store.add([NewTransfer(specification)], holder: nil, at: Sample.now)
        let id = try #require(added.first).transfer.id
        let claimed = try await store.claim(upTo: 1, only: [id], for: owner, at: Sample.now)
        let claim = try #require(claimed.first?.claim)
        var progress = UploadProgress()
        progress.stage = .open
        progress.handle = upload.map { UploadHandle(url: address, name: $0) }
        try await store.record(.upload(progress), for: claim, durability: .process, at: Sample.now)
        let state: TransferState? =
            switch standing {
            case .active: nil
            case .queued: .queued
            case .paused: .paused
            case .failed: .failed(TransferFailure(.forbidden, "No."))
            case .cancelled: .cancelled
            }
        if let state {
            let settlement = Settlement(state, progress: .upload(progress))
            _ = try await store.settle(claim, as: settlement, at: Sample.now)
        }
        return id
    }

    private func listed(_ key: String, _ id: String) throws -> ListedUpload {
        var listing = BucketListing<ListedUpload>(try ObjectPrefix(parsing: "s3://bucket"))
        let text = "<Upload><Key>\(key)</Key><UploadId>\(id)</UploadId></Upload>"
        let answer = UploadAnswer(
            200,
            [:],
            body: Array("<ListMultipartUploadsResult>\(text)</ListMultipartUploadsResult>".utf8),
            from: try HTTPURL(parsing: "https://bucket.example/")
        )
        return try #require(try listing.read(answer, at: Sample.now).first)
    }

    private func transfer(of key: String, _ id: String) async throws -> TransferID? {
        try await KnownUploads(in: prefix, client).transfer(of: listed(key, id), in: prefix)
    }

    @Test(arguments: Standing.allCases)
    private func whatATransferMayStillResumeOrRemoveIsKnown(_ standing: Standing) async throws {
        let id = try await add("s3://bucket/a%20b", "u1", standing)
        #expect(try await transfer(of: "a%20b", "u1") == id)
    }

    @Test func anUploadIsKnownByStoreBucketKeyAndItsName() async throws {
        _ = try await add("s3://bucket/a", "u1")
        _ = try await add("s3://bucket/ab", "u2")
        _ = try await add("s3://other/a", "u3")
        _ = try await add("oss://bucket/a", "u4")
        _ = try await add("s3://bucket/ac", nil)
        let known = try await [
            transfer(of: "a", "u1"), transfer(of: "ab", "u2"), transfer(of: "a", "u2"),
            transfer(of: "ab", "u1"),
            transfer(of: "a", "u3"), transfer(of: "a", "u4"), transfer(of: "ac", "u5"),
        ]
        #expect(known.map { $0 != nil } == [true, true, false, false, false, false, false])
        #expect(known[0] != known[1])
    }
}
