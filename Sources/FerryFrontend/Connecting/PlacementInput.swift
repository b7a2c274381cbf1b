package import Ferry

/// Where a new transfer stands among others, and when it may run, as texts that are not checked yet.
package struct PlacementInput: Hashable, Sendable {
    /// Higher runs first.
    package var priority = 0
    /// The queue; `nil` for the default one.
    package var queue: String?
    /// The tag.
    package var tag: TransferTag?
    /// The transfers that must complete first.
    package var after: [TransferID] = []
    /// Further transfers that must complete first.
    package var afterUUIDs: [TransferUUID] = []
    /// The times at which it may run.
    package var window: String?
    /// Whether these times come from the settings rather than from the command line.
    package var hasUsualWindow = false
    /// The deadline.
    package var notAfter: String?

    package init() {}

    /// Whether the command line names the times. Then they apply to a transfer that already exists, too.
    var namesWindow: Bool { window != nil && !hasUsualWindow }
}
