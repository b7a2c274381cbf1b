package import FerryCore

/// A file that is written in order, and gets its name when it is whole and durable, as a download does. Until then it has
/// no name, or another one where the file system needs that.
package actor PublishedFile {
    private let files: any PartFileSystem
    private let file: any PartFile
    private let draft: FilePlace
    private let place: FilePlace
    private let replacesExisting: Bool
    /// Runs a blocking call on a thread for that.
    private let running: Running
    private var length: Int64 = 0

    package typealias Running =
        @Sendable (@escaping @Sendable () throws(StorageProblem) -> Void) async throws(StorageProblem) -> Void

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - place: its final name.
    ///   - draftName: the name of its unfinished form, which no other file has.
    ///   - replacesExisting: whether a regular file of the final name is replaced. Nothing else ever is.
    /// - Throws: ``StorageProblem``, with `destinationExists` when the final name is taken.
    package init(
        at place: FilePlace,
        draftName: FileName,
        replacesExisting: Bool,
        in files: any PartFileSystem,
        running: @escaping Running
    ) async throws(StorageProblem) {
        draft = FilePlace(directory: place.directory, name: draftName)
        (self.files, self.place, self.replacesExisting, self.running) = (
            files, place, replacesExisting, running
        )
        if let final = try await files.survey(place).final, !replacesExisting || final.kind != .file {
            throw StorageProblem(
                .permanent(
                    .destinationExists,
                    "\(place.path) already exists, so nothing was written.",
                    remedies: [.moveAway]
                ),
                errno: 0
            )
        }
        file = try await files.createPart(at: draft)
    }

    /// Writes the next bytes.
    ///
    /// - Throws: ``StorageProblem`` when they cannot be written.
    package func write(_ bytes: [UInt8]) async throws(StorageProblem) {
        let (file, offset) = (file, length)
        length += Int64(bytes.count)
        try await running { () throws(StorageProblem) in try file.write(bytes.span.bytes, at: offset) }
    }

    /// Makes the file durable and gives it its name.
    ///
    /// - Throws: ``StorageProblem``, with `destinationExists` when another file has got the name meanwhile.
    package func publish() async throws(StorageProblem) {
        try await file.synchronize()
        // Only a file with a name can replace another one.
        if replacesExisting, !file.isNamed { try await file.takeName() }
        try await file.publish(as: place.name, replacing: replacesExisting)
    }

    /// Removes what was written, if that has a name.
    ///
    /// - Throws: ``StorageProblem`` when it cannot be removed.
    package func discard() async throws(StorageProblem) {
        await file.close()
        if file.isNamed { try await files.removePart(at: draft, identity: file.identity) }
    }
}
