/// Why an attempt ends, in words.
extension Download {
    // MARK: Connections

    var lostConnection: Problem {
        .transient(.connectionLost, "The connection to \(specification.url.hostAndPort) was cut.")
    }

    var impossibleLength: Problem {
        .transient(.badResponse, "\(specification.url.hostAndPort) gives an impossible length.")
    }

    func endedEarly(_ how: String) -> Problem {
        .transient(.connectionLost, "\(specification.url.hostAndPort) ended its answer \(how).")
    }

    /// The failure of a file whose length is not the requested or listed one; `nil` if it is.
    func unwanted(_ length: Int64, at source: SourceID) -> Problem? {
        if let expected = options.length, length != expected {
            return otherLength(length, than: expected, at: source)
        }
        if let listed = options.listedLength, length != listed { return unlisted(length, listed: listed) }
        return nil
    }

    private func otherLength(_ length: Int64, than expected: Int64, at source: SourceID) -> Problem {
        .permanent(
            .checksumMismatch,
            "\(host(of: source)) has a file of \(ByteCount(length).formatted(beside: expected)), not the requested "
                + "\(ByteCount(expected).formatted(beside: length)). Its bytes were not used.",
            remedies: [.checkURL, .giveURL, .retry]
        )
    }

    /// The failure of a file with another length than its listing says: it has changed since, or the answer is another document,
    /// such as a page for logging in.
    func unlisted(_ length: Int64, listed: Int64) -> Problem {
        .permanent(
            .checksumMismatch,
            "\(specification.url.hostAndPort) has a file of \(ByteCount(length).formatted(beside: listed)), but lists it with "
                + "\(ByteCount(listed).formatted(beside: length)). Its bytes were not used.",
            remedies: [.checkURL, .retry]
        )
    }

    /// The failure of a file of this length, if that is more than the options allow.
    func excess(of length: Int64?) -> Problem? {
        guard let most = options.mostLength, let length, length > most else { return nil }
        return .permanent(
            .tooLong,
            "The file of \(specification.url.hostAndPort) has \(ByteCount(length).formatted(beside: most)), more than the allowed "
                + "\(ByteCount(most).formatted(beside: length))."
        )
    }

    /// The failure of a file whose received bytes are more than the options allow: an earlier attempt may have allowed more.
    var passedMaximum: Problem? {
        guard let most = options.mostLength, progress.segments.claimedExtent > most else { return nil }
        return .tooLong(most: most)
    }

    /// A stream cannot take back written bytes.
    var refusalToStartOver: Problem? {
        guard isStream else { return nil }
        return .permanent(
            .cannotResume,
            "The stream cannot continue: the server no longer has the same version of the file.",
            remedies: [.retry]
        )
    }

    /// Why the bytes of another tool's file are not dropped; `nil` if it has no bytes, or if the user allows to drop them.
    ///
    /// - Parameters:
    ///   - reason: why they cannot be used, as a sentence without a full stop.
    ///   - isSameFile: whether nothing says that the URL is of another file.
    func refusalToDropForeign(_ reason: String, isSameFile: Bool = false) -> Problem? {
        guard keepsForeignBytes else { return nil }
        let gaps = progress.assurance == .single ? "" : filledGaps
        return .permanent(
            .cannotResume,
            "\(reason). Nothing of \(foreignName) was deleted.\(gaps)",
            remedies: isSameFile ? [.restartAdoption] : [.checkURL, .restartAdoption]
        )
    }

    /// Whether another tool's file has bytes that are kept, whatever happens: the user has not allowed to drop them.
    private var keepsForeignBytes: Bool {
        progress.part?.adoption?.hasBytes == true && options.onChange != .restart
    }

    /// Says that the gaps of aria2's file may be filled now, as a sentence after a space; empty for a file of another tool.
    /// What Ferry wrote into them is not taken away.
    private var filledGaps: String {
        guard let control = progress.part?.adoption?.control else { return "" }
        return " Gaps that \(control.name.rawValue) names may have bytes of the server now."
    }

    /// The end of another tool's file with a wrong digest.
    private func returning(_ adoption: PendingAdoption) -> String {
        let isAsBefore = adoption.control == nil && adoption.cut != nil
        return "\(foreignName) is given back\(isAsBefore ? " as it was" : "").\(filledGaps)"
    }

    /// Why an adopted file is not continued if its bytes differ from the server's.
    var refusalToContinueForeign: Problem? {
        refusalToDropForeign(
            progress.assurance == .single
                ? "\(foreignName) is not the beginning of \(specification.url.redacted)"
                : "The file at \(specification.url.redacted) has changed on the server"
        )
    }

    /// Why an adopted file is not continued if the server has only the whole to send.
    func refusalToTakeWhole(because reason: ResponseVerdict.Reason) -> Problem? {
        switch reason {
        case .rangesUnsupported:
            let host = specification.url.hostAndPort
            return refusalToDropForeign(
                "\(host) sends no ranges of this file, so \(foreignName) cannot be continued",
                isSameFile: true
            )
        case .unproved:
            return refusalToDropForeign(
                "Nothing proves that \(foreignName) is of the server's version, as strict resume requires",
                isSameFile: true
            )
        case .formChanged, .resourceChanged, .entityTagMatched, .dateMatched:
            return refusalToDropForeign("\(foreignName) cannot be continued: \(reason.explanation)")
        }
    }

    /// Why an adopted file is not fetched anew although none of its bytes can be kept.
    var refusalToFetchForeign: Problem? {
        let name = specification.url.redacted
        return refusalToDropForeign(
            progress.mirroring.excluded[.otherTool] == nil
                ? "The bytes of \(foreignName) cannot be compared with \(name)"
                : "Some bytes of \(foreignName) differ from those of \(name)"
        )
    }

    /// The problem to report. If no byte of another tool's file was ever found to be the server's, it does not say that the
    /// server's file has changed.
    func concerningForeignBytes(_ problem: Problem) -> Problem {
        guard problem.failure.code == .resourceChanged, progress.assurance == .single else { return problem }
        return refusalToContinueForeign ?? problem
    }

    /// The name that the file of another tool had, for display.
    var foreignName: String { (progress.part?.adoption?.name ?? place?.name)?.rawValue ?? "the file" }

    // MARK: Names

    /// The existing file differs from what was asked for.
    func wrong(_ flaw: FileFlaw, at place: FilePlace) -> Problem {
        let believing: [Remedy] = options.checksum == nil ? [] : [.giveOtherDigest]
        return .permanent(
            .checksumMismatch,
            "\(flaw.sentence(about: place.path)) It was not changed.",
            remedies: options.existingFile == .noClobber
                ? [.overwrite] : believing + waysAroundFile(isUnfinished: options.canProveFile)
        )
    }

    /// The digest that an existing file was compared with, in words; `nil` if no digest can prove that it is the wanted one.
    var proofOfFile: String? {
        guard options.canProveFile else { return nil }
        return options.checksum.map { "\($0.algorithm.rawValue) digest asked for" } ?? "digests asked for"
    }

    /// The final name belongs to something that is not a regular file.
    func neverReplaced(_ place: FilePlace, _ found: FileSurvey.Entry) -> Problem {
        .permanent(
            .cannotCreate,
            "\(place.path) is \(found.kind.inWords) and is never replaced.",
            remedies: [.chooseOtherName, .chooseOtherDirectory]
        )
    }

    /// A file has the final name.
    func exists(_ place: FilePlace, _ file: FileSurvey.Entry) -> Problem {
        let length = progress.segments.length ?? options.length
        return .permanent(
            .destinationExists,
            options.updates
                ? "\(place.path) already exists, and no completed transfer tells which version it is."
                : "\(place.path) already exists.",
            // A longer file is not the beginning of this one. A file that the user named is found before the length is known.
            remedies: waysAroundFile(isUnfinished: length.map { file.length < $0 } ?? (file.length > 0))
        )
    }

    /// What to do about a file that has the final name.
    ///
    /// - Parameter isUnfinished: whether it may be the unfinished one of another tool. ``Remedy/continueFile`` is not offered if this
    ///   download has bytes of its own, or if a part or sealed bytes are asked for.
    private func waysAroundFile(isUnfinished: Bool) -> [Remedy] {
        let isContinuable =
            isUnfinished && progress.part == nil && !options.updates && options.range == nil
            && !options.isSealed
        return [.overwrite, .autoRename, .chooseOtherName] + (isContinuable ? [.continueFile] : [])
    }

    /// The file that an earlier transfer saved was changed or replaced.
    func changedSince(_ place: FilePlace) -> Problem {
        .permanent(
            .destinationExists,
            "\(place.path) is not the file that was saved any more, so it is left alone.",
            remedies: [.overwrite, .autoRename, .chooseOtherName]
        )
    }

    /// A person gave the unfinished file its final name.
    func renamedUnfinished(_ place: FilePlace, _ claim: PartFileClaim) -> Problem {
        let message = "\(place.path) is the unfinished file of this transfer."
        guard progress.segments.received > 0 else {
            return .permanent(
                .destinationExists,
                "\(message) It cannot be resumed.",
                remedies: [.moveAway, .fetchAgain, .overwrite]
            )
        }
        return .permanent(
            .destinationExists,
            message,
            remedies: [.renameBack(to: claim.name.rawValue), .retry, .overwrite]
        )
    }

    /// The names of the part file are used up.
    var noFreePartName: Problem {
        .permanent(
            .destinationExists,
            "All \(Self.mostPartNumber + 1) names that the part file may have are taken.",
            remedies: [.chooseOtherName, .chooseOtherDirectory]
        )
    }

    /// Another transfer, of another list or from another URL, has the part file's name. If this one could follow it,
    /// it waits for its turn.
    ///
    /// - Parameter writer: the other transfer, if this engine runs it.
    func partNameTaken(_ place: FilePlace, isHeld: Bool, by writer: TransferID?) -> Problem {
        guard isHeld else {
            let remedies: [Remedy] = [.moveAwayUnlessNeeded, .chooseOtherName]
            guard progress.part == nil else {
                let message = "\(place.partPath) is not the part file that this transfer wrote."
                return .permanent(.partFileLost, message, remedies: remedies)
            }
            let message = "\(place.partPath) already exists and belongs to another download."
            return .permanent(.destinationExists, message, remedies: remedies)
        }
        let name = writer.map { "Transfer \($0)" } ?? "Another transfer"
        let message = "\(name) is writing \(place.partPath)."
        switch options.existingFile {
        case .overwrite where !specification.replacesUnnamed, .noClobber:
            return .transient(.cannotOpen, message)
        case .overwrite, .fail, .autoRename:
            return taken("\(message) Its file will get that name.")
        }
    }

    /// Another transfer of this engine fetches a file with the final name. `nil` if this one begins nevertheless: what is saved
    /// first will do, or is replaced.
    func refusal(of place: FilePlace, fetchedBy fetcher: TransferID) -> Problem? {
        switch options.existingFile {
        case .noClobber: return nil
        case .overwrite where !specification.replacesUnnamed: return nil
        case .overwrite, .fail, .autoRename:
            return taken("Transfer \(fetcher) is fetching a file with the name \(place.path).")
        }
    }

    /// The file is that of another transfer, which got the same name by chance.
    func kept(_ place: FilePlace, by keeper: TransferID) -> Problem {
        taken("\(place.path) already exists and is the file of transfer \(keeper).")
    }

    /// Another transfer has the name. `--overwrite` is no way out: one of the two files would be lost.
    private func taken(_ message: String) -> Problem {
        .permanent(.destinationExists, message, remedies: [.autoRename, .chooseOtherName])
    }

    // MARK: The disk

    /// The disk with the part file is not mounted.
    func diskUnmounted(
        _ place: FilePlace,
        because reason: String = "its directory is on another device now"
    ) -> Problem {
        .condition(
            .diskMount,
            .cannotOpen,
            "The disk or the directory that holds \(place.partPath) is not there: \(reason).",
            remedies: [.checkDisk, .retry]
        )
    }

    /// The failure of a look at the place. If the directory of kept bytes is missing, their disk is probably not mounted: many
    /// systems remove its directory with it.
    func surveyFailed(_ problem: Problem) -> Problem {
        guard let place, progress.part != nil, progress.segments.received > 0,
            problem.saysThatDirectoryIsMissing(place.directory)
        else { return problem }
        return diskUnmounted(place, because: "its directory does not exist")
    }

    // MARK: Digests

    /// The file has the wrong digest.
    func mismatch(expected: Checksum, found: Checksum) -> Problem {
        let name = expected.algorithm.rawValue
        let isGiven = options.checksum != nil
        let message =
            isGiven
            ? "The file has the \(name) digest \(found.hex), not \(expected.hex)."
            : "The file has the \(name) digest \(found.hex), but the server says \(expected.hex)."
        guard !keepsForeignBytes else {
            return mismatch(
                message,
                believing: [.restartAdoption, isGiven ? .giveOtherDigest : .ignoreServerDigests]
            )
        }
        return mismatch(
            message,
            believing: isGiven ? [.giveOtherDigest, .addWithoutDigest] : [.ignoreServerDigests]
        )
    }

    /// The file is not what was asked for.
    func mismatch(_ message: String, believing: [Remedy] = []) -> Problem {
        let (outcome, remedies): (String, [Remedy]) =
            if isStream {
                ("The reader of the stream has these bytes.", [.fetchAgain])
            } else if options.keepsMismatch, let place {
                ("It was kept as \(place.partPath).", [.moveAway, .fetchAgain])
            } else if let adoption = progress.part?.adoption {
                // A retry would find the file that is given back, and leave it alone.
                (returning(adoption), [])
            } else {
                ("It was not saved under its final name.", [.fetchAgain, .removePartFile])
            }
        return .permanent(.checksumMismatch, "\(message) \(outcome)", remedies: remedies + believing)
    }
}

extension Problem {
    /// The disk that a download was added for is not mounted.
    package static func diskBelow(mountPoint: String) -> Problem {
        .condition(
            .diskMount,
            .cannotOpen,
            "A disk was mounted at \(mountPoint) when this transfer was added, and none is mounted there now. Nothing was "
                + "requested.",
            remedies: [.mountDisk, .retry]
        )
    }

    /// A file of unknown length has passed the maximum, in bytes.
    package static func tooLong(most: Int64) -> Problem {
        .permanent(.tooLong, "The file has more than the allowed \(ByteCount(most).formatted).")
    }

    /// Whether the problem is about where the bytes are written, and so affects every connection.
    var isOfTheDisk: Bool {
        switch failure.code {
        case .diskFull, .storageFault, .cannotCreate, .cannotOpen, .partFileLost, .streamLost, .streamStopped,
            .internalFault:
            true
        default: false
        }
    }

    /// Whether the server will never give the resource, even after many requests.
    var saysThatItIsGone: Bool {
        guard disposition == .permanent else { return false }
        return switch failure.code {
        case .notFound, .gone, .notAuthorised, .forbidden, .refused, .tooManyRedirects, .redirectRefused: true
        default: false
        }
    }

    /// Whether a directory does not exist.
    package func saysThatDirectoryIsMissing(_ path: String) -> Bool {
        failure.remedies.contains(.createDirectory(path: path))
    }

    /// Whether the user's policy ends the transfer for this problem.
    var endsByPolicy: Bool { disposition == .permanent && failure.code == .resourceChanged }

    /// Whether the part file's name is taken: by an existing file, or by a file that another transfer is writing.
    var saysThatNameIsTaken: Bool { failure.code == .destinationExists || failure.code == .cannotOpen }
}

extension FileSurvey.Kind {
    /// The kind for a person, with its article.
    package var inWords: String {
        switch self {
        case .file: "a file"
        case .directory: "a directory"
        case .symbolicLink: "a symbolic link"
        case .stream: "a device or a FIFO"
        case .other: "not a regular file"
        }
    }
}
