/// An upload and its progress.
package struct UploadWork: TransferWork {
    /// What is uploaded.
    package var specification: UploadSpecification
    /// Its progress.
    package var progress = UploadProgress()

    /// Creates an upload that has not begun.
    package init(_ specification: UploadSpecification) {
        self.specification = specification
    }

    /// Creates an upload with known progress.
    package init(_ specification: UploadSpecification, _ progress: UploadProgress) {
        (self.specification, self.progress) = (specification, progress)
    }

    package var kind: TransferKind { .upload }
    package var url: HTTPURL { specification.url }
    package var terms: WorkTerms {
        get { specification.terms }
        set { specification.terms = newValue }
    }
    package var exchange: ExchangeTerms { specification.exchange }
    package var latestStatus: Int? { progress.result?.status }
    package var renewal: Remedy { .sendAgain }
    package var filesToSend: [PinnedFile] { [specification.file] }
    package var uploadedFile: String? { specification.file.path }

    /// The upload to a URL, of which the latest counts. If the URL does not name what is uploaded, the upload of a file to it:
    /// then the latest version of the file counts.
    package var identity: String? { identity(at: specification.url) }
    package var completedIdentity: String? { identity(at: specification.url.withoutPassword) }

    private func identity(at url: HTTPURL) -> String {
        let target = url.withoutFragment.withoutSignature()
        let name = "\(specification.protocolName.rawValue)\n\(target.absoluteString)"
        return specification.namesObject ? name : "\(name)\n\(specification.file.path)"
    }

    /// Whether a remedy is about more than the file of a download.
    package func isPossible(_ remedy: Remedy) -> Bool {
        switch remedy {
        case .fetchAgain, .overwrite, .replaceFile, .autoRename, .chooseOtherName, .chooseOtherDirectory,
            .restartOnChange, .restartAdoption, .saveAsSent, .ignoreServerDigests, .removePartFile:
            false
        default: true
        }
    }

    package func isRepeated(by other: UploadWork, isOver: Bool) -> Bool {
        let (own, other) = (specification, other.specification)
        return own.protocolName == other.protocolName && own.file.isSame(as: other.file)
            && own.url.withoutSignature().withoutSecrets == other.url.withoutSignature().withoutSecrets
    }

    /// An upload that was begun cannot be moved.
    package func refusal(of edit: TransferEdit, to id: TransferID, in state: TransferState) -> StoreError? {
        guard let url = edit.url, url.withoutSignature() != specification.url.withoutSignature(),
            progress.stage != .fresh || state == .active
        else { return nil }
        return .notPossible(
            id,
            "The upload of transfer \(id) was begun at \(specification.url.hostAndPort), and cannot be moved.",
            [state.isFinal ? .remove : .cancel, .sendAgain]
        )
    }

    /// Only the request that creates the upload, or makes the object, can have an unknown outcome. If the object is not there, an
    /// upload with a handle resumes with the parts that the server still has.
    package mutating func resolve(_ outcome: RequestOutcome) -> Bool {
        guard [.creating, .completing].contains(progress.stage) else { return false }
        switch outcome {
        case .arrived:
            (progress.stage, progress.handle) = (.done, nil)
            progress.note = .countedAsArrived
        case .notArrived where progress.handle == nil: progress.startOver()
        case .notArrived: (progress.stage, progress.expected) = (.open, nil)
        }
        return true
    }

    /// What its server still holds. Nothing can be removed that has no name.
    package var residue: WorkResidue? { progress.handle == nil ? nil : .upload }

    package mutating func settleResidue(as fate: ResidueFate) {
        switch fate {
        case .owed: return
        case .removed: progress.startOver()
        case .kept:
            guard progress.handle != nil else { break }
            progress.handle = nil
            progress.note = TransferNote(
                .leftAtServer,
                "\(specification.url.hostAndPort) may keep what it has received."
            )
        }
        dropSecrets()
    }

    /// Keeps the secrets as long as the server holds something, which only they can remove.
    package mutating func dropSecrets() {
        guard residue == nil else { return }
        specification.dropSecrets()
    }

    package mutating func take(url: HTTPURL) { specification.move(to: url) }

    package mutating func apply(_ edit: TransferEdit) {
        if let credentials = edit.credentials { specification.exchange.credentials = credentials }
        if let headers = edit.headers { specification.exchange.headers = headers }
    }

    /// Takes over what is known of a completed upload of the same file to the same URL, so that the server is asked before the
    /// file is sent again.
    package mutating func update(_ completed: UploadWork) {
        guard specification.namesObject, !specification.sendsAgain, completed.progress.stage == .done,
            // A signature is for one method.
            specification.url == specification.url.withoutSignature(),
            let result = completed.progress.result
        else { return }
        let file = specification.file
        progress.former = FormerUpload(
            of: completed.progress.source,
            as: file,
            result.entityTag,
            result.fields
        )
    }

    /// Whether this completed upload did what another one asks for, where the server cannot be asked.
    package func fulfils(_ asked: UploadWork) -> Bool {
        !asked.specification.namesObject && !asked.specification.sendsAgain && progress.stage == .done
            && progress.source?.isCertainlySame(as: asked.specification.file) ?? false
            && specification.contentType == asked.specification.contentType
    }

    /// Takes the file as it is now. The machine removes what the server holds of a former version.
    package mutating func replace(by other: UploadWork) -> Bool {
        guard specification != other.specification else { return false }
        specification = other.specification
        return true
    }
}
