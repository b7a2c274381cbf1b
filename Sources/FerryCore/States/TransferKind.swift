/// What a transfer does. More cases may follow.
public enum TransferKind: String, Hashable, Sendable, Codable, CaseIterable {
    /// Fetches one resource into one file (or stream).
    case download
    /// Sends one request and keeps its response.
    case request
    /// Sends one file, and resumes where it was interrupted.
    case upload
}
