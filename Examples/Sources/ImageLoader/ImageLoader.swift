import ArgumentParser
import Console
import Ferry

/// A list of pictures that is scrolled faster than they can be loaded: only the newest ones matter.
///
/// Each line that is typed is the number of a row that has come into view.
@main
struct ImageLoader: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Loads the pictures of a list while it is scrolled."
    )

    @Argument(help: "Where the list is: a text with the URL of a picture in each row.")
    var gallery: String

    @Option(help: "How many pictures are in view, and so how many are loaded at once.")
    var visible = 3

    @Option(help: "An absolute path: where the pictures go.")
    var directory = Console.currentDirectory

    @Flag(help: "Load pictures into memory only.")
    var preview = false

    func run() async throws {
        let configuration = EngineConfiguration(dataDirectory: "\(directory)/.ferry")
        try await TransferEngine.withEngine(configuration) { engine in
            let gallery = try await Gallery(at: HTTPURL(parsing: gallery), engine)
            let loader = PictureLoader(engine: engine, directory: directory)
            try await loader.show(atMost: visible)
            Console.say("\(gallery.pictures.count) pictures.")
            try await scroll(through: gallery, loader)
        }
    }

    /// Has every row that comes into view loaded, and tells what becomes of each.
    private func scroll(through gallery: Gallery, _ loader: PictureLoader) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for await line in Console.lines {
                guard let row = Int(line), gallery.pictures.indices.contains(row) else { continue }
                // Asked for here, in the order of the rows, and awaited beside what is asked for next.
                if preview {
                    let picture = loader.preview(gallery.pictures[row])
                    group.addTask {
                        await tell(of: row) { ByteCount(Int64(try await picture.value().count)).formatted }
                    }
                } else {
                    let picture = try await loader.load(gallery.pictures[row])
                    group.addTask {
                        await tell(of: row) {
                            let file = try await picture.value()
                            return "\(file.path ?? "") (\(ByteCount(file.length).formatted))"
                        }
                    }
                }
            }
        }
    }

    /// Says what has become of a row.
    private func tell(of row: Int, _ end: () async throws -> String) async {
        do {
            Console.say("Row \(row): \(try await end())")
        } catch {
            // A picture that gave way says so.
            Console.say("Row \(row): \(error)")
        }
    }
}
