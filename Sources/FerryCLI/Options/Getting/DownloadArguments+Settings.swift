extension DownloadArguments {
    /// Takes from the settings what the command line does not give.
    mutating func complete(from settings: Settings) {
        directory = directory ?? settings[.directory]
        placement.complete(from: settings)
        // A setting is for usual downloads.
        if !first { connections = connections ?? settings.number(.connections) }
        connection.complete(from: settings)
    }

    /// The arguments, completed from the settings.
    func completed(from settings: Settings) -> DownloadArguments {
        var arguments = self
        arguments.complete(from: settings)
        return arguments
    }
}
