import FerryCore
import FerryUploads

/// Removes from servers what they hold of cancelled uploads.
struct UploadRemover: Sendable {
    let configuration: EngineConfiguration
    let seams: EngineSeams
    let network: NetworkWatch

    /// Asks the server to remove an upload.
    ///
    /// - Returns: why it did not; `nil` if nothing is left of it there.
    func problem(removing work: UploadWork, of id: TransferID) async -> Problem? {
        let uploads = work.specification.protocolName.wire
        let length = work.progress.source?.length ?? work.specification.file.length
        let record = UploadRecord(work.specification, work.progress, length: length)
        let request: UploadRequest
        do throws(TransferFailure) {
            request = try uploads.request(for: .abort, of: record)
        } catch {
            return Problem(error, .permanent)
        }
        guard case .bytes(let bytes) = request.body else {
            return .permanent(.internalFault, "The removal of an upload carries no file.")
        }
        let sender = UploadSender(work.specification, configuration, seams: seams)
        let watched = network.begin(isReplaceable: request.isRepeatable)
        return await watched.run { [seams] in
            do {
                let answer = try await sender.answer(to: request, carrying: .bytes(bytes), in: watched)
                switch uploads.reading(answer, to: .abort, of: record, at: seams.clock.now) {
                case .removed, .gone: return nil
                case .failed(let problem): return problem
                default:
                    return .transient(.badResponse, "The answer to the removal of an upload means nothing.")
                }
            } catch let problem as Problem {
                return problem
            } catch {
                return .unexpected(error, met: "The removal of an upload")
            }
        }
    }
}
