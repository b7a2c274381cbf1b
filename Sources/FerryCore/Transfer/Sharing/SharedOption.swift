/// What an option of a transfer means for somebody else who asks for the same transfer.
///
/// ``all`` is the table: one row for each option, so that nothing that anybody required is dropped in silence. Two who ask
/// share a transfer only where both would have accepted every byte of it.
package struct SharedOption: Sendable {
    /// The option, as the command line calls it.
    package let name: String
    /// The stored fields of ``DownloadOptions`` and ``ConnectionOptions`` that hold it.
    package let fields: Set<String>
    /// What kind of wish it is, which decides what becomes of two that differ.
    package let kind: Kind
    /// What a transfer with these options does otherwise than is asked for now, as the end of a sentence.
    let refusal: @Sendable (_ had: DownloadOptions) -> String
    /// The option of the command line that has no effect when it is asked for and the transfer stays stricter; `nil` when
    /// nobody need type one to ask for less.
    let permission: String?
    private let compare: @Sendable (_ asked: DownloadOptions, _ had: DownloadOptions) -> Difference
    private let copy: @Sendable (_ source: DownloadOptions, _ target: inout DownloadOptions) -> Void
    private let doubts: @Sendable (Checkpoint, _ asked: DownloadOptions) -> Bool

    /// What kind of wish an option is.
    package enum Kind: Hashable, Sendable, CaseIterable {
        /// How it is done, and not which bytes are accepted: nobody is refused for it, and the newest counts.
        case preference
        /// Which bytes are accepted, and from whom.
        case demand
        /// How the server knows who asks, and what it gives for that.
        case identity
        /// What the file must be: a digest, a length.
        case content
    }

    /// What is asked for now, compared with what the transfer has.
    package enum Difference: Hashable, Sendable, CaseIterable {
        /// The same.
        case same
        /// Whatever the transfer accepts is accepted now as well.
        case looser
        /// Something is required now that the transfer does not require.
        case stricter
        /// Neither accepts all that the other one does.
        case other
    }

    /// Who counts on a transfer.
    package enum Standing: Hashable, Sendable, CaseIterable {
        /// A living owner has it, whether it runs or waits.
        case held
        /// Nobody has it, and it is going to run.
        case pending
        /// It was paused, or has failed: nobody counts on it.
        case dropped
        /// It is complete.
        case completed
    }

    /// What follows from a difference.
    package enum Verdict: Hashable, Sendable {
        /// What the transfer has counts.
        case keep
        /// What is asked for now counts.
        case take
        /// Both count: what either of them requires is required.
        case join
        /// The two do not share the transfer.
        case refuse
    }

    init(
        _ name: String,
        _ kind: Kind,
        _ fields: Set<String>,
        refusal: @escaping @Sendable (_ had: DownloadOptions) -> String = { _ in "" },
        permission: String? = nil,
        copy: @escaping @Sendable (DownloadOptions, inout DownloadOptions) -> Void,
        compare: @escaping @Sendable (_ asked: DownloadOptions, _ had: DownloadOptions) -> Difference = {
            _,
            _ in .same
        },
        doubts: @escaping @Sendable (Checkpoint, _ asked: DownloadOptions) -> Bool = { _, _ in false }
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

    /// What follows where an option of this kind differs so.
    package static func verdict(_ kind: Kind, _ difference: Difference, _ standing: Standing) -> Verdict {
        switch (standing, kind, difference) {
        case (.held, .preference, _), (.completed, .preference, _): .keep
        case (.pending, .preference, _), (.dropped, .preference, _): .take
        case (_, _, .same): .keep
        // What runs or has run is as it is.
        case (.held, _, .looser): .keep
        case (.held, _, _): .refuse
        case (.completed, _, .looser), (.completed, .identity, _): .keep
        case (.completed, _, _): .refuse
        // Whoever counts on it accepts no more than before.
        case (.pending, .demand, .looser): .keep
        case (.pending, .demand, .stricter), (.pending, .identity, .stricter): .take
        case (.pending, .identity, .looser): .keep
        // Neither may replace what the other one requires.
        case (.pending, _, .other): .refuse
        // Who does not repeat a digest does not take it back.
        case (_, .content, .stricter), (_, .content, .looser): .join
        case (.dropped, _, _): .take
        }
    }

    /// What is asked for now, compared with what a transfer has.
    package func difference(_ asked: DownloadOptions, from had: DownloadOptions) -> Difference {
        kind == .preference ? .same : compare(asked, had)
    }

    /// Sets this option in `target` to what it is in `source`.
    package func set(_ target: inout DownloadOptions, to source: DownloadOptions) { copy(source, &target) }

    /// Whether who asks so does not accept the bytes that are there, unless a digest proves them.
    package func castsDoubt(on checkpoint: Checkpoint, asked: DownloadOptions) -> Bool {
        checkpoint.segments.received > 0 && doubts(checkpoint, asked)
    }
}
