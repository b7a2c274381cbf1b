import ArgumentParser
import Console
import Ferry

/// Downloads one file and shows how far it is.
///
/// It may be ended at any moment and in any way: the same line again goes on from the byte that it had reached. Nothing
/// in here has to be done for that.
@main
struct Downloader: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Downloads a file, however often that is interrupted."
    )

    @Argument(help: "What to download.")
    var url: String

    @Option(help: "An absolute path: where the file goes.")
    var directory = Console.currentDirectory

    func run() async throws {
        let configuration = EngineConfiguration(dataDirectory: "\(directory)/.ferry")
        try await TransferEngine.withEngine(configuration) { engine in
            // If an earlier run began this download, it is that one which goes on.
            let download = try await engine.download(
                from: HTTPURL(parsing: url),
                to: .file(directory: directory, name: nil)
            )
            // It ends with this scope.
            async let _ = Application(engine: engine).followPhases()
            for await update in download.events {
                for note in update.notes { Console.say(note.message) }
                if update.transfer.state.isFinal { break }
                Console.say(update.line)
            }
            let file = try await download.value()
            Console.say("\(file.path ?? "") is whole: \(ByteCount(file.length).formatted).")
        }
    }
}
