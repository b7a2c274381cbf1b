extension ConnectionArguments {
    /// Takes from the settings what the command line does not give.
    mutating func complete(from settings: Settings) {
        retries = retries ?? settings.number(.retries)
        timeout = timeout ?? settings[.timeout]
        proxy = proxy ?? settings[.proxy]
        proxyExceptions = proxyExceptions ?? settings[.noProxy]
        certificateAuthorityFile = certificateAuthorityFile ?? settings[.certificateAuthorities]
        // A key belongs to its certificate.
        if certificateFile == nil, keyFile == nil, let file = settings[.clientCertificate] {
            (certificateFile, keyFile) = (file, settings[.clientKey])
        }
    }
}
