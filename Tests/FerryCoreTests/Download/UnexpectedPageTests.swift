import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// A web page under the name of an archive is saved with a warning, or refused.
@Suite("A web page instead of a file")
struct UnexpectedPageTests {
    private static let first = ConnectionID(rawValue: 1)

    /// What follows from the first answer to a download to a stream, which has no files to wait for.
    private func answer(
        to name: String,
        _ type: String?,
        disposition: String? = nil,
        _ change: (inout DownloadOptions) -> Void = { _ in }
    ) throws -> (DownloadMachine, [DownloadAction]) {
        var options = DownloadOptions()
        change(&options)
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/\(name)"),
            destination: .standardOutput,
            options: options
        )
        var machine = DownloadMachine(specification, from: .init(), boot: DownloadScenario.boot, at: .epoch)
        _ = machine.handle(.begin, at: .epoch)
        var fields: HTTPFields = [.eTag: "\"v1\""]
        fields[.contentType] = type
        fields[.contentDisposition] = disposition
        let head = ResponseHead(status: 200, headers: fields, bodyLength: 1000)
        let actions = machine.handle(.head(Self.first, ResponseFacts(head, at: .epoch)), at: .epoch)
        return (machine, actions)
    }

    private func warns(_ actions: [DownloadAction]) -> Bool {
        actions.contains { if case .note(let note) = $0 { note.code == .unexpectedType } else { false } }
    }

    private func receives(_ actions: [DownloadAction]) -> Bool {
        actions.contains(.receive(Self.first, at: 0, limit: 1000, comparing: 0))
    }

    @Test(
        arguments: ["f.zip", "f.tar.gz", "F.ISO", "f.png", "f.qcow2"],
        ["text/html", "TEXT/HTML; charset=x"]
    )
    func isSavedWithAWarningOrRefused(name: String, type: String) throws {
        let (machine, actions) = try answer(to: name, type)
        #expect(warns(actions) && receives(actions), "\(actions)")
        #expect(machine.progress.note?.message.contains(name) == true)
        let (strict, refused) = try answer(to: name, type) { $0.refusesPages = true }
        #expect(!receives(refused) && strict.stage.isStopping && strict.progress.segments.received == 0)
    }

    @Test func nothingIsSaidOfWhatMayBeAPageOrIsNone() throws {
        for (name, type) in [
            ("f.html", "text/html"), ("f", "text/html"), ("f.bin", "text/html"), ("zip", "text/html"),
            ("f.zip", "application/zip"), ("f.zip", nil), ("f.zip", "text/plain"),
        ] {
            for isStrict in [false, true] {
                let (_, actions) = try answer(to: name, type) { $0.refusesPages = isStrict }
                #expect(!warns(actions) && receives(actions), "\(name) \(type ?? "")")
            }
        }
    }

    @Test func theNameThatTheServerGivesCounts() throws {
        let (_, page) = try answer(to: "get", "text/html", disposition: "attachment; filename=f.zip")
        #expect(warns(page))
        let (_, named) = try answer(to: "f.zip", "text/html", disposition: "attachment; filename=f.html")
        #expect(!warns(named))
    }

    @Test func aDigestDecidesWhatTheFileMustBe() throws {
        let path = FileName(unchecked: "f.zip")
        var options = DownloadOptions()
        options.checksum = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 7, count: 32))
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f.zip"),
            destination: .file(directory: "/d", name: path),
            options: options
        )
        var machine = DownloadMachine(specification, from: .init(), boot: DownloadScenario.boot, at: .epoch)
        _ = machine.handle(.begin, at: .epoch)
        _ = machine.handle(.surveyed(FileSurvey(final: nil, part: nil)), at: .epoch)
        let head = ResponseHead(status: 200, headers: [.contentType: "text/html"], bodyLength: 1000)
        let actions = machine.handle(.head(Self.first, ResponseFacts(head, at: .epoch)), at: .epoch)
        #expect(!warns(actions) && !machine.stage.isStopping)
    }
}
