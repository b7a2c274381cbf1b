import Ferry
import FerryFrontend

/// What `ferry adopt` would do with a file, as far as the store and the directory tell it.
struct AdoptionPreview: Preview, Sendable {
    /// What it would do.
    enum Action: Hashable, Sendable {
        /// It takes over the file.
        case adopt(Find)
        /// It downloads a file that no tool has begun.
        case download
        /// Nothing: this transfer has saved the file.
        case complete(TransferID)
        /// It resumes this transfer, which has taken over the file already, and has this number of bytes.
        case resume(TransferID, received: Int64)
        /// It refuses the file.
        case refuse(CommandFailure)
    }

    /// A file that can be taken over.
    struct Find: Hashable, Sendable {
        /// What has left it.
        var tool: Tool
        /// The number of its bytes that count; 0 if none can be used.
        var kept: Int64
        /// Whether a digest decides about them. Otherwise some places are compared with the server's bytes.
        var isVerified: Bool
    }

    /// What has left an unfinished file.
    enum Tool: Hashable, Sendable {
        /// aria2, whose control file has this path.
        case aria2(controlFile: String)
        /// A tool that writes in order and has no control file, such as curl or wget.
        case inOrder
        /// Ferry: it is a part file that no transfer knows.
        case ferry
    }

    let url: HTTPURL
    /// The path of the finished file; `nil` for standard output.
    let path: String?
    let action: Action

    /// Why the file is refused; `nil` if it is not.
    var failure: CommandFailure? { if case .refuse(let failure) = action { failure } else { nil } }

    private var find: Find? { if case .adopt(let find) = action { find } else { nil } }

    var details: [(label: String, text: String?)] {
        [
            ("Adopt", action.text), ("Begun by", find?.tool.text), ("Keeps", find?.keeping),
            ("Next", failure?.hint), ("URL", url.redacted),
        ]
    }

    var json: JSON {
        .object([
            .init(name: "url", value: .string(url.redacted)),
            .init(name: "path", value: .optional(path)),
            .init(name: "action", value: .string(action.name)),
            .init(name: "tool", value: .optional(find?.tool.name)),
            .init(name: "controlFile", value: .optional(find?.tool.controlFile)),
            .init(name: "kept", value: .optional(find?.kept)),
            .init(name: "transfer", value: .optional(action.transfer?.rawValue)),
            .init(name: "reason", value: .optional(failure?.message)),
            .init(name: "hint", value: .optional(failure?.hint)),
        ])
    }
}

extension AdoptionPreview.Action {
    /// The stable name in JSON.
    fileprivate var name: String {
        switch self {
        case .adopt: "adopt"
        case .download: "download"
        case .complete: "complete"
        case .resume: "resume"
        case .refuse: "refuse"
        }
    }

    /// The transfer that it is about.
    fileprivate var transfer: TransferID? {
        switch self {
        case .complete(let id), .resume(let id, _): id
        case .adopt, .download, .refuse: nil
        }
    }

    /// What it does, for a person, without a subject.
    fileprivate var text: String {
        switch self {
        case .adopt: "takes over the file"
        case .download: "downloads from the start: no tool has begun this file"
        case .complete(let id): "fetches nothing: transfer \(id) has saved this file"
        case .resume(let id, let received):
            "resumes transfer \(id) at \(ByteCount(received).formatted), which has taken over this file"
        case .refuse(let failure): "refuses: \(TerminalText.clause(failure.message))"
        }
    }
}

extension AdoptionPreview.Find {
    /// How many bytes are kept, and on which condition.
    fileprivate var keeping: String {
        guard kept > 0 else { return "nothing: none of its bytes can be used" }
        let condition = isVerified ? "the digest is right" : "they are equal to the server's where compared"
        return "\(ByteCount(kept).detailed), if \(condition)"
    }
}

extension AdoptionPreview.Tool {
    /// The stable name in JSON.
    fileprivate var name: String {
        switch self {
        case .aria2: "aria2"
        case .inOrder: "inOrder"
        case .ferry: "ferry"
        }
    }

    /// The path of its control file; `nil` without one.
    fileprivate var controlFile: String? { if case .aria2(let path) = self { path } else { nil } }

    /// What it is, for a person.
    fileprivate var text: String {
        switch self {
        case .aria2(let path): "aria2, whose control file is \(path)"
        case .inOrder: "a tool that writes in order, such as curl or wget: there is no control file"
        case .ferry: "ferry: it is a part file that no transfer knows"
        }
    }
}
