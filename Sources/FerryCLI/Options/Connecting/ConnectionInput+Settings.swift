import FerryFrontend

extension ConnectionInput {
    /// What was typed, and from the settings what was not.
    func completed(from settings: Settings) -> ConnectionInput {
        var input = self
        input.retries = retries ?? settings.number(.retries)
        input.timeout = timeout ?? settings[.timeout]
        input.proxy = proxy ?? settings[.proxy]
        input.proxyExceptions = proxyExceptions ?? settings[.noProxy]
        input.certificateAuthorityFile = certificateAuthorityFile ?? settings[.certificateAuthorities]
        // A key belongs to its certificate.
        if certificateFile == nil, keyFile == nil, let file = settings[.clientCertificate] {
            (input.certificateFile, input.keyFile) = (file, settings[.clientKey])
        }
        return input
    }
}
