import Ferry
import FerryTesting
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite("Files of which the server has no other version are told in one line")
struct UpToDateLineTests {
    private static let upToDate = TransferNote(.upToDate, "The server has no other version.")

    /// A transfer that asks for another version of a saved file.
    private func asking(_ name: String, _ id: Int64 = 3, state: TransferState = .queued) throws -> Transfer {
        var saved = DownloadProgress()
        saved.phase = .publishing
        saved.part = PartFileClaim(
            name: try FileName(userGiven: "\(name).part"),
            identity: FileIdentity(device: 1, inode: 2),
            boot: BootID(rawValue: "boot"),
            modified: 1
        )
        saved.segments = SegmentMap(length: 4)
        let tag = try #require(EntityTag("\"a\""))
        saved.validator = Validator(entityTag: tag, lastModified: nil, date: nil, receivedAt: .epoch)
        var transfer = try Sample.transfer(id: id, name: name, state: state)
        transfer.downloadProgress.saved = SavedVersion(saved, isAccepted: true)
        return transfer
    }

    private func announcement(_ transfer: Transfer, _ news: Announcement.News) -> Announcement {
        Announcement(transfer, transfer.recordedProgress, news)
    }

    /// All announcements of a file that is up to date.
    private func tell(_ files: UnchangedFiles, _ name: String, _ id: Int64) throws {
        #expect(files.take(announcement(try asking(name, id), .added)))
        #expect(files.take(announcement(try asking(name, id, state: .active), .note(Self.upToDate))))
        var options = DownloadOptions()
        options.updates = true
        var ended = try Sample.transfer(
            id: id,
            name: name,
            state: .completed,
            received: 4,
            length: 4,
            options: options
        )
        ended.downloadProgress.note = Self.upToDate
        #expect(files.take(announcement(ended, .state(took: nil))))
    }

    @Test("one line has the number and the first name, and is told once")
    func sumsUp() throws {
        let files = UnchangedFiles()
        #expect(files.takeLine() == nil)
        try tell(files, "a.txt", 3)
        #expect(files.takeLine() == "The server has no other version of a.txt.")
        #expect(files.takeLine() == nil)
        for (id, name) in ["b.txt", "c.txt", "d.txt"].enumerated() { try tell(files, name, Int64(id) + 4) }
        #expect(
            files.takeLine() == "The server has no other version of 3 files, such as b.txt. -v lists them."
        )
    }

    @Test("a single file has a line that it is checked, and one result")
    func aSingleFile() throws {
        let asking = try asking("a.txt")
        func texts(_ announcement: Announcement) -> [Announcement.Message] {
            announcement.messages(live: false, at: Sample.now)
        }
        let checking = "Checking a.txt against https://example.org/image.iso (transfer 3)."
        #expect(texts(announcement(asking, .added)) == [.notice(checking)])
        #expect(texts(announcement(asking, .note(Self.upToDate))) == [])
        let other = TransferNote(.startedOver, "Anew.")
        #expect(texts(announcement(asking, .note(other))) == [.notice("a.txt: Anew.")])
    }

    @Test("everything else has its lines")
    func leavesTheRest() throws {
        let files = UnchangedFiles()
        let (plain, unknown) = (try Sample.transfer(state: .queued), try asking("a.txt"))
        let replaced = try Sample.transfer(state: .completed, received: 4, length: 4)
        let failed = try asking("a.txt", state: .failed(TransferFailure(.notFound, "Not there.")))
        for told in [
            announcement(plain, .added), announcement(unknown, .attached(process: nil)),
            announcement(unknown, .progress),
            announcement(unknown, .note(TransferNote(.startedOver, "Anew."))),
            announcement(replaced, .state(took: nil)), announcement(failed, .state(took: nil)),
        ] {
            #expect(!files.take(told), "\(told.news)")
        }
        #expect(files.takeLine() == nil)
    }
}
