import FerryFrontend

extension DownloadInput {
    /// What was typed, and from the settings what was not.
    func completed(from settings: Settings) -> DownloadInput {
        var input = self
        input.directory = directory ?? settings[.directory]
        // A setting is for usual downloads.
        if !first { input.connections = connections ?? settings.number(.connections) }
        input.placement = placement.completed(from: settings)
        input.connection = connection.completed(from: settings)
        return input
    }
}
