import HTTPTypes
import Testing

@testable import FerryCore

/// Work of any kind answers as its kind does.
@Suite("Work of any kind")
struct WorkTests {
    private static let part = PartFileClaim(
        name: .fallback,
        identity: FileIdentity(device: 1, inode: 2),
        boot: BootID(rawValue: "boot")
    )

    private func download() throws -> (work: DownloadWork, progress: DownloadProgress) {
        let url = try HTTPURL(parsing: "https://example.com/file")
        let destination = Destination.file(directory: "/d", name: nil)
        var progress = DownloadProgress()
        progress.part = Self.part
        progress.segments = SegmentMap(length: 8)
        progress.segments.advance(0, writtenTo: 3)
        progress.note = TransferNote(.resumed, "a download")
        return (DownloadWork(DownloadSpecification(url: url, destination: destination)), progress)
    }

    private func request() throws -> (work: RequestWork, progress: RequestProgress) {
        var put = try RequestSpecification(method: .put, url: HTTPURL(parsing: "https://example.com/file"))
        put.replacesUnfinished = true
        var progress = RequestProgress()
        progress.upload = RequestProgress.Upload(sent: 4, length: 9)
        progress.note = TransferNote(.resumed, "a request")
        return (RequestWork(put), progress)
    }

    private func upload() throws -> (work: UploadWork, progress: UploadProgress) {
        let entry = FileSurvey.Entry(identity: FileIdentity(device: 1, inode: 2), length: 10, kind: .file)
        let url = try HTTPURL(parsing: "https://example.com/files")
        var progress = UploadProgress()
        (progress.stage, progress.handle) = (.open, UploadHandle(url: url))
        (progress.confirmed, progress.source) = (5, PinnedFile(path: "/a", entry))
        progress.note = TransferNote(.resumed, "an upload")
        return (UploadWork(UploadSpecification(PinnedFile(path: "/a", entry), to: url, by: .tus)), progress)
    }

    private func check<Kind: TransferWork>(_ work: Work, _ kind: Kind, _ progress: WorkProgress) {
        #expect(work.progress == progress)
        #expect(work.received == kind.progress.received && work.total == kind.progress.total)
        #expect(progress.received == kind.progress.received && progress.total == kind.progress.total)
        #expect(work.identity == kind.identity && work.identity != nil)
        #expect(work.residue == kind.residue && work.residueWhenCompleted == kind.residueWhenCompleted)
        #expect(progress.note == kind.progress.note && progress.note != nil)
        #expect(work.hasResponse == kind.hasResponse && work.isInterruptible == kind.isInterruptible)
    }

    @Test("a stream cannot be interrupted, or written by another process")
    func standsForAStream() throws {
        let url = try HTTPURL(parsing: "https://example.com/file")
        let stream = DownloadWork(DownloadSpecification(url: url, destination: .standardOutput))
        #expect(!Work.download(stream).isInterruptible)
        #expect(Work.download(stream).failureInOtherProcess == stream.failureInOtherProcess)
        #expect(stream.failureInOtherProcess != nil)
    }

    @Test("an upload is called by the last part of its path, whatever character that begins with")
    func namesItsFile() throws {
        let entry = FileSurvey.Entry(identity: FileIdentity(device: 1, inode: 2), length: 1, kind: .file)
        let url = try HTTPURL(parsing: "https://example.com/files")
        let file = PinnedFile(path: "/a/\u{301}b", entry)
        #expect(Array(UploadSpecification(file, to: url, by: .tus).fileName.utf8) == [0xCC, 0x81, 0x62])
    }

    @Test("answers as its kind does")
    func answers() throws {
        var (download, request, upload) = (try download(), try request(), try upload())
        var works = [Work.download(download.work), .request(request.work), .upload(upload.work)]
        let progress = [
            WorkProgress.download(download.progress), .request(request.progress), .upload(upload.progress),
        ]
        for index in works.indices { works[index].progress = progress[index] }
        download.work.progress = download.progress
        request.work.progress = request.progress
        upload.work.progress = upload.progress
        check(works[0], download.work, progress[0])
        check(works[1], request.work, progress[1])
        check(works[2], upload.work, progress[2])
        #expect(works.map(\.received) == [3, 4, 5] && works.map(\.total) == [8, 9, 10])
        #expect(works[0].residue != nil && works[1].residue == nil && works[2].residue == .upload)
        let others = [Work.download(download.work), .request(request.work), .upload(upload.work)]
        for (index, work) in works.enumerated() {
            #expect(others.map { work.hasProgress(of: $0) } == others.indices.map { $0 == index })
        }
        works[0].progress = .download(DownloadProgress())
        #expect(!works[0].hasProgress(of: others[0]))
    }
}
