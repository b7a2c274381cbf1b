/// Decides what a download does about what has the final name of its file.
///
/// It is not asked about the published file of the download itself, which ``RecoveryTable`` recognises. An
/// unfinished file that a person gave the final name counts as any other file.
package enum DestinationTable {
    /// What to do. The raw value is shown in JSON.
    package enum Decision: String, Hashable, Sendable, CaseIterable {
        /// Make a new file.
        case create
        /// Write to the device or FIFO.
        case write
        /// Replace the file.
        case replace
        /// Ask the server whether it has another version, and replace the file only by that.
        case update
        /// Fetch nothing.
        case skip
        /// Fetch nothing if the file has the digest that is asked for; otherwise fail.
        case verify
        /// Take the next free numbered name.
        case number
        /// Fail.
        case fail

        /// Whether the file stays, and may be all that is wanted.
        package var mayAccept: Bool { self == .skip || self == .verify }
    }

    /// What the record of an earlier transfer says of a regular file.
    package enum Saved: Hashable, Sendable, CaseIterable {
        /// There is no such record.
        case unrecorded
        /// The transfer saved the file, and it was not changed since.
        case unchanged
        /// The transfer saved another file under this name, or the file was changed since.
        case changed

        /// Compares a file with the record of an earlier transfer.
        package init(_ saved: SavedVersion?, _ entry: FileSurvey.Entry) {
            self = saved.map { $0.isStill(entry) ? .unchanged : .changed } ?? .unrecorded
        }
    }

    /// Returns the decision about an entry.
    ///
    /// - Parameters:
    ///   - kind: what has the name; `nil` if nothing has it.
    ///   - isNamed: whether the user gave the name, and may have meant a device. A server cannot name one.
    ///   - saved: what is known of a regular file.
    ///   - policy: what the user wants to do with a file that exists.
    ///   - updates: whether a file that an earlier transfer saved is asked for again.
    ///   - isProvable: whether a digest shows that a file is the wanted one (``DownloadOptions/canProveFile``).
    package static func decide(
        _ kind: FileSurvey.Kind?,
        isNamed: Bool,
        _ saved: Saved,
        policy: ExistingFilePolicy,
        updates: Bool,
        isProvable: Bool
    ) -> Decision {
        switch (kind, policy) {
        case (nil, _): .create
        case (.stream?, _) where isNamed: .write
        case (.stream?, _), (.directory?, _), (.symbolicLink?, _), (.other?, _): .fail
        // The policy is for files that Ferry did not save, or that were changed since.
        case (.file?, _) where updates && saved == .unchanged: .update
        case (.file?, .overwrite): .replace
        case (.file?, .noClobber): .skip
        case (.file?, .autoRename): .number
        case (.file?, .fail): isProvable ? .verify : .fail
        }
    }
}
