import Ferry

extension TransferType {
    /// Reads a type from a command line.
    ///
    /// - Throws: `ValidationError` for an invalid type.
    static func read(_ text: String) throws -> TransferType {
        try TransferTag.read(text, TransferType.init(_:))
    }
}
