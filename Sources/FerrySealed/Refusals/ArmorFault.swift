/// What is wrong with the ASCII armor of a sealed file.
package enum ArmorFault: Hashable, Sendable {
    /// The text ends before the line that ends the armor.
    case ends
    /// A line is too long, or a shorter one is not the last.
    case length(line: Int)
    /// A line is not canonical base64.
    case base64(line: Int)
    /// Something other than white space follows the armor.
    case trailing(line: Int)
    /// The white space before the armor is longer than this reader takes.
    case leading
}

extension ArmorFault: CustomStringConvertible {
    /// What is wrong, to follow a colon.
    package var description: String {
        switch self {
        case .ends: "the file ends within it"
        case .length(let line): "line \(line) does not have 64 characters"
        case .base64(let line): "line \(line) is not canonical base64"
        case .trailing(let line): "line \(line) follows its end"
        case .leading: "the white space before it is too long"
        }
    }
}
