import ArgumentParser
import Ferry

extension TransferState.Name {
    /// Reads an argument that is one of these words, in any case.
    static func reading(_ states: [Self]) -> @Sendable (String) throws -> Self {
        { word in
            guard let state = Self(rawValue: word.lowercased()), states.contains(state) else {
                let words = states.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--state must be one of \(words).")
            }
            return state
        }
    }
}
