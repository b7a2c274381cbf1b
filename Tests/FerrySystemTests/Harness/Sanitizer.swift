import Foundation

/// The sanitizer that the tool under test was built with, as `scripts/test` says.
enum Sanitizer: String, Sendable {
    case thread
    case address

    /// The sanitizer in use; `nil` for an ordinary build.
    static let inUse = ProcessInfo.processInfo.environment["FERRY_SANITIZER"].flatMap(Self.init)

    /// The factor for all wait limits. An instrumented tool is many times slower, most of all at its start.
    static let patience = inUse == nil ? 1 : 10
}
