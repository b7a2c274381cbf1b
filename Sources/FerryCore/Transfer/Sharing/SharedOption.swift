/// What an option of a transfer means for another caller who asks for the same transfer.
///
/// ``all`` is the table: one row for each option, so that no requirement is dropped in silence. Two callers share a
/// transfer only if both would have accepted every byte of it.
package struct SharedOption: Sendable {
    /// What the option is about.
    package let name: String
    /// The stored fields of ``DownloadOptions`` and ``ConnectionOptions`` that hold it.
    package let fields: Set<String>
    /// The kind of option, which decides how a difference is resolved.
    package let kind: Kind
    /// How a transfer with these options differs from the new request, as the end of a sentence.
    let refusal: @Sendable (_ had: DownloadOptions) -> String
    /// The permission that has no effect when the transfer stays stricter; `nil` if a weaker demand needs no
    /// permission.
    let permission: Permission?
    private let compare: @Sendable (_ asked: DownloadOptions, _ had: DownloadOptions) -> Difference
    private let copy: @Sendable (_ source: DownloadOptions, _ target: inout DownloadOptions) -> Void
    private let doubts: @Sendable (DownloadProgress, _ asked: DownloadOptions) -> Bool

    /// The kinds of options.
    package enum Kind: Hashable, Sendable, CaseIterable {
        /// How to transfer, not which bytes to accept: never refused, and the newest that is named counts.
        case preference
        /// Which bytes are accepted, and from which sources.
        case demand
        /// How the server identifies the caller, and so what it returns.
        case identity
        /// What the file must be: a digest, a length.
        case content
    }

    /// A permission that a caller may give.
    package enum Permission: Hashable, Sendable, CaseIterable {
        /// A server's certificate is not verified.
        case anyCertificate
        /// A redirect may lead from `https` to `http`.
        case downgrade
        /// Digests sent by the server are not checked.
        case noServerDigests
        /// Bytes may come from mirrors.
        case mirrors
    }

    /// How the new request differs from the transfer.
    package enum Difference: Hashable, Sendable, CaseIterable {
        /// The same.
        case same
        /// The new request accepts all that the transfer accepts, and more.
        case looser
        /// The new request requires something that the transfer does not require.
        case stricter
        /// Each accepts something that the other does not.
        case other
    }

    /// Who relies on a transfer.
    package enum Reliance: Hashable, Sendable, CaseIterable {
        /// A living owner holds it, whether it runs or waits.
        case held
        /// No owner holds it, and it will run.
        case pending
        /// It was paused or has failed: no one relies on it.
        case dropped
        /// It is completed.
        case completed
    }

    /// How a difference is resolved.
    package enum Verdict: Hashable, Sendable {
        /// The transfer's setting counts.
        case keep
        /// The new setting counts.
        case take
        /// Both count: each requirement of either applies.
        case join
        /// The transfer is not shared.
        case refuse
    }

    init(
        _ name: String,
        _ kind: Kind,
        _ fields: Set<String>,
        refusal: @escaping @Sendable (_ had: DownloadOptions) -> String = { _ in "" },
        permission: Permission? = nil,
        copy: @escaping @Sendable (DownloadOptions, inout DownloadOptions) -> Void,
        compare: @escaping @Sendable (_ asked: DownloadOptions, _ had: DownloadOptions) -> Difference = {
            _,
            _ in .same
        },
        doubts: @escaping @Sendable (DownloadProgress, _ asked: DownloadOptions) -> Bool = { _, _ in false }
    ) {
        self.name = name
        self.kind = kind
        self.fields = fields
        self.refusal = refusal
        self.permission = permission
        self.copy = copy
        self.compare = compare
        self.doubts = doubts
    }

    /// How a difference in an option of this kind is resolved.
    package static func verdict(_ kind: Kind, _ difference: Difference, _ reliance: Reliance) -> Verdict {
        switch (reliance, kind, difference) {
        case (.held, .preference, _), (.completed, .preference, _): .keep
        case (.pending, .preference, _), (.dropped, .preference, _): .take
        case (_, _, .same): .keep
        // What runs or has run cannot change.
        case (.held, _, .looser): .keep
        case (.held, _, _): .refuse
        case (.completed, _, .looser), (.completed, .identity, _): .keep
        case (.completed, _, _): .refuse
        // The earlier caller accepts no more than before.
        case (.pending, .demand, .looser): .keep
        case (.pending, .demand, .stricter), (.pending, .identity, .stricter): .take
        case (.pending, .identity, .looser): .keep
        // Neither caller may replace the other's requirement.
        case (.pending, _, .other): .refuse
        // Leaving out a digest does not withdraw it.
        case (_, .content, .stricter), (_, .content, .looser): .join
        case (.dropped, _, _): .take
        }
    }

    /// Compares a new request with a transfer.
    package func difference(_ asked: DownloadOptions, from had: DownloadOptions) -> Difference {
        kind == .preference ? .same : compare(asked, had)
    }

    /// Copies this option from `source` to `target`.
    package func set(_ target: inout DownloadOptions, to source: DownloadOptions) { copy(source, &target) }

    /// Whether a caller who requests this refuses the received bytes unless a digest proves them.
    package func castsDoubt(on progress: DownloadProgress, asked: DownloadOptions) -> Bool {
        progress.segments.received > 0 && doubts(progress, asked)
    }
}
