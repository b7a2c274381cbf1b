extension RequestWork {
    /// Whether a remedy is possible. What was sent cannot be changed, and what may have arrived is not sent again.
    package func isPossible(_ remedy: Remedy) -> Bool {
        switch remedy {
        case .giveURL, .giveHeaders: progress.sent == nil
        case .giveCredentials: progress.sent == nil || specification.isRepeatable
        case .retry: !outcomeIsUnknown
        case .fetchAgain, .giveOtherDigest, .addWithoutDigest, .continueFile, .overwrite, .replaceFile,
            .autoRename, .chooseOtherName, .chooseOtherDirectory, .restartOnChange, .restartAdoption,
            .saveAsSent, .ignoreServerDigests, .removePartFile:
            false
        default: true
        }
    }
}
