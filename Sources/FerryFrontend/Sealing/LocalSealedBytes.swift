import FerrySealed

/// A sealed file on this machine.
struct LocalSealedBytes: SealedBytes {
    /// The file, as messages quote it.
    let name: String
    let file: OpenFile
    let length: Int64

    func bytes(_ range: Range<Int64>) async throws -> [UInt8] {
        do throws(FileReader.Problem) {
            return try file.bytes(at: range.lowerBound, count: Int(range.upperBound - range.lowerBound))
        } catch {
            throw CommandFailure(unreadable: name, error)
        }
    }

    func failure(_ problem: SealedProblem) -> any Error { CommandFailure(problem, in: name) }
}
