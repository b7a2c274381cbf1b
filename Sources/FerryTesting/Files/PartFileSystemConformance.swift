internal import FerryCore
internal import Testing

/// The behaviours of every ``PartFileSystem``, to be checked one at a time:
///
/// ```swift
/// @Test(arguments: PartFileSystemConformance.allCases)
/// func conforms(_ behaviour: PartFileSystemConformance) async throws {
///     try await behaviour.check(on: MemoryStage())
/// }
/// ```
package enum PartFileSystemConformance: String, CaseIterable, Sendable {
    // Surveying.
    case surveysAnEmptyDirectory, surveysEachKindWithoutFollowingLinks, namesTheMissingDirectory
    case measuresFreeSpace, tellsNamesApartByTheirBytes, tellsTheDeviceOfTheDirectory
    // Creating and opening.
    case createsAPartFileAndFindsItAgain, hasNoNameBeforeItTakesIt, leavesAnEmptyFileOfAnotherProgram
    case refusesANameThatWasTakenMeanwhile, refusesAForeignPartFile
    case tellsThatAPartFileIsBeingWritten
    case createsAPartFileWithASurvey, createsAWholeFileWithASurvey
    case adoptsTheFileWithTheFinalName, givesAnAdoptedFileBack
    case letsOneOfManyCreatorsWin, locksAnOpenPartFile, refusesAReplacedPartFile, reportsAnAbsentPartFile
    // Bytes.
    case writesInAnyOrderAndLeavesZerosBetween, writesAllAtOnce, writesAWholeFile, writesPastFourGibibytes,
        readsNoFurtherThanTheEnd
    case cutsOffWhatLiesBehind, reservesWithoutChangingAnything, refusesToReserveMoreThanIsFree
    case digestsKnownVectors, digestsAheadWhatComesInAnyOrder, refusesToDigestWhatIsNotThere
    case refusesUseAfterClosing
    // Publishing and removing.
    case publishes, publishesAFileWithoutAName, publishesAnEmptyFile, publishesTheLongestName
    case publishesWithAGivenTime, refusesToPublishUnsyncedBytes
    case replacesNoFileThatIsBeingWritten
    case keepsAnExistingFile, replacesAFileWhenAllowed, neverReplacesWhatIsNoFile
    case isClosedWhenItIsPublished
    case refusesToPublishAReplacedPartFile, removesItsPartFileOnly, removesLinksOnly
    case readsAFinishedFileThatIsLocked

    /// Checks the behaviour on its own stage.
    package func check(on stage: any PartFileSystemStage) async throws {
        let suite = PartFileSystemSuite(stage: stage)
        switch self {
        case .surveysAnEmptyDirectory: try await suite.surveysAnEmptyDirectory()
        case .surveysEachKindWithoutFollowingLinks: try await suite.surveysEachKindWithoutFollowingLinks()
        case .namesTheMissingDirectory: try await suite.namesTheMissingDirectory()
        case .measuresFreeSpace: try await suite.measuresFreeSpace()
        case .tellsNamesApartByTheirBytes: try await suite.tellsNamesApartByTheirBytes()
        case .tellsTheDeviceOfTheDirectory: try await suite.tellsTheDeviceOfTheDirectory()
        case .createsAPartFileAndFindsItAgain: try await suite.createsAPartFileAndFindsItAgain()
        case .hasNoNameBeforeItTakesIt: try await suite.hasNoNameBeforeItTakesIt()
        case .leavesAnEmptyFileOfAnotherProgram: try await suite.leavesAnEmptyFileOfAnotherProgram()
        case .refusesANameThatWasTakenMeanwhile: try await suite.refusesANameThatWasTakenMeanwhile()
        case .refusesAForeignPartFile: try await suite.refusesAForeignPartFile()
        case .tellsThatAPartFileIsBeingWritten: try await suite.tellsThatAPartFileIsBeingWritten()
        case .createsAPartFileWithASurvey: try await suite.createsAPartFileWithASurvey()
        case .createsAWholeFileWithASurvey: try await suite.createsAWholeFileWithASurvey()
        case .adoptsTheFileWithTheFinalName: try await suite.adoptsTheFileWithTheFinalName()
        case .givesAnAdoptedFileBack: try await suite.givesAnAdoptedFileBack()
        case .letsOneOfManyCreatorsWin: try await suite.letsOneOfManyCreatorsWin()
        case .locksAnOpenPartFile: try await suite.locksAnOpenPartFile()
        case .refusesAReplacedPartFile: try await suite.refusesAReplacedPartFile()
        case .reportsAnAbsentPartFile: try await suite.reportsAnAbsentPartFile()
        case .writesInAnyOrderAndLeavesZerosBetween: try await suite.writesInAnyOrder()
        case .writesAllAtOnce: try await suite.writesAllAtOnce()
        case .writesAWholeFile: try await suite.writesAWholeFile()
        case .writesPastFourGibibytes: try await suite.writesPastFourGibibytes()
        case .readsNoFurtherThanTheEnd: try await suite.readsNoFurtherThanTheEnd()
        case .cutsOffWhatLiesBehind: try await suite.cutsOffWhatLiesBehind()
        case .reservesWithoutChangingAnything: try await suite.reservesWithoutChangingAnything()
        case .refusesToReserveMoreThanIsFree: try await suite.refusesToReserveMoreThanIsFree()
        case .digestsKnownVectors: try await suite.digestsKnownVectors()
        case .digestsAheadWhatComesInAnyOrder: try await suite.digestsAheadWhatComesInAnyOrder()
        case .refusesToDigestWhatIsNotThere: try await suite.refusesToDigestWhatIsNotThere()
        case .refusesUseAfterClosing: try await suite.refusesUseAfterClosing()
        case .publishes: try await suite.publishes()
        case .publishesAFileWithoutAName: try await suite.publishesAFileWithoutAName()
        case .publishesAnEmptyFile: try await suite.publishesAnEmptyFile()
        case .publishesTheLongestName: try await suite.publishesTheLongestName()
        case .publishesWithAGivenTime: try await suite.publishesWithAGivenTime()
        case .refusesToPublishUnsyncedBytes: try await suite.refusesToPublishUnsyncedBytes()
        case .keepsAnExistingFile: try await suite.keepsAnExistingFile()
        case .replacesAFileWhenAllowed: try await suite.replacesAFileWhenAllowed()
        case .replacesNoFileThatIsBeingWritten: try await suite.replacesNoFileThatIsBeingWritten()
        case .neverReplacesWhatIsNoFile: try await suite.neverReplacesWhatIsNoFile()
        case .isClosedWhenItIsPublished: try await suite.isClosedWhenItIsPublished()
        case .refusesToPublishAReplacedPartFile: try await suite.refusesToPublishAReplacedPartFile()
        case .removesItsPartFileOnly: try await suite.removesItsPartFileOnly()
        case .removesLinksOnly: try await suite.removesLinksOnly()
        case .readsAFinishedFileThatIsLocked: try await suite.readsAFinishedFileThatIsLocked()
        }
    }
}

/// One run of a behaviour.
struct PartFileSystemSuite {
    let stage: any PartFileSystemStage

    var fileSystem: any PartFileSystem { stage.fileSystem }

    func place(_ name: String = "file.bin") throws -> FilePlace {
        FilePlace(directory: stage.directory, name: try FileName(userGiven: name))
    }

    /// Expects `body` to fail with one code, and returns the problem.
    @discardableResult
    func expect(
        _ code: TransferFailure.Code,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async -> StorageProblem? {
        do {
            try await body()
            Issue.record("expected \(code), and it succeeded", sourceLocation: sourceLocation)
            return nil
        } catch let problem as StorageProblem {
            let failure = problem.problem.failure
            #expect(failure.code == code, "\(failure)", sourceLocation: sourceLocation)
            return problem
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
            return nil
        }
    }
}
