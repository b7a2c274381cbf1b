import FerryCore
import SystemPackage
import Testing

@testable import FerryIO

@Suite struct StorageVerdictTests {
    /// Every number that Linux and Darwin share, and some that mean nothing to a file.
    static let errors = (1...133).map { Errno(rawValue: $0) }

    @Test(arguments: FileOperation.allCases)
    func saysSomethingOfEveryNumber(_ operation: FileOperation) {
        for error in Self.errors {
            let problem = StorageProblem(error, while: operation, path: "/d/file.bin.part", needed: 512)
            let failure = problem.problem.failure
            #expect(problem.errno == error.rawValue)
            #expect(failure.message.contains("/d/file.bin.part"), "\(error)")
            #expect(failure.message.hasSuffix("."), "\(failure.message)")
            #expect(failure.code != .internalFault)
            // A full disk, and nothing else, waits for room; a stream never does.
            #expect(
                (failure.code == .diskFull && operation != .writeStream)
                    == (problem.problem.disposition == .condition(.diskSpace(needed: 512)))
            )
        }
    }

    @Test func usesEveryRowOfTheTable() {
        for row in StorageVerdict.table {
            let used = row.errors.contains { error in
                row.operations.contains { StorageVerdict.of(error, while: $0) == row.verdict }
            }
            #expect(used, "\(row.verdict) is hidden behind an earlier row")
        }
    }

    @Test(arguments: [
        (
            Errno.noSpace, FileOperation.write, TransferFailure.Code.diskFull,
            StorageVerdict.Outcome.untilThereIsRoom
        ),
        (.noSpace, .reserve, .diskFull, .untilThereIsRoom),
        (.noSpace, .create, .diskFull, .untilThereIsRoom),
        (.noSpace, .synchronize, .diskFull, .untilThereIsRoom),
        (.diskQuotaExceeded, .write, .diskFull, .untilThereIsRoom),
        (.fileTooLarge, .reserve, .cannotCreate, .permanent),
        (.fileTooLarge, .write, .cannotCreate, .permanent),
        (.ioError, .synchronize, .storageFault, .transient),
        (.ioError, .read, .storageFault, .transient),
        (.readOnlyFileSystem, .create, .cannotCreate, .untilItIsWritable),
        (.readOnlyFileSystem, .open, .cannotCreate, .untilItIsWritable),
        (.readOnlyFileSystem, .rename, .cannotCreate, .untilItIsWritable),
        (.readOnlyFileSystem, .write, .storageFault, .untilItIsWritable),
        (.readOnlyFileSystem, .synchronizeDirectory, .storageFault, .untilItIsWritable),
        (.readOnlyFileSystem, .openStream, .cannotCreate, .permanent),
        (.readOnlyFileSystem, .writeStream, .cannotCreate, .permanent),
        (.permissionDenied, .openDirectory, .cannotCreate, .permanent),
        (.permissionDenied, .create, .cannotCreate, .permanent),
        (.permissionDenied, .open, .cannotOpen, .permanent),
        (.notDirectory, .openDirectory, .cannotCreate, .permanent),
        (.fileExists, .rename, .destinationExists, .permanent),
        (.isDirectory, .rename, .destinationExists, .permanent),
        (.tooManySymbolicLinkLevels, .open, .partFileLost, .permanent),
        (.noSuchFileOrDirectory, .rename, .partFileLost, .transient),
        (.fileNameTooLong, .create, .cannotCreate, .permanent),
        (.noSpace, .writeStream, .diskFull, .permanent),
        (.diskQuotaExceeded, .writeStream, .diskFull, .permanent),
        (.brokenPipe, .writeStream, .streamLost, .permanent),
        (.tooManyOpenFiles, .openDirectory, .cannotOpen, .transient),
        (.staleNFSFileHandle, .write, .storageFault, .transient),
        (.timedOut, .write, .storageFault, .transient),
    ])
    func anErrorHasTheCodeAndTheOutcomeOfItsOperation(
        _ error: Errno,
        _ operation: FileOperation,
        _ code: TransferFailure.Code,
        _ outcome: StorageVerdict.Outcome
    ) {
        let verdict = StorageVerdict.of(error, while: operation)
        #expect(verdict.code == code)
        #expect(verdict.outcome == outcome)
    }
}
