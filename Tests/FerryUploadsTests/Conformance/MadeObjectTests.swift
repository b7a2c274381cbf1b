import FerryCore
import Testing

@testable import FerryUploads

/// Uploads whose object is at the store already: its answer was lost, or the same file was uploaded before.
struct MadeObjectTests {
    typealias Pair = UploadConformanceTests.Pair

    private static let inParts: [Pair] = [.s3, .s3WithMD5, .s3WithoutChecksums, .oss]

    private func driver(_ pair: Pair, of version: Int = 0) throws -> MachineDriver {
        let file = (0..<pair.lengths[4]).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ version) }
        var driver = try MachineDriver(pair.uploads, to: pair.server, [file], partSize: pair.partSize)
        driver.work.specification.protocolName = pair == .oss ? .oss : .s3
        return driver
    }

    /// How many exchanges an upload takes.
    private func exchanges(_ pair: Pair) throws -> Int {
        var whole = try driver(pair)
        _ = whole.run()
        return whole.exchanges
    }

    /// Adds the same upload again, as after its completion.
    private func repeated(_ driver: MachineDriver, sendsAgain: Bool = false) -> MachineDriver {
        var (driver, former) = (driver, driver.work)
        driver.work = UploadWork(former.specification)
        driver.work.specification.sendsAgain = sendsAgain
        former.dropSecrets()
        driver.work.update(former)
        return driver
    }

    @Test(arguments: inParts)
    func anObjectWhoseAnswerWasLostIsRecognised(_ pair: Pair) throws {
        let usual = try exchanges(pair)
        var driver = try driver(pair)
        driver.killedAtExchange = usual - 1
        #expect(driver.run() == .completed)
        #expect(driver.server.object == driver.versions[0] && driver.server.openUploads == 0)
        #expect(driver.exchanges == usual + 2, "the object is looked at, and the upload removed")
    }

    @Test func aWholeFileWhoseAnswerWasLostIsRecognised() throws {
        var driver = try driver(.s3Whole)
        driver.killedAtExchange = 0
        #expect(driver.run() == .completed)
        #expect(driver.server.object == driver.versions[0] && driver.exchanges == 2)
    }

    /// The store cannot tell it from the one that is to be made.
    @Test(arguments: inParts)
    func thePartsBesideAnEqualObjectAreRemoved(_ pair: Pair) throws {
        var driver = try driver(pair)
        #expect(driver.run() == .completed)
        driver = repeated(driver, sendsAgain: true)
        driver.killedAtRecord = driver.records + 3
        #expect(driver.run() == .completed)
        #expect(driver.server.object == driver.versions[0] && driver.server.openUploads == 0)
    }

    @Test(arguments: inParts)
    func anotherObjectIsNotTakenForIt(_ pair: Pair) throws {
        var other = try driver(pair, of: 1)
        #expect(other.run() == .completed)
        for moment in 1...3 {
            var driver = try driver(pair)
            driver.server = other.server
            driver.killedAtRecord = moment
            #expect(driver.run() == .completed)
            #expect(driver.server.object == driver.versions[0], "killed after record \(moment)")
        }
    }

    @Test(arguments: inParts + [.s3Whole])
    func aFileThatTheStoreStillHasIsNotSentAgain(_ pair: Pair) throws {
        var driver = try driver(pair)
        #expect(driver.run() == .completed)
        for _ in 0..<2 {
            driver = repeated(driver)
            let before = driver.exchanges
            #expect(driver.run() == .completed && driver.exchanges == before + 1)
            #expect(driver.work.progress.note?.code == .upToDate)
            #expect(driver.work.progress.received == Int64(driver.versions[0].count))
        }
        driver = repeated(driver, sendsAgain: true)
        let before = driver.exchanges
        #expect(driver.run() == .completed)
        #expect(driver.exchanges == before + (try exchanges(pair)))
    }

    @Test(arguments: inParts + [.s3Whole])
    func aStoreThatDoesNotAnswerIsAskedAgain(_ pair: Pair) throws {
        var driver = try driver(pair)
        #expect(driver.run() == .completed)
        driver = repeated(driver)
        let before = driver.exchanges
        driver.faults = [.busy(before), .lost(before + 1)]
        #expect(driver.run() == .completed && driver.exchanges == before + 3)
    }

    @Test(arguments: inParts + [.s3Whole])
    func aFileIsSentAgainIfItOrTheObjectWasChanged(_ pair: Pair) throws {
        var driver = try driver(pair)
        #expect(driver.run() == .completed)
        var other = try self.driver(pair, of: 1)
        other.server = driver.server
        #expect(other.run() == .completed)
        var replaced = repeated(driver)
        replaced.server = other.server
        #expect(replaced.run() == .completed)
        #expect(replaced.server.object == replaced.versions[0])
        #expect(replaced.work.progress.note?.code == .sentAgain)
        // The next look at the file finds another version of it.
        var changed = repeated(driver)
        changed.versions.append(Array(driver.versions[0].reversed()))
        changed.work.specification.startsOverOnChange = true
        #expect(changed.run() == .completed && changed.server.object == changed.versions[1])
    }

    @Test func fieldsThatTheStoreDoesNotTellAreSentAgain() throws {
        var driver = try driver(.s3)
        #expect(driver.run() == .completed)
        for (field, exchanges) in [
            ("x-amz-storage-class", 1 + (try exchanges(.s3))), ("x-amz-request-payer", 1),
            ("If-None-Match", 1),
        ] {
            var again = repeated(driver)
            again.work.specification.fields = [HeaderField(name: field, value: "GLACIER")]
            let before = again.exchanges
            #expect(again.run() == .completed && again.exchanges == before + exchanges, "\(field)")
        }
    }
}
