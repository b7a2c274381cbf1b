import Ferry
import FerryFrontend

/// What the tool says of a download.
struct DownloadWording: WorkWording {
    let transfer: Transfer
    let work: DownloadWork

    var name: String { TerminalText.safe(fileName) }

    /// The name of the file, as far as it is known, or of the stream.
    private var fileName: String {
        switch work.specification.destination {
        case .file(_, let given): (work.progress.name ?? given ?? .fromURL(work.specification.url)).rawValue
        case .stream("-"): FileName.fromURL(work.specification.url).rawValue
        case .stream(let path): path
        }
    }

    var destination: String {
        switch work.specification.destination {
        case .file(let directory, _):
            TerminalText.safe(transfer.finalPath ?? "\(directory)/ (name not known yet)")
        case .stream("-"): "standard output"
        case .stream(let path): TerminalText.safe(path)
        }
    }

    var urlLabel: String { "From" }

    var beginning: String {
        "Downloading \(name) from " + TerminalText.safe(work.specification.url.redacted)
    }

    var continuation: String {
        transfer.startsOver ? "starts over, because the server compressed the file" : "resumes"
    }

    var repetition: String {
        // Overwriting would replace the file that took the name first.
        work.mayBeNumbered
            ? "`ferry remove \(transfer.id)`, then the same command," : "`ferry get --overwrite`"
    }

    var residue: String? { "the part file" }

    /// Only a kept part file counts bytes.
    var remnant: (clause: String, hint: String?)? {
        guard transfer.recordedProgress.received > 0 else { return nil }
        return (
            "its part file was kept",
            "Its part file is kept, but no command resumes it. Move or remove it before `ferry get` with its URL, "
                + "which starts over."
        )
    }

    var isFinishing: Bool { work.progress.phase == .publishing }

    func completed(_ figures: String) -> String {
        if transfer.isSkipped { return "Skipped: \(destination)." }
        let checked = work.progress.assurance == .overlapChecked ? ", overlap-checked" : ""
        let place = transfer.isStandardOutput ? "\(name) to \(destination)" : destination
        return "Done: \(place) (\(figures)\(checked))."
    }
}
