package import FerryCore

/// A file that is written in order, and gets its name when it is whole and durable, as a download does. Until then it has
/// no name where the file system supports that, and a kill leaves nothing.
///
/// The draft has a name (``FileName/draftName``) in two cases: all the time on other file systems, and right before it replaces a
/// file. After a kill, the next writer of the same place finds it by that name and removes it.
package actor PublishedFile {
    private let files: any PartFileSystem
    private let file: any PartFile
    /// The final name, and the name of the draft as its part file.
    private let place: FilePlace
    private let replacesExisting: Bool
    /// Runs a blocking call on a thread for that.
    private let running: Running
    private var length: Int64 = 0

    package typealias Running =
        @Sendable (@escaping @Sendable () throws(StorageProblem) -> Void) async throws(StorageProblem) -> Void

    /// Creates the file, and removes the draft that a killed process left.
    ///
    /// - Parameters:
    ///   - place: its final name.
    ///   - replacesExisting: whether a regular file of the final name is replaced. Nothing else ever is.
    /// - Throws: ``StorageProblem``, with `destinationExists` when the final name is taken.
    package init(
        at place: FilePlace,
        replacesExisting: Bool,
        in files: any PartFileSystem,
        running: @escaping Running
    ) async throws(StorageProblem) {
        let place = FilePlace(
            directory: place.directory,
            name: place.name,
            part: place.name.draftName,
            root: place.root
        )
        (self.files, self.place, self.replacesExisting, self.running) = (
            files, place, replacesExisting, running
        )
        let survey = try await files.survey(place)
        // Before anything is refused: the draft may be in clear. A living process holds its own.
        if let draft = survey.part, draft.kind == .file, !survey.isPartHeld {
            try await files.removePart(at: place, identity: draft.identity)
        }
        if let final = survey.final, !replacesExisting || final.kind != .file {
            throw Self.taken(place.path, by: final.kind)
        }
        if let draft = survey.part, draft.kind != .file { throw Self.taken(place.partPath, by: draft.kind) }
        file = try await files.createPart(at: place)
    }

    /// Something has the final name or the name of the draft. Only a regular file is ever replaced.
    private static func taken(_ path: String, by kind: FileSurvey.Kind) -> StorageProblem {
        let isFile = kind == .file
        return StorageProblem(
            .permanent(
                .destinationExists,
                "\(path) already exists\(isFile ? "" : " and is \(kind.inWords)"), so nothing was written.",
                remedies: isFile ? [.overwrite, .moveAway] : [.moveAway]
            ),
            errno: 0
        )
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
        guard replacesExisting, !file.isNamed else {
            try await file.publish(as: place.name, replacing: replacesExisting)
            return
        }
        do throws(StorageProblem) {
            try await file.publish(as: place.name, replacing: false)
        } catch {
            guard error.problem.failure.code == .destinationExists else { throw error }
            // Only a file with a name can replace another one.
            try await file.takeName()
            try await file.publish(as: place.name, replacing: true)
        }
    }

    /// Removes what was written, if that has a name.
    ///
    /// - Throws: ``StorageProblem`` when it cannot be removed.
    package func discard() async throws(StorageProblem) {
        await file.close()
        if file.isNamed { try await files.removePart(at: place, identity: file.identity) }
    }
}
