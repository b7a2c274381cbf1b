extension WaitCondition {
    /// The names of the conditions. The raw value is the word in the store and in JSON.
    public enum Name: String, Hashable, Sendable, Codable, CaseIterable, CustomStringConvertible {
        /// ``WaitCondition/retry(at:)``
        case retry
        /// ``WaitCondition/network``
        case network
        /// ``WaitCondition/dependency``
        case dependency
        /// ``WaitCondition/applicationInactive``
        case applicationInactive
        /// ``WaitCondition/diskSpace(needed:)``
        case diskSpace
        /// ``WaitCondition/diskMount``
        case diskMount
        /// ``WaitCondition/newURL``
        case newURL
        /// ``WaitCondition/window(opens:)``
        case window

        /// The word.
        public var description: String { rawValue }
    }

    /// Its name, without its associated values.
    public var name: Name {
        switch self {
        case .retry: .retry
        case .network: .network
        case .dependency: .dependency
        case .applicationInactive: .applicationInactive
        case .diskSpace: .diskSpace
        case .diskMount: .diskMount
        case .newURL: .newURL
        case .window: .window
        }
    }
}
