import FerryCore

/// The request of a transfer as a claim has read it. The settlement reuses it unless the request was edited.
///
/// A class, because it is large and its rows are copied.
final class RememberedWork: Sendable {
    /// The request, without queue and priority, which are in the table `transfer`.
    let new: NewTransfer
    /// When it was added.
    let added: Instant
    /// The number of its changes.
    let revision: Int64

    /// Creates it from the columns that were read.
    init(new: NewTransfer, added: Instant, revision: Int64) {
        self.new = new
        self.added = added
        self.revision = revision
    }
}

/// A progress of a transfer as this process has encoded it.
///
/// A class, because it is large and copied.
final class RememberedProgress: Sendable {
    /// The progress.
    let progress: WorkProgress
    /// Its columns.
    let columns: StoredProgress

    /// Pairs a progress with its columns.
    init(_ progress: WorkProgress, _ columns: StoredProgress) {
        (self.progress, self.columns) = (progress, columns)
    }
}

/// The encoded progress of a transfer that runs here. The end of an attempt reads the progress that the attempt wrote
/// when the next one is already encoded.
struct RememberedProgresses {
    /// The one that was written last.
    var written: RememberedProgress?
    /// The one that was encoded last, to be written next.
    var prepared: RememberedProgress?
}

/// The requests of the latest claims, in a ring, each with its progress while it runs.
struct RememberedWorks {
    /// Maximum number of requests: more than the number of simultaneous attempts.
    static let most = 256

    private var works: [TransferID: (work: RememberedWork, progress: RememberedProgresses)] = [:]
    private var ring: [TransferID] = []
    private var oldest = 0

    /// The request of a transfer, if it is remembered.
    subscript(id: TransferID) -> RememberedWork? { works[id]?.work }

    /// The encoded progress of a transfer, as far as it is remembered.
    func progress(of id: TransferID) -> RememberedProgresses { works[id]?.progress ?? RememberedProgresses() }

    /// Remembers a request; replaces the oldest one when the ring is full.
    mutating func remember(_ work: RememberedWork, of id: TransferID) {
        guard works.updateValue((work, RememberedProgresses()), forKey: id) == nil else { return }
        if ring.count < Self.most { return ring.append(id) }
        works[ring[oldest]] = nil
        ring[oldest] = id
        oldest = (oldest + 1) % Self.most
    }

    /// Remembers a progress that is to be written, if the request of its transfer is remembered.
    mutating func prepare(_ progress: RememberedProgress, of id: TransferID) {
        works[id]?.progress.prepared = progress
    }

    /// Notes that a progress is written.
    mutating func write(_ progress: RememberedProgress, of id: TransferID) {
        works[id]?.progress.written = progress
    }

    /// Forgets the progress of a transfer.
    mutating func forgetProgress(of id: TransferID) {
        works[id]?.progress = RememberedProgresses()
    }
}
