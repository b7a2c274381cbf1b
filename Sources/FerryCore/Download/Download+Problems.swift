/// Why an attempt ends, in words.
extension Download {
    // MARK: Connections

    var lostConnection: Problem {
        .transient(.connectionLost, "The connection to \(specification.url.host) was cut.")
    }

    var impossibleLength: Problem {
        .transient(.badResponse, "\(specification.url.host) gives an impossible length.")
    }

    func endedEarly(_ how: String) -> Problem {
        .transient(.connectionLost, "\(specification.url.host) ended its answer \(how).")
    }

    func otherLength(_ length: Int64, than expected: Int64, at source: SourceID) -> Problem {
        .permanent(
            .checksumMismatch,
            "\(host(of: source)) has a file of \(length) bytes, not the requested \(expected).",
            hint: "Its bytes were not used. Check the URL, and the source of the length."
        )
    }

    /// A stream cannot take back written bytes.
    var refusalToStartOver: Problem? {
        guard isStream else { return nil }
        return .permanent(
            .cannotResume,
            "The stream cannot continue: the server no longer has the same version of the file.",
            hint: "Start again, or download to a file, which can start over."
        )
    }

    // MARK: Names

    /// The existing file differs from what was asked for.
    func wrong(_ flaw: FileFlaw, at place: FilePlace) -> Problem {
        .permanent(
            .checksumMismatch,
            flaw.sentence(about: place.path),
            hint: "It was not changed. Repeat the line with --overwrite to replace it."
        )
    }

    /// Something that is no regular file has the final name.
    func neverReplaced(_ place: FilePlace, _ found: FileSurvey.Entry?) -> Problem {
        .permanent(
            .cannotCreate,
            "\(place.path) is \(found?.kind.inWords ?? "no file") and is never replaced.",
            hint: "Choose another name with -o, or another directory with -d."
        )
    }

    /// A file has the final name.
    func exists(_ place: FilePlace) -> Problem {
        .permanent(
            .destinationExists,
            "\(place.path) already exists.",
            hint: "Use --overwrite to replace it, --auto-rename to keep both, or -o for another name."
        )
    }

    /// A person gave the unfinished file its final name.
    func renamedUnfinished(_ place: FilePlace, _ claim: PartFileClaim) -> Problem {
        let message = "\(place.path) is the unfinished file of this transfer."
        guard checkpoint.segments.received > 0 else {
            return .permanent(
                .destinationExists,
                message,
                hint:
                    "None of it can be resumed. Move it away, and `ferry retry {id}` fetches the file again; "
                    + "or repeat the line with --overwrite to replace it."
            )
        }
        return .permanent(
            .destinationExists,
            message,
            hint: "Rename it back to \(claim.name), and `ferry retry {id}` resumes. "
                + "Repeat the line with --overwrite to fetch all of it again."
        )
    }

    /// Another transfer, of another list or from another URL, has the part file's name. If this one could follow it,
    /// it waits for its turn.
    func partNameTaken(_ place: FilePlace, isHeld: Bool) -> Problem {
        guard isHeld else {
            let hint =
                "It may belong to a transfer that `ferry list` shows; if not, move it away. Or choose another name with -o."
            guard checkpoint.part == nil else {
                let message = "\(place.partPath) is not the part file that this transfer wrote."
                return .permanent(.partFileLost, message, hint: hint)
            }
            let message = "\(place.partPath) already exists and belongs to another download."
            return .permanent(.destinationExists, message, hint: hint)
        }
        let message = "Another transfer is writing \(place.partPath)."
        switch options.existingFile {
        case .overwrite, .noClobber:
            return .transient(.cannotOpen, message)
        case .fail, .autoRename:
            let hint =
                "Its file will get that name. Choose another one with -o, or keep both with --auto-rename."
            return .permanent(.destinationExists, message, hint: hint)
        }
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
        let believing =
            isGiven
            ? " To fetch it without that digest, type `ferry remove {id}` first."
            : " --ignore-server-digests accepts the file."
        return mismatch(message, believing: believing)
    }

    /// The file is not what was asked for.
    func mismatch(_ message: String, believing: String = "") -> Problem {
        let hint =
            if isStream {
                "The reader of the stream has these bytes. Repeat the `ferry get` line to fetch them again."
            } else if options.keepsMismatch, let place {
                "It was kept as \(place.partPath). Move it away, and `ferry retry {id}` fetches it again."
            } else {
                "The file was not saved under its final name. `ferry retry {id}` fetches it again over the part file; "
                    + "`ferry remove {id}` removes the part file."
            }
        return .permanent(.checksumMismatch, message, hint: hint + believing)
    }
}

extension Problem {
    /// Whether the problem is about where the bytes are written, and so meets every connection.
    var isOfTheDisk: Bool {
        switch failure.code {
        case .diskFull, .storageFault, .cannotCreate, .cannotOpen, .partFileLost, .streamLost, .streamStopped,
            .internalFault:
            true
        default: false
        }
    }

    /// Whether the server will never give the resource, however often it is asked.
    var saysThatItIsGone: Bool {
        guard disposition == .permanent else { return false }
        return switch failure.code {
        case .notFound, .gone, .notAuthorised, .forbidden, .refused, .tooManyRedirects, .redirectRefused: true
        default: false
        }
    }

    /// Whether the user's policy ends the transfer for this problem.
    var endsByPolicy: Bool { disposition == .permanent && failure.code == .resourceChanged }

    /// Whether the part file's name is taken: by a file, or by one that another transfer is writing.
    var saysThatNameIsTaken: Bool { failure.code == .destinationExists || failure.code == .cannotOpen }
}

extension FileSurvey.Kind {
    fileprivate var inWords: String {
        switch self {
        case .file: "a file"
        case .directory: "a directory"
        case .symbolicLink: "a symbolic link"
        case .stream: "a device or a FIFO"
        case .other: "not a regular file"
        }
    }
}
