package import FerrySealed

extension CommandFailure {
    /// A sealed file that is not opened.
    ///
    /// - Parameters:
    ///   - name: the file, as messages quote it.
    ///   - hasIdentities: whether identities were given.
    package init(_ problem: SealedProblem, in name: String, hasIdentities: Bool = true) {
        let (status, code, hint): (ExitStatus, String, String?) =
            switch problem {
            case .notSealed, .unknownVersion: (.cannotOpen, "notSealed", nil)
            case .header, .armor, .tooMuchWork: (.cannotOpen, "sealedHeaderInvalid", nil)
            case .wrongKey(.identity):
                (.notAuthorised, "wrongKey", "Use -i FILE to give the identity that it is sealed to.")
            case .wrongKey(.passphrase):
                (
                    .notAuthorised, "wrongKey",
                    "Repeat the command and type its passphrase; leave out -i if you gave it."
                )
            case .wrongKey(.otherKind): (.notAuthorised, "wrongKey", nil)
            case .headerChanged, .cutShort, .lastCutOrChanged, .changed, .moved, .extra, .emptyLast,
                .foreignPayload,
                .foreignOrChanged:
                (.checksumMismatch, "sealedFileDamaged", "Fetch or copy the file again.")
            }
        let isUnopened = problem == .wrongKey(.identity) && !hasIdentities
        let reason = isUnopened ? "It is sealed to an identity, and none was given." : "\(problem)"
        self.init(status, code: code, "Cannot open \(name). \(reason)", hint: hint)
    }

    /// A sealed file without the sections that were asked for.
    package init(_ problem: SectionProblem, in name: String) {
        self.init(.cannotOpen, code: "noSections", "Cannot read a section of \(name). \(problem)")
    }
}
