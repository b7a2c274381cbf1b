import FerryCore
import FoundationEssentials
import Synchronization

/// Encodes the parts of a transfer as the texts that the store keeps, and decodes them.
///
/// Most transfers have the same plain options, so the codec remembers the latest such text. Without this, JSON coding
/// would be most of the cost of a row.
final class RowCodec: Sendable {
    fileprivate struct Memory {
        var encoded: (options: DownloadOptions, text: String?)?
        var decoded: (text: String, options: DownloadOptions)?
        var plain: DownloadOptions?
        /// The progress written last, by its text.
        var progressByText: [String: StoredDownloadProgress] = [:]
        /// Their texts, oldest first, in a ring.
        var texts: [String] = []
        var nextText = 0
        var works = RememberedWorks()
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

    /// Maximum texts remembered: more than the number of simultaneous attempts.
    static let rememberedProgress = 64

    /// The stored text of a progress's small parts.
    ///
    /// The codec remembers it, because the end of an attempt reads the row that the attempt wrote last.
    func encode(_ progress: StoredDownloadProgress) throws -> String {
        let text = try encodeJSON(progress)
        memory.withLock { $0.remember(progress, as: text) }
        return text
    }

    /// Reads the stored text of a progress's small parts.
    func decodeProgress(_ text: String) throws -> StoredDownloadProgress {
        let known = memory.withLock { memory in
            memory.progressByText.index(forKey: text).map { memory.progressByText[$0] }
        }
        // Compared by octets, as above.
        if let known, known.key.utf8.elementsEqual(text.utf8) { return known.value }
        return try decodeJSON(StoredDownloadProgress.self, from: text)
    }

    /// Remembers the request of a claimed transfer, because the end of the attempt needs it again.
    func remember(_ work: RememberedWork, of id: TransferID) {
        memory.withLock { $0.works.remember(work, of: id) }
    }

    /// The remembered request of a transfer.
    func work(of id: TransferID) -> RememberedWork? { memory.withLock { $0.works[id] } }

    /// The JSON text of a value.
    func encodeJSON(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Reads the JSON text of a value.
    func decodeJSON<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}

extension RowCodec.Memory {
    fileprivate mutating func remember(_ progress: StoredDownloadProgress, as text: String) {
        guard progressByText[text] == nil else { return }
        progressByText[text] = progress
        if texts.count < RowCodec.rememberedProgress { return texts.append(text) }
        progressByText[texts[nextText]] = nil
        texts[nextText] = text
        nextText = (nextText + 1) % texts.count
    }
}

extension DownloadOptions {
    /// Whether these options contain no text, so that equal values are also equal octet for octet.
    fileprivate var equalsOnlyItself: Bool {
        headers.isEmpty && credentials == nil && checksum == nil && connection.proxy == nil && proxies == nil
            && connection.certificateAuthorityFile == nil && connection.clientCertificate == nil
            && connection.localAddress == nil
            && connection.hostOverrides.isEmpty && mirrors.isEmpty && pieces == nil && cache == nil
            && recipients.isEmpty
    }
}
