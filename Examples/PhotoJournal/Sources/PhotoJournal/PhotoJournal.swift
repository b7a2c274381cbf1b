import ArgumentParser
import Ferry
import FerryOutbox
import Foundation

/// Uploads the photos of a folder to a server, and posts a record for each of them.
///
/// Kill it at any moment and start it again: it resumes. Without a network it waits.
@main
struct PhotoJournal: AsyncParsableCommand {
    @Argument(help: "The folder with the photos.")
    var folder: String

    @Argument(help: "The URL of the server, such as http://127.0.0.1:8080.")
    var server: String

    func run() async throws {
        let folder = URL(fileURLWithPath: folder).path
        let directory = "\(folder)/.journal"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let journal = try Journal(path: "\(directory)/journal.sqlite", server: server)
        let configuration = EngineConfiguration(dataDirectory: "\(directory)/ferry")
        try await TransferEngine.withEngine(configuration) { engine in
            engine.handle(Journal.recordType) { try await journal.note($0) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await journal.drain(into: engine).run() }
                try await journal.take(photosIn: folder, engine)
                try await journal.waitForOutcomes()
                group.cancelAll()
                try await group.waitForAll()
            }
        }
        let entries = try await journal.entries()
        let failed = entries.count { $0.outcome != "done" }
        print("\(entries.count) photos are in the journal, \(failed) of them failed.")
        if failed > 0 { throw ExitCode.failure }
    }
}
