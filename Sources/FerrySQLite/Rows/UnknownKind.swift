import FerryCore

/// The row of a transfer of a kind that this Ferry does not know.
struct UnknownKind: Error {
    /// The name of the kind in the store.
    let name: String

    /// Maximum length of the name, in letters.
    static let longest = 32

    /// Creates the error; `nil` if the name cannot be that of a kind, so the row is damaged.
    init?(name: String) {
        let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte | 0x20) }
        guard (1...Self.longest).contains(name.utf8.count), name.utf8.allSatisfy(isLetter) else { return nil }
        self.name = name
    }
}

extension StoreError {
    /// The error of a transfer whose row could not be read.
    init(unreadable id: TransferID, _ error: any Error) {
        self =
            if let unknown = error as? UnknownKind {
                .newerTransfer(id, kind: unknown.name)
            } else {
                .damagedTransfer(id, "\(error)")
            }
    }
}
