import FerryCore
import Testing

@testable import FerryIO

@Suite("Files of certificates that are missing")
struct MissingFilesTests {
    private func at(_ seconds: Int64) -> Instant { Instant(milliseconds: seconds * 1000) }

    @Test func aFileThatWasNeverThereDoesNotComeBack() {
        var files = MissingFiles()
        files.found("/other.pem")
        #expect(files.mayComeBack("/own.pem", at: at(0)) == false)
        #expect(files.mayComeBack("/own.pem", at: at(1)) == false)
    }

    @Test func aFileThatWasThereMayComeBackWithinTheTimeOfARenewal() {
        var files = MissingFiles()
        files.found("/own.pem")
        let answers = [1000, 1001, 1119, 1120, 5000].map { files.mayComeBack("/own.pem", at: at($0)) }
        #expect(answers == [true, true, true, false, false])
        files.found("/own.pem")
        #expect(files.mayComeBack("/own.pem", at: at(6000)) == true, "the next renewal has its own time")
    }

    @Test func theirNumberIsBounded() {
        var files = MissingFiles()
        for number in 0..<1_000 { files.found("/\(number).pem") }
        let known = (0..<1_000).filter { files.mayComeBack("/\($0).pem", at: at(0)) }
        #expect(known.count <= 256 && known.last == 999)
    }
}
