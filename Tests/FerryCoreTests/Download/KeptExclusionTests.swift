import HTTPTypes
import Testing

@testable import FerryCore

/// What is known of a mirror after the first server could not send a part, and sends the file from its first byte.
@Suite("An excluded mirror of a server that sends no parts")
struct KeptExclusionTests {
    private struct Row: CustomStringConvertible {
        var exclusion: Mirroring.Exclusion
        /// The entity tag before, and that of the whole.
        var tag: String? = "W/\"v1\""
        var next: String? = "W/\"v1\""
        /// The length of the whole; it was 1000.
        var length: Int64 = 1000
        var isKept: Bool

        var description: String {
            "\(exclusion) after \(tag ?? "no tag"), then \(next ?? "no tag") with \(length) bytes"
        }
    }

    private static let rows = [
        Row(exclusion: .length, isKept: true),
        Row(exclusion: .bytes, isKept: true),
        Row(exclusion: .digest, isKept: true),
        Row(exclusion: .wrongBytes, isKept: true),
        // The bytes that it gave before were dropped.
        Row(exclusion: .changed, isKept: false),
        // Only the length is known to be the same.
        Row(exclusion: .length, tag: nil, next: nil, isKept: true),
        Row(exclusion: .bytes, tag: nil, next: nil, isKept: false),
        Row(exclusion: .digest, tag: nil, next: nil, isKept: false),
        // The mirror may have the new version.
        Row(exclusion: .length, next: "W/\"v2\"", isKept: false),
        Row(exclusion: .bytes, next: "W/\"v2\"", isKept: false),
        Row(exclusion: .length, tag: nil, next: nil, length: 900, isKept: false),
        Row(exclusion: .wrongBytes, next: "W/\"v2\"", isKept: true),
    ]

    /// The exclusions after 400 of 1000 bytes were dropped because the server answered with the whole.
    private func exclusions(after row: Row) throws -> [SourceID: Mirroring.Exclusion] {
        let mirror = try HTTPURL(parsing: "http://mirror.example/f")
        let identity = FileIdentity(device: 1, inode: 2)
        var progress = DownloadProgress()
        progress.segments = SegmentMap(length: 1000)
        progress.segments.advance(0, writtenTo: 400)
        progress.validator = Validator(fields(row.tag), receivedAt: .epoch)
        progress.mirroring.excluded = [.mirror(mirror): row.exclusion]
        progress.part = PartFileClaim(
            name: FileName.fallback.partName,
            identity: identity,
            boot: DownloadScenario.boot
        )
        var options = DownloadOptions()
        options.mirrors = [mirror]
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: .file(directory: "/d", name: .fallback),
            options: options
        )
        var machine = DownloadMachine(specification, from: progress, boot: DownloadScenario.boot, at: .epoch)
        _ = machine.handle(.begin, at: .epoch)
        let entry = FileSurvey.Entry(identity: identity, length: 400, kind: .file)
        _ = machine.handle(.surveyed(FileSurvey(final: nil, part: entry)), at: .epoch)
        _ = machine.handle(.partReady(identity), at: .epoch)
        let whole = ResponseHead(status: 200, headers: fields(row.next), bodyLength: row.length)
        _ = machine.handle(.head(ConnectionID(rawValue: 1), ResponseFacts(whole, at: .epoch)), at: .epoch)
        #expect(machine.progress.segments.received == 0, "\(row)")
        return machine.progress.mirroring.excluded
    }

    private func fields(_ tag: String?) -> HTTPFields {
        var fields = HTTPFields()
        fields[.eTag] = tag
        return fields
    }

    @Test func staysExcludedIfTheVersionIsTheSame() throws {
        let mirror = SourceID.mirror(try HTTPURL(parsing: "http://mirror.example/f"))
        for row in Self.rows {
            let kept = try exclusions(after: row)
            #expect(kept == (row.isKept ? [mirror: row.exclusion] : [:]), "\(row)")
        }
    }
}
