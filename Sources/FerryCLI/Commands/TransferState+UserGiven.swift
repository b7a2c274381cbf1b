import ArgumentParser
import Ferry

extension TransferState.Name {
    /// Makes a reader of `--state`, which takes the names of these states in upper or lower case.
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
