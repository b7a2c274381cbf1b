/// The evidence that all bytes of a download are of one version (I5).
public enum Assurance: String, Hashable, Sendable, Codable, Comparable {
    /// One response gave every byte.
    case single
    /// A strong validator matched in every response, or a digest finally proves that all bytes belong together.
    case proved = "validator"
    /// All validators that the server gave matched, and the overlap was compared.
    case overlapChecked = "overlap-checked"

    /// Whether `lhs` is stronger evidence than `rhs`.
    public static func < (lhs: Assurance, rhs: Assurance) -> Bool { lhs.rank < rhs.rank }

    private var rank: Int {
        switch self {
        case .single: 0
        case .proved: 1
        case .overlapChecked: 2
        }
    }
}
