import Ferry

/// The steps for a file of a mirror. Its URL, its name and its directory follow from the source.
extension Remedy {
    /// What remains of some remedies: checks, what makes it possible, and the options that `ferry mirror` has. The repeated
    /// command line fetches the file.
    static func ofMirror(_ remedies: [Remedy]) -> [Remedy] {
        let steps = remedies.compactMap(\.stepOfMirror)
        return remedies.isEmpty || steps.contains(where: \.isOptionOfMirror) ? steps : steps + [.retry]
    }

    private var stepOfMirror: Remedy? {
        switch self {
        case .checkURL, .checkScheme, .checkNetwork, .checkPermissions, .checkDisk, .mountDisk,
            .openInBrowser, .reportDefect, .freeSpace, .raiseFileLimit, .createDirectory, .moveAway,
            .moveAwayUnlessNeeded, .decryptKey, .renameBack, .removePartFile:
            self
        // What was received is of another version.
        case .restartOnChange: .removePartFile
        default: isOptionOfMirror ? self : nil
        }
    }

    private var isOptionOfMirror: Bool {
        switch self {
        case .overwrite, .giveCredentials, .giveHeaders, .allowDowngrade, .trustCertificates,
            .giveClientCertificate, .giveOtherClientCertificate, .skipVerification, .chooseOtherProxy,
            .giveProxyCredentials:
            true
        default: false
        }
    }
}
