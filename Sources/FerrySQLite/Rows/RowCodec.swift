import FerryCore
import FoundationEssentials
import Synchronization

/// Encodes the parts of a transfer as the texts that the store keeps, and decodes them.
///
/// Most transfers have the same plain options, so the codec remembers the latest such text. Without this, JSON coding
/// would be most of the cost of a row.
final class RowCodec: Sendable {
    private struct Memory {
        var encoded: (options: DownloadOptions, text: String?)?
        var decoded: (text: String, options: DownloadOptions)?
        var plain: DownloadOptions?
        var textsByRequest: [RequestSpecification: String] = [:]
        var requestsByText: [String: RequestSpecification] = [:]
        var works = RememberedWorks()
        var codings = 0
    }

    /// What could not be read.
    let damage: DamageLog
    private let memory = Mutex(Memory())

    /// Creates a codec.
    ///
    /// - Parameter damage: records rows that cannot be read; shared by all readers and writers of one store.
    init(damage: DamageLog = DamageLog()) {
        self.damage = damage
    }

    /// The options that are stored as NULL: those of most transfers, so that their rows stay small.
    ///
    /// This text never changes, even if the defaults do. Stored rows keep their meaning, and other defaults
    /// are written out. So an option that is added later is left out of the JSON while it has its default.
    static let plainOptions =
        #"{"exchange":{"allowsDowngrade":false,"connection":{"connectTimeout":[1,11553255926290448384],"#
        + #""idleTimeout":[3,4659767778871345152],"lowSpeedTime":[1,11553255926290448384],"#
        + #""trustsAnyCertificate":false},"headers":[],"redirectLimit":20},"existingFile":"fail","#
        + #""ignoredQuery":[],"ignoresServerDigests":false,"ignoresServerMirrors":false,"#
        + #""keepsMismatch":false,"mirrors":[],"onChange":"automatic","strictResume":false,"#
        + #""terms":{"rateLimit":null,"retries":19,"runsInBackground":true,"window":"off"}}"#

    /// The stored text of the small parts of a progress.
    func encode(_ progress: StoredDownloadProgress) throws -> String {
        guard let text = progress.plainText else { return try encodeJSON(progress) }
        memory.withLock { $0.codings += 1 }
        return text
    }

    /// The stored text of options.
    func encode(_ options: DownloadOptions) throws -> String? {
        guard options.equalsOnlyItself else { return try encodeJSON(options) }
        let known = memory.withLock { $0.encoded }
        if let known, known.options == options { return known.text }
        let json = try encodeJSON(options)
        let text = json == Self.plainOptions ? nil : json
        memory.withLock { $0.encoded = (options, text) }
        return text
    }

    /// Reads the stored text of options.
    func decodeOptions(_ stored: String?) throws -> DownloadOptions {
        guard let text = stored else { return try decodePlainOptions() }
        let known = memory.withLock { $0.decoded }
        // Compared by octets: texts that are only canonically equivalent are different options.
        if let known, known.text.utf8.elementsEqual(text.utf8) { return known.options }
        let options = try decodeJSON(DownloadOptions.self, from: text)
        memory.withLock { $0.decoded = (text, options) }
        return options
    }

    private func decodePlainOptions() throws -> DownloadOptions {
        if let known = memory.withLock({ $0.plain }) { return known }
        let options = try decodeJSON(DownloadOptions.self, from: Self.plainOptions)
        memory.withLock { $0.plain = options }
        return options
    }

    /// Maximum texts of requests that are remembered. Requests that differ only in what is stored apart have 256 texts, because
    /// of their checksums.
    static let rememberedRequests = 512

    /// The stored text of a request without what is stored apart.
    func encode(_ request: RequestSpecification) throws -> String {
        guard request.equalsOnlyItself else { return try encodeJSON(request) }
        if let known = memory.withLock({ $0.textsByRequest[request] }) { return known }
        let text = try encodeJSON(request)
        memory.withLock { memory in
            if memory.textsByRequest.count >= Self.rememberedRequests { memory.textsByRequest = [:] }
            memory.textsByRequest[request] = text
        }
        return text
    }

    /// Reads the stored text of a request.
    func decodeRequest(_ text: String) throws -> RequestSpecification {
        let known = memory.withLock { memory in
            memory.requestsByText.index(forKey: text).map { memory.requestsByText[$0] }
        }
        // Compared by octets, as above.
        if let known, known.key.utf8.elementsEqual(text.utf8) { return known.value }
        let request = try decodeJSON(RequestSpecification.self, from: text)
        memory.withLock { memory in
            if memory.requestsByText.count >= Self.rememberedRequests { memory.requestsByText = [:] }
            // A text that is only canonically equivalent may be there. A new value would get the old key.
            if memory.requestsByText[text] == nil { memory.requestsByText[text] = request }
        }
        return request
    }

    // MARK: What this process has written

    /// Encodes the progress of a claimed transfer before it is written, so that no other writer waits meanwhile.
    func prepare(_ progress: WorkProgress, of id: TransferID) {
        // What cannot be encoded fails when it is written.
        guard work(of: id) != nil else { return }
        let columns: StoredProgress
        do { columns = try StoredProgress(progress, codec: self) } catch { return }
        memory.withLock { $0.works.prepare(RememberedProgress(progress, columns), of: id) }
    }

    /// Encodes the progress that the end of an attempt leaves. A completed transfer keeps no secrets.
    ///
    /// This assumes that the request was not edited since the claim, and that there is no wish. Otherwise the progress
    /// may be another one, which is encoded when it is written.
    func prepare(_ settlement: Settlement, of claim: Claim, at now: Instant) {
        guard let known = work(of: claim.transfer) else { return }
        var transfer = Transfer(id: claim.transfer, adding: known.new, at: known.added)
        transfer.becomeActive(for: claim.owner, token: claim.token, at: now)
        transfer.settle(settlement, at: now)
        prepare(transfer.work.progress, of: claim.transfer)
    }

    /// The columns of a progress that is written now.
    ///
    /// Equal texts may differ in octets, so whoever prepares a progress writes exactly this one.
    func columns(of progress: WorkProgress, of id: TransferID) throws -> StoredProgress {
        let prepared = memory.withLock { $0.works.progress(of: id).prepared }
        guard let prepared, prepared.progress == progress else {
            return try StoredProgress(progress, codec: self)
        }
        memory.withLock { $0.works.write(prepared, of: id) }
        return prepared.columns
    }

    /// The progress of a transfer, if this process has encoded it as these columns.
    func progress(
        of id: TransferID,
        in columns: @autoclosure () throws -> StoredProgress
    ) rethrows -> WorkProgress? {
        let known = memory.withLock { $0.works.progress(of: id) }
        guard known.written != nil || known.prepared != nil else { return nil }
        let columns = try columns()
        if let written = known.written, written.columns.isSame(as: columns) { return written.progress }
        if let prepared = known.prepared, prepared.columns.isSame(as: columns) { return prepared.progress }
        return nil
    }

    /// Forgets the progress of a transfer that no one here runs any more.
    func forgetProgress(of id: TransferID) {
        memory.withLock { $0.works.forgetProgress(of: id) }
    }

    /// Remembers the request of a claimed transfer, because the end of the attempt needs it again.
    func remember(_ work: RememberedWork, of id: TransferID) {
        memory.withLock { $0.works.remember(work, of: id) }
    }

    /// The remembered request of a transfer.
    func work(of id: TransferID) -> RememberedWork? { memory.withLock { $0.works[id] } }

    // MARK: JSON

    /// The number of values that were encoded or decoded. Tests compare it.
    var codings: Int { memory.withLock { $0.codings } }

    /// The JSON text of a value.
    func encodeJSON(_ value: some Encodable) throws -> String {
        memory.withLock { $0.codings += 1 }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Reads the JSON text of a value.
    func decodeJSON<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        memory.withLock { $0.codings += 1 }
        return try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}

extension DownloadOptions {
    /// Whether these options contain no text, so that equal values are also equal octet for octet.
    fileprivate var equalsOnlyItself: Bool {
        exchange.equalsOnlyItself && checksum == nil && mirrors.isEmpty && pieces == nil && cache == nil
            && recipients.isEmpty
    }
}

extension RequestSpecification {
    /// Whether it contains no text but its method, so that equal values are also equal octet for octet.
    fileprivate var equalsOnlyItself: Bool {
        exchange.equalsOnlyItself && key == nil && values.isEmpty && responseFile == nil
            && body == StoredBody()
            && url == .storedApart
    }
}

extension ExchangeTerms {
    /// Whether these terms contain no text.
    fileprivate var equalsOnlyItself: Bool {
        headers.isEmpty && credentials == nil && connection.proxy == nil && proxies == nil && store == nil
            && connection.certificateAuthorityFile == nil && connection.clientCertificate == nil
            && connection.localAddress == nil && connection.hostOverrides.isEmpty
    }
}
