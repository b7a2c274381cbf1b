/// Why a row cannot be read.
struct RowDamage: Error, CustomStringConvertible {
    /// What is wrong, in words.
    let description: String

    /// Creates the reason.
    init(_ description: String) {
        self.description = description
    }
}
