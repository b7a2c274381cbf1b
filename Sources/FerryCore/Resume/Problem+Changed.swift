extension Problem {
    /// The resource has changed and the user does not want to start over. Permanent under ``ChangePolicy/fail``;
    /// otherwise transient, until the former version comes back.
    static func changed(at url: HTTPURL, isFinal: Bool) -> Problem {
        let message = "The file at \(url.redacted) has changed on the server."
        guard isFinal else { return .transient(.resourceChanged, message) }
        return .permanent(.resourceChanged, message, remedies: [.restartOnChange])
    }
}
