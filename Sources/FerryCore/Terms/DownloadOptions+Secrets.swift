extension DownloadOptions {
    /// The same options for a server that the user did not name (I7): without credentials, client certificate, and
    /// the user's header fields except those that say nothing about the user.
    package var withoutSecrets: DownloadOptions {
        var options = self
        options.credentials = nil
        options.connection.clientCertificate = nil
        options.headers = headers.filter(\.isHarmless)
        return options
    }

    /// Whether any option is only for servers that the user named.
    package var hasSecrets: Bool { withoutSecrets != self }
}
