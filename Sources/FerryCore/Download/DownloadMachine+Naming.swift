/// The name of a new part file, which a small one is spared.
///
/// A name costs a record that survives power loss, a link and a rename. A small file that comes within one interval of
/// recording needs none of them: its first name is the final one, and the note of its publication is the first that the
/// store hears of its part file. Until then no row claims a byte of it, and with the process that made it, it is gone.
extension DownloadMachine {
    /// Whether the open part file has a name.
    enum PartName: Hashable, Sendable {
        /// It has one, or nothing is claimed of it; exits to `owed`.
        case given
        /// It has none, and no row claims it; exits to `asked`, and by its publication to none.
        case owed
        /// The claim on it is recorded, and it is being named; exits to `given`.
        case asked
    }

    /// Whether a new part file may do without a name: it is small, and nobody wants to find it under one.
    var maySpareName: Bool {
        guard let length = checkpoint.segments.length, length < smallLength else { return false }
        // A link cannot replace a file, and bytes that are wrong can be kept only under a name.
        return options.existingFile != .overwrite && !options.keepsMismatch
    }

    /// Takes the body into a part file that has no name.
    mutating func spareName(for id: ConnectionID) -> [Action] {
        partName = .owed
        if let ending { return stop(ending) }
        return receive(id)
    }

    /// Whether a file without a name is worth one now that no more comes: there are bytes to be kept, and no publication
    /// has been ordered, which may have given it the final name although it failed.
    func owesNameNow(before ending: Ending) -> Bool {
        guard partName == .owed, checkpoint.phase != .publishing, checkpoint.segments.received > 0 else {
            return false
        }
        return ending != .asked(.cancel(keepingPart: false)) && ending != .alreadyThere
    }

    /// It takes longer than was hoped: the bytes are to outlive the process from now on.
    ///
    /// A sync makes a name durable only if it was there when the sync began, so that bytes which are durable already are
    /// of no use after power loss before there was another one (I2).
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

    /// What the row may say: nothing of a file that nobody could find again, and no byte of one that has its claim and
    /// not yet its name (I2). A publication gives the name itself.
    var recordable: Checkpoint {
        guard partName != .given, checkpoint.phase != .publishing else { return checkpoint }
        var known = checkpoint
        known.segments = SegmentMap(length: checkpoint.segments.length)
        if partName == .owed { known.part = nil }
        return known
    }
}
