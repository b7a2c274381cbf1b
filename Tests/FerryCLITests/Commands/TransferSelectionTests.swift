import Ferry
import FerryTesting
import Testing

@testable import FerryCLI

@Suite("The transfers to which a command applies")
struct TransferSelectionTests {
    @Test("are those that an ID or an option selects, and none without either")
    func selects() async throws {
        try await TransferEngine.withEngine(with: ScriptedOrigin()) { engine, files in
            var new = NewTransfer(
                DownloadSpecification(
                    url: try HTTPURL(parsing: "https://example.org/a"),
                    destination: .file(directory: files, name: nil)
                ),
                queue: "q"
            )
            new.isPaused = true
            let id = try await engine.add(new).id
            let other = TransferID(rawValue: id.rawValue + 1)
            let rows: [(TransferSelection, [TransferID])] = [
                (TransferSelection(), []),
                (TransferSelection(ids: [other]), [other]),
                (TransferSelection(all: true), [id]),
                (TransferSelection(queue: QueueName(text: "q")), [id]),
                (TransferSelection(queue: QueueName(text: "r")), []),
            ]
            for (selection, expected) in rows {
                let found = try await selection.resolve(in: engine, .all)
                #expect(found == expected, "\(selection)")
            }
        }
    }
}
