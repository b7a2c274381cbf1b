extension DownloadArguments {
    /// Takes from the settings what the command line does not give.
    mutating func complete(from settings: Settings) {
        directory = directory ?? settings[.directory]
        window.text = window.text ?? settings[.window]
        connection.connections = connection.connections ?? settings.number(.connections)
        connection.retries = connection.retries ?? settings.number(.retries)
        connection.timeout = connection.timeout ?? settings[.timeout]
        connection.proxy = connection.proxy ?? settings[.proxy]
        connection.proxyExceptions = connection.proxyExceptions ?? settings[.noProxy]
        connection.certificateAuthorityFile =
            connection.certificateAuthorityFile ?? settings[.certificateAuthorities]
        // A key belongs to its certificate.
        if connection.certificateFile == nil, connection.keyFile == nil,
            let file = settings[.clientCertificate]
        {
            (connection.certificateFile, connection.keyFile) = (file, settings[.clientKey])
        }
    }

    /// The arguments, completed from the settings.
    func completed(from settings: Settings) -> DownloadArguments {
        var arguments = self
        arguments.complete(from: settings)
        return arguments
    }
}
