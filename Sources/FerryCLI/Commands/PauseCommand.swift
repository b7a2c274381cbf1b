import ArgumentParser

/// `ferry pause`: stops transfers, in any process, and keeps their bytes.
struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pause transfers, in any process, until you resume them."
    )

    @OptionGroup var numbers: TransferNumbers
    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await PauseInput(selection: numbers.selection, global: global.input).run()
    }
}
