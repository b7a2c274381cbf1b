extension RequestWork {
    /// A failure without the remedies that do not apply to this request. A request is not added again; a new one is
    /// sent.
    package func withPossibleRemedies(_ failure: TransferFailure) -> TransferFailure {
        var failure = failure
        failure.remedies = failure.remedies.filter(isPossible).map { $0 == .addAgain ? .sendAgain : $0 }
        return failure
    }

    /// Whether a remedy is possible. What was sent cannot be changed, and what may have arrived is not sent again.
    private func isPossible(_ remedy: Remedy) -> Bool {
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
