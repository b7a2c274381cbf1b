import Foundation

/// What the tool under test was built with, as `scripts/test` says.
enum Sanitizer: String, Sendable {
    case thread
    case address

    /// The one in use; `nil` for an ordinary build.
    static let inUse = ProcessInfo.processInfo.environment["FERRY_SANITIZER"].flatMap(Self.init)

    /// How many times longer it is waited before something counts as missing: an instrumented tool takes many times
    /// longer for everything, to start above all.
    static let patience = inUse == nil ? 1 : 10
}
