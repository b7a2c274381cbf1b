import Ferry
import FerryFrontend

/// Examines destinations before anything is added.
struct DestinationExam {
    private let client: TransferClient
    /// The latest results. Their number is bounded, because a list may name a million files.
    private var known: [Destination: Destination] = [:]
    private static let mostKnown = 10_000

    init(_ access: some TransferAccess) {
        client = access.client
    }

    /// Replaces destinations that are devices or FIFOs by streams.
    ///
    /// - Throws: ``CommandFailure`` when a directory is missing, ``StorageProblem`` when it cannot be used.
    mutating func examine(_ downloads: inout [PlannedDownload]) async throws {
        for index in downloads.indices {
            let wanted = downloads[index].specification.destination
            let real = try await examined(wanted)
            if real != wanted { downloads[index].specification.destination = real }
        }
    }

    /// Checks the directories of a plan, so that nothing is added when one of them is missing.
    ///
    /// - Throws: ``CommandFailure`` when a directory is missing, ``StorageProblem`` when it cannot be used. If lines of a list name
    ///   directories, ``CommandFailure`` names these lines.
    mutating func check(_ plan: DownloadPlan) async throws {
        guard !plan.hasDirectories else {
            return try await plan.checkEach { download in
                guard case .file(let directory, _) = download.specification.destination else { return }
                _ = try await examined(.file(directory: directory, name: nil))
            }
        }
        var downloads = try plan.downloads()
        while let download = try downloads.next() {
            guard case .file(let directory, _) = download.specification.destination else { continue }
            _ = try await examined(.file(directory: directory, name: nil))
            // All others have the same one.
            return
        }
    }

    private mutating func examined(_ destination: Destination) async throws -> Destination {
        if let real = known[destination] { return real }
        if known.count >= Self.mostKnown { known = [:] }
        do throws(StorageProblem) {
            let real = try await client.examine(destination)
            known[destination] = real
            return real
        } catch {
            throw Self.failure(error)
        }
    }

    /// The failure, whose hint names the option that makes a missing directory. Only commands that examine destinations have
    /// this option.
    private static func failure(_ problem: StorageProblem) -> any Error {
        let isMissing = problem.problem.failure.remedies.contains {
            if case .createDirectory = $0 { true } else { false }
        }
        guard isMissing else { return problem }
        var failure = CommandFailure(problem)
        failure.hint = "Check its name, or repeat the command with --create-dirs to make it."
        return failure
    }
}
