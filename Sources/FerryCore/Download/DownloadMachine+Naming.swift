/// The name of a new part file. A small part file does without one.
///
/// A name costs a record that survives power loss, a link and a rename. A small file that arrives within one
/// recording interval needs none of them: its first name is the final one, and the store first hears of its part file
/// by the note of its publication. Until then no row claims a byte of it, and it disappears with the process that
/// made it.
extension DownloadMachine {
    /// Whether the open part file has a name.
    enum PartName: Hashable, Sendable {
        /// It has one, or nothing is claimed of it; exits to `owed`.
        case given
        /// It has none, and no row claims it; exits to `asked`, and by publication to no other state.
        case owed
        /// Its claim is recorded and it is being named; exits to `given`.
        case asked
    }

    /// Whether a new part file may do without a name: it is small, and no option needs it under one.
    var maySpareName: Bool {
        guard let length = checkpoint.segments.length, length < smallLength else { return false }
        // A link cannot replace a file, and wrong bytes can be kept only under a name.
        return options.existingFile != .overwrite && !options.keepsMismatch
    }

    /// Takes the body into a part file that has no name.
    mutating func spareName(for id: ConnectionID) -> [Action] {
        partName = .owed
        if let ending { return stop(ending) }
        return receive(id)
    }

    /// Whether a file without a name needs one now that the attempt ends. It does if there are bytes to keep. It does
    /// not if a publication was ordered, which may have given it the final name even though it failed.
    func owesNameNow(before ending: Ending) -> Bool {
        guard partName == .owed, checkpoint.phase != .publishing, checkpoint.segments.received > 0 else {
            return false
        }
        return ending != .asked(.cancel(keepingPart: false)) && ending != .alreadyThere
    }

    /// Names the part file: the download takes longer, so its bytes must outlive the process from now on.
    ///
    /// A sync makes a name durable only if the name existed when the sync began. Bytes that are already durable
    /// therefore need another sync before they survive power loss (I2).
    mutating func takeName() -> [Action] {
        partName = .asked
        checkpoint.segments.withdrawDurability()
        isSynchronizationStale = isSynchronizing
        return [record(.power), .namePart]
    }

    /// The part file has its name, in whatever stage the attempt is by now.
    mutating func named() -> [Action] {
        partName = .given
        return stage == .stopping && connections.isEmpty ? [record(.process)] + stopped() : []
    }

    /// What the row may say. It claims nothing of a file without a claim, and no byte of one that has its claim but
    /// not yet its name (I2). A publication gives the name itself.
    var recordable: Checkpoint {
        guard partName != .given, checkpoint.phase != .publishing else { return checkpoint }
        var known = checkpoint
        known.segments = SegmentMap(length: checkpoint.segments.length)
        if partName == .owed { known.part = nil }
        return known
    }
}
