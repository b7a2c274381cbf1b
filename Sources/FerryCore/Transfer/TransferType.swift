/// The application's word for what its transfers are about, such as `photo.created`. The handler for a type gets the
/// ends of its transfers.
///
/// It stays the same over restarts and versions of the application. It is not a secret: lists show it.
public struct TransferType: Hashable, Sendable, CustomStringConvertible {
    /// It is as long and as plain as a tag.
    private let name: TransferTag

    /// The word.
    public var text: String { name.text }

    /// Creates a type.
    ///
    /// - Throws: ``TransferTag/Invalid`` when the text is empty, longer than ``TransferTag/longest``, or has control
    ///   characters.
    public init(_ text: String) throws(TransferTag.Invalid) {
        name = try TransferTag(text)
    }

    /// The word.
    public var description: String { text }
}

extension TransferType: ExpressibleByStringLiteral {
    /// Creates a type from a word in the source of a program. A word that is not possible traps.
    public init(stringLiteral text: String) {
        do {
            try self.init(text)
        } catch {
            preconditionFailure("the type of a transfer: \(error)")
        }
    }
}
