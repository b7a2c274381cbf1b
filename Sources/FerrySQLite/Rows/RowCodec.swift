import FerryCore
import Synchronization

/// Writes transfers as rows and reads them, and remembers what this process has written.
final class RowCodec: Sendable {
    /// The parts that are texts.
    let texts = StoredTexts()
    /// What could not be read.
    let damage: DamageLog
    private let works = Mutex(RememberedWorks())

    /// Creates a codec.
    ///
    /// - Parameter damage: records rows that cannot be read; shared by all readers and writers of one store.
    init(damage: DamageLog = DamageLog()) {
        self.damage = damage
    }

    /// Encodes a progress before the transaction that writes it, so that no other writer waits meanwhile.
    func encode(_ progress: WorkProgress) throws -> RememberedProgress {
        RememberedProgress(progress, try StoredProgress(progress, codec: self))
    }

    /// Encodes the progress of a claimed transfer that is probably written next.
    func prepare(_ progress: WorkProgress, of id: TransferID) {
        // What cannot be encoded fails when it is written.
        guard work(of: id) != nil else { return }
        let encoded: RememberedProgress
        do { encoded = try encode(progress) } catch { return }
        works.withLock { $0.prepare(encoded, of: id) }
    }

    /// Encodes the progress that the end of an attempt leaves. A completed transfer keeps no secrets.
    ///
    /// This assumes that the request was not edited since the claim, and that no wish changes the end. Otherwise the
    /// progress may be another one, which is encoded when it is written.
    func prepare(_ settlement: Settlement, of id: TransferID) {
        guard var work = work(of: id)?.new.work else { return }
        work.take(settlement)
        if settlement.state.name.isOver { work.dropSecrets() }
        prepare(work.progress, of: id)
    }

    /// The columns of a progress that is written now.
    ///
    /// Equal texts may differ in octets. So a caller that prepares a progress must write exactly that one.
    func columns(of progress: WorkProgress, of id: TransferID) throws -> StoredProgress {
        let prepared = works.withLock { $0.progress(of: id).prepared }
        guard let prepared, prepared.progress == progress else {
            return try StoredProgress(progress, codec: self)
        }
        noteWritten(prepared, of: id)
        return prepared.columns
    }

    /// Notes that an encoded progress is written now.
    func noteWritten(_ progress: RememberedProgress, of id: TransferID) {
        works.withLock { $0.write(progress, of: id) }
    }

    /// The progress of a transfer, if this process has encoded it as these columns.
    func progress(
        of id: TransferID,
        in columns: @autoclosure () throws -> StoredProgress
    ) rethrows -> WorkProgress? {
        let known = works.withLock { $0.progress(of: id) }
        guard known.written != nil || known.prepared != nil else { return nil }
        let columns = try columns()
        if let written = known.written, written.columns.isSame(as: columns) { return written.progress }
        if let prepared = known.prepared, prepared.columns.isSame(as: columns) { return prepared.progress }
        return nil
    }

    /// Forgets the progress of a transfer that no one here runs any more.
    func forgetProgress(of id: TransferID) {
        works.withLock { $0.forgetProgress(of: id) }
    }

    /// Remembers the request of a claimed transfer, because the end of the attempt needs it again.
    func remember(_ work: RememberedWork, of id: TransferID) {
        works.withLock { $0.remember(work, of: id) }
    }

    /// The remembered request of a transfer.
    func work(of id: TransferID) -> RememberedWork? { works.withLock { $0[id] } }
}
