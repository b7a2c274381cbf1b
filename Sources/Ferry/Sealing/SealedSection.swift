internal import FerrySealed

/// A part of a sectioned file, which is read without the others. `ferry seal` with `--metadata` or `--thumbnail` writes such files.
public enum SealedSection: String, Hashable, Sendable, CaseIterable {
    /// What describes the file.
    case metadata
    /// A small picture of it.
    case thumbnail
    /// The file itself.
    case data

    var section: Section {
        switch self {
        case .metadata: .metadata
        case .thumbnail: .thumbnail
        case .data: .data
        }
    }
}
