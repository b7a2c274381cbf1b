import FerryCore
import HTTPTypes
import Testing

@testable import FerryUploads

/// What holds for every protocol, against a model of its server.
struct UploadConformanceTests {
    /// A protocol, and the server that it meets.
    enum Pair: String, CaseIterable, CustomTestStringConvertible {
        case tus, tusWithChecksums
        case ietf, ietfByPost, ietfInParts, ietfReserved, ietfPlain
        case ietfEarlier, ietfEarlierReserved
        case s3, s3WithMD5, s3WithoutChecksums, s3Whole, oss
        case google, googleWhole

        var testDescription: String { rawValue }

        var uploads: any UploadProtocol {
            switch self {
            case .tus, .tusWithChecksums: Tus()
            case .ietf, .ietfByPost, .ietfInParts, .ietfReserved, .ietfPlain, .ietfEarlier,
                .ietfEarlierReserved:
                ResumableHTTP()
            case .s3, .s3WithoutChecksums: S3(longestWhole: 0)
            case .s3WithMD5: S3(checksum: .md5, longestWhole: 0)
            case .s3Whole: S3()
            case .oss: S3(.alibaba, longestWhole: 0)
            case .google: GoogleResumable(longestWhole: 0)
            case .googleWhole: GoogleResumable()
            }
        }

        var server: any ModelServer {
            switch self {
            case .tus: return TusServer()
            case .tusWithChecksums: return TusServer(extensions: "creation,termination,checksum")
            case .ietf, .ietfByPost: return DraftServer()
            case .ietfInParts: return DraftServer(longestAppend: 40)
            case .ietfReserved: return DraftServer(longestAppend: 40, isReserved: true)
            case .ietfPlain: return DraftServer(isPlain: true)
            case .ietfEarlier: return DraftServer(longestAppend: 40, version: "6")
            case .ietfEarlierReserved:
                return DraftServer(longestAppend: 40, isReserved: true, version: "7")
            case .s3, .s3WithMD5, .s3Whole: return StoreServer(.amazon)
            case .s3WithoutChecksums: return StoreServer(.amazon, hasChecksums: false)
            case .oss: return StoreServer(.alibaba)
            case .google, .googleWhole: return GoogleServer()
            }
        }

        /// The length of a part, small enough that a short file has several.
        var partSize: Int { self == .google ? 256 << 10 : 40 }

        /// No two parts of it are equal, so that their order shows.
        private static let bytes = (0..<(2 * (256 << 10) + 5)).map {
            UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 5)
        }

        /// Empty, a byte, a part, a byte more, and several parts.
        var lengths: [Int] { [0, 1, partSize, partSize + 1, 2 * partSize + 5] }

        func driver(_ length: Int, _ faults: Set<UploadDriver.Fault> = []) throws -> UploadDriver {
            let file = Array(Self.bytes.prefix(length))
            let url = try HTTPURL(parsing: "https://up.example/files/k")
            var driver = UploadDriver(uploads, to: server, file, at: url, partSize: Int64(partSize))
            driver.faults = faults
            if self == .ietfByPost { driver.record.method = .post }
            return driver
        }

        /// How many exchanges an upload takes when nothing goes wrong.
        func exchanges() throws -> Int {
            var driver = try driver(lengths[4])
            _ = try driver.run()
            return driver.steps.count
        }
    }

    private func expectDone(_ driver: UploadDriver, _ outcome: UploadDriver.Outcome, _ comment: String = "") {
        guard case .done = outcome else {
            Issue.record("\(comment): \(outcome) after \(driver.steps)")
            return
        }
        #expect(driver.server.object == driver.file, "\(comment)")
    }

    @Test(arguments: Pair.allCases)
    func filesOfEveryLengthArrive(_ pair: Pair) throws {
        for length in pair.lengths {
            var driver = try pair.driver(length)
            let outcome = try driver.run()
            expectDone(driver, outcome, "\(length) bytes")
            #expect(driver.server.openUploads == 0)
        }
    }

    @Test(arguments: Pair.allCases)
    func aFileArrivesWhateverBreaksOnce(_ pair: Pair) throws {
        for place in try 0..<pair.exchanges() {
            for fault in Self.faults(at: place) {
                var driver = try pair.driver(pair.lengths[4], [fault])
                let outcome = try driver.run()
                expectDone(driver, outcome, "\(fault)")
            }
        }
    }

    private static func faults(at place: Int) -> [UploadDriver.Fault] {
        [.lost(place), .dropped(place), .cut(place), .busy(place), .forgotten(place), .shrunk(place)]
    }

    @Test(arguments: Pair.allCases)
    func aFileArrivesWhateverBreaksTwice(_ pair: Pair) throws {
        let count = try pair.exchanges()
        for first in 0..<count {
            for second in first..<min(count + 3, first + 3) {
                for one in Self.faults(at: first) {
                    for other in Self.faults(at: second) where one != other {
                        var driver = try pair.driver(
                            pair == .google ? pair.partSize + 5 : pair.lengths[4],
                            [one, other]
                        )
                        let outcome = try driver.run()
                        expectDone(driver, outcome, "\(one), \(other)")
                    }
                }
            }
        }
    }

    @Test(arguments: Pair.allCases)
    func anotherProcessGoesOn(_ pair: Pair) throws {
        for limit in try 0..<pair.exchanges() {
            var driver = try pair.driver(pair.lengths[4])
            #expect(try driver.run(upTo: limit) == .endless)
            let outcome = try driver.resume()
            expectDone(driver, outcome, "after \(limit) exchanges")
        }
    }

    @Test(arguments: Pair.allCases)
    func anUploadThatIsGivenUpLeavesNothing(_ pair: Pair) throws {
        for limit in try 0..<pair.exchanges() {
            var driver = try pair.driver(pair.lengths[4])
            _ = try driver.run(upTo: limit)
            if driver.record.handle != nil {
                #expect(try driver.abort())
                // The answer may have been lost.
                #expect(try driver.abort())
            }
            #expect(driver.server.openUploads == 0 && driver.server.object == nil)
        }
    }

    @Test(arguments: Pair.allCases.filter { ![.ietfPlain, .s3Whole, .googleWhole].contains($0) })
    func aServerThatClaimsTooMuchIsNotBelieved(_ pair: Pair) throws {
        var failures = 0
        for limit in try 0..<pair.exchanges() {
            var driver = try pair.driver(pair.lengths[4])
            _ = try driver.run(upTo: limit)
            driver.server.lies = true
            switch try driver.resume() {
            case .done: #expect(driver.server.object == driver.file)
            case .failed(let problem):
                failures += 1
                #expect(problem.failure.code == .badResponse && problem.disposition == .permanent)
            case .notSpoken, .endless: Issue.record("after \(limit) exchanges: \(driver.steps)")
            }
        }
        #expect(failures > 0)
    }
}
