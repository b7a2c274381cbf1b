import ArgumentParser
import Ferry

/// What a transfer comes after, as a person types it: the ID of another one, or `none`.
enum Predecessor: Hashable, Sendable, ExpressibleByArgument {
    /// The transfer comes after no other.
    case noOther
    /// The transfer comes after this one.
    case transfer(TransferID)

    /// Reads an ID or `none`.
    init?(argument: String) {
        if argument == "none" {
            self = .noOther
        } else if let id = TransferID(argument) {
            self = .transfer(id)
        } else {
            return nil
        }
    }

    /// The ID; `nil` for none.
    var id: TransferID? {
        switch self {
        case .noOther: nil
        case .transfer(let id): id
        }
    }
}
