/// A part of a sectioned file.
package enum Section: String, CaseIterable, Sendable {
    /// What describes the file.
    case metadata
    /// A small picture of it.
    case thumbnail
    /// The file itself.
    case data
}
