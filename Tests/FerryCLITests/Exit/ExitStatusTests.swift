import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite struct ExitStatusTests {
    /// The whole table, written a second time: a change of one must be a change of both.
    static let table: [TransferFailure.Code: Int32] = [
        .attemptsExhausted: 1, .notFound: 3, .gone: 3, .notAuthorised: 24, .forbidden: 24, .urlExpired: 24,
        .refused: 22, .badResponse: 22, .serverOverloaded: 29, .serverError: 22, .tooManyRedirects: 23,
        .redirectRefused: 22, .resourceReplaced: 8, .resourceChanged: 8, .cannotResume: 8,
        .checksumMismatch: 32, .tooLong: 63, .nameNotResolved: 19, .connectionRefused: 6,
        .connectionLost: 6, .networkUnreachable: 6, .timeout: 2, .tooSlow: 2, .tlsFailed: 6, .proxyFailed: 6,
        .destinationExists: 13, .cannotCreate: 16, .cannotOpen: 15, .diskFull: 9, .storageFault: 1,
        .partFileLost: 8, .destinationMoved: 16, .dependencyFailed: 1, .headFailed: 1, .outcomeUnknown: 33,
        .responseLost: 1,
        .deadlinePassed: 2, .bodyChanged: 1, .valueMissing: 1, .streamLost: 1,
        .streamStopped: 7,
        .gaveWay: 1,
        .internalFault: 1,
    ]

    @Test(arguments: TransferFailure.Code.allCases)
    func everyCodeHasItsStatus(_ code: TransferFailure.Code) throws {
        let expected = try #require(Self.table[code])
        #expect(ExitStatus(code).rawValue == expected)
        #expect(ExitStatus(TransferFailure(code, "")).rawValue == expected)
    }

    @Test(arguments: TransferFailure.Code.allCases)
    func exhaustedAttemptsEndWithTheStatusOfTheirCause(_ code: TransferFailure.Code) throws {
        let failure = TransferFailure(.attemptsExhausted, "", cause: code)
        #expect(ExitStatus(failure).rawValue == Self.table[code])
    }

    @Test func aLostResponseEndsWithTheStatusOfItsCause() {
        #expect(ExitStatus(TransferFailure(.responseLost, "", cause: .diskFull)).rawValue == 9)
    }

    @Test func aFailureNeverEndsWithZero() {
        for code in TransferFailure.Code.allCases { #expect(ExitStatus(code) != .done) }
    }

    @Test func statesThatCanGoOnEndWithSeven() {
        let states: [TransferState] = [
            .queued, .active, .paused, .waiting(.newURL), .waiting(.diskSpace(needed: 1)),
            .waiting(.diskMount), .waiting(.network), .waiting(.retry(at: .epoch)),
        ]
        for state in states { #expect(ExitStatus(state).rawValue == 7) }
        #expect(ExitStatus(TransferState.completed).rawValue == 0)
        #expect(ExitStatus(TransferState.cancelled).rawValue == 1)
    }

    @Test("a request of unknown outcome that is not resumed ends as it did when it failed")
    func resuming() throws {
        for (code, status) in [(.outcomeUnknown, 33), (.responseLost, 1)] as [(TransferFailure.Code, Int32)] {
            let transfer = try Sample.transfer(state: .failed(TransferFailure(code, "")))
            let error = StoreError.notPossible(transfer.id, "It is not sent again.", [.confirmArrival])
            let failure = CommandFailure(resuming: transfer, error)
            #expect(failure.status.rawValue == status && failure.transfer == transfer.id)
            #expect(failure.message == "It is not sent again." && failure.code == "notPossible")
        }
    }

    @Test func failuresOfTheStoreHaveTheirStatus() {
        #expect(ExitStatus(StoreError.corrupt(path: "", "")).rawValue == 15)
        #expect(ExitStatus(StoreError.newer(path: "")).rawValue == 15)
        #expect(ExitStatus(StoreError.writeFailed(path: "", "", isDiskFull: true)).rawValue == 9)
        #expect(ExitStatus(StoreError.writeFailed(path: "", "", isDiskFull: false)).rawValue == 1)
        #expect(ExitStatus(StoreError.noSuchTransfer(TransferID(rawValue: 1))).rawValue == 1)
        #expect(ExitStatus(StoreError.notPossible(TransferID(rawValue: 1), "")).rawValue == 1)
        #expect(ExitStatus(StoreError.notPossible(TransferID(rawValue: 1), "", [.mountDisk])).rawValue == 15)
    }
}
