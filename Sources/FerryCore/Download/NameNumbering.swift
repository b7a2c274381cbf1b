/// The search for a free name under `ExistingFilePolicy.autoRename`.
enum NameNumbering: Hashable, Sendable {
    /// No name was taken yet; exits to `tried`.
    case unused
    /// This number was added to this name last; exits to `tried` with the next number.
    case tried(base: FileName, number: Int)

    /// Number of numbered names that are tried before a download fails.
    static let limit = 9999

    /// The name to try after `name`, which is taken; `nil` when all numbers are used up.
    mutating func next(after name: FileName) -> FileName? {
        let (base, number) =
            switch self {
            case .unused: (name, 1)
            case .tried(let base, let number): (base, number + 1)
            }
        guard number <= Self.limit else { return nil }
        self = .tried(base: base, number: number)
        return base.numbered(number)
    }
}
