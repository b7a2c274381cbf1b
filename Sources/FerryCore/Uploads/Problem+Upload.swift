/// What can go wrong with an upload besides its connection.
extension Problem {
    static func changed(_ path: String) -> Problem {
        .permanent(
            .bodyChanged,
            "\(path) was changed after the upload of it was added, so it was not uploaded.",
            remedies: [.addAgain]
        )
    }

    /// A file to send is missing.
    ///
    /// - Parameter path: the path under which the pinned file was.
    package static func bodyMissing(_ path: String, _ pinned: PinnedFile) -> Problem {
        .permanent(
            .bodyChanged,
            "\(path) no longer exists, so it was not sent.",
            remedies: (pinned.isCopy ? [] : [.renameBack(to: path), .retry]) + [.addAgain]
        )
    }

    /// A file to send is missing with its disk.
    package static func bodyUnmounted(_ path: String) -> Problem {
        .condition(
            .diskMount,
            .cannotOpen,
            "\(path) is missing, and its directory is on another device than the file was. Probably its disk is not mounted. "
                + "The file was not sent.",
            remedies: [.mountDisk, .retry]
        )
    }

    static func notSpoken(_ name: UploadProtocolName, at host: String) -> Problem {
        .permanent(
            .refused,
            "\(host) does not speak the protocol \(name) at this URL.",
            remedies: [.checkURL, .addAgain]
        )
    }

    static func damaged(at host: String) -> Problem {
        .transient(.checksumMismatch, "Bytes arrived damaged at \(host), again and again.")
    }

    static func hardlyTaken(at host: String) -> Problem {
        .transient(
            .badResponse,
            "\(host) confirmed less than a thousandth of what was sent, again and again. The upload would take too long."
        )
    }

    static func mismatched(_ algorithm: Checksum.Algorithm, at host: String) -> Problem {
        let name = algorithm.rawValue
        return .permanent(
            .checksumMismatch,
            "The \(name) digest that \(host) has computed is not that of the file.",
            remedies: [.retry]
        )
    }

    static func unexpected(_ step: UploadStep, at host: String) -> Problem {
        .transient(.badResponse, "\(host) answered as no server of this protocol does, to \(step.name).")
    }
}

extension UploadStep {
    /// What is asked for, for people.
    fileprivate var name: String {
        switch self {
        case .discover: "the question what it can do"
        case .sendWhole: "the file"
        case .create: "the beginning of the upload"
        case .ask: "the question how far the upload is"
        case .append: "a part of the upload"
        case .complete: "the end of the upload"
        case .look: "the question whether the file is there"
        case .abort: "the request to remove the upload"
        }
    }
}
