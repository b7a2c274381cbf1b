import FerryFrontend

/// What a dry run prints of one download.
protocol Preview {
    /// The path of the file; `nil` for standard output.
    var path: String? { get }
    /// What is told of it, by label; nothing without a text.
    var details: [(label: String, text: String?)] { get }
    /// The same as JSON.
    var json: JSON { get }
}

extension Preview {
    /// The lines for a person.
    ///
    /// - Parameter columns: those of a terminal, in which a text continues below itself; `nil` for any length.
    func lines(columns: Int? = nil) -> [String] {
        let names = path.map { [$0] } ?? []
        return [TerminalText.safe(path ?? "standard output")]
            + details.compactMap { label, text in
                text.map { TerminalText.labelled(label, $0, columns: columns, keeping: names) }
            }
    }
}

extension Console {
    /// Prints a preview.
    func tell(_ preview: some Preview) {
        guard !appearance.json else { return data(preview.json) }
        for line in preview.lines(columns: outputColumns) { data(line) }
    }
}
