import FerryCore
import HTTPTypes
import Testing

@testable import FerryUploads

/// Each request sends all that is left of its part. A server that keeps almost nothing of it would be sent the file a thousand
/// times.
struct HardlyTakenTests {
    /// A server of tus that keeps only the beginning of each body.
    private struct SippingServer: ModelServer {
        private var base = TusServer()
        /// How many bytes it keeps of each body, one after the other; the last number counts for all further ones.
        private var mouthfuls: [Int]

        init(_ mouthfuls: [Int]) { self.mouthfuls = mouthfuls }

        var object: [UInt8]? { base.object }
        var openUploads: Int { base.openUploads }
        var lies: Bool {
            get { base.lies }
            set { base.lies = newValue }
        }

        mutating func answers(_ request: UploadRequest, _ body: [UInt8], isCut: Bool) -> [UploadAnswer] {
            guard request.method == .patch else { return base.answers(request, body, isCut: isCut) }
            let count = mouthfuls.count > 1 ? mouthfuls.removeFirst() : mouthfuls[0]
            return base.answers(request, Array(body.prefix(count)), isCut: isCut)
        }

        mutating func forget() { base.forget() }
        mutating func shrink() { base.shrink() }
    }

    private static let file = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 5) }

    private func driver(_ mouthfuls: [Int]) throws -> MachineDriver {
        try MachineDriver(Tus(), to: SippingServer(mouthfuls), [Self.file], partSize: 5000)
    }

    @Test("less than a thousandth of each request ends the attempt", arguments: [1, 4])
    func ends(mouthful: Int) throws {
        var driver = try driver([mouthful])
        guard case .outcome(.failed(let problem)) = driver.attempt() else {
            Issue.record("the upload goes on")
            return
        }
        #expect(problem.failure.code == .badResponse && problem.disposition == .transient(retryAfter: nil))
        #expect(problem.failure.message.contains("less than a thousandth"))
        #expect(driver.exchanges < 12 && driver.work.progress.confirmed >= Int64(mouthful))
    }

    @Test(
        "a thousandth of each request is enough, and a server may hesitate at first",
        arguments: [[5], [1, 1, 1, 1, 1, 5000]]
    )
    func completes(mouthfuls: [Int]) throws {
        var driver = try driver(mouthfuls)
        guard case .outcome(.completed) = driver.attempt() else {
            Issue.record("the upload has ended")
            return
        }
        #expect(driver.server.object == Self.file)
    }
}
