import FerryFrontend

/// What a dry run prints of one download.
protocol Preview {
    /// The lines for a person.
    var lines: [String] { get }
    /// The same as JSON.
    var json: JSON { get }
}

extension Console {
    /// Prints a preview.
    func tell(_ preview: some Preview) {
        for line in appearance.json ? [preview.json.text] : preview.lines { data(line) }
    }
}
