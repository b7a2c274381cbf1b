import FerryCore
import FoundationEssentials
import Synchronization

/// Writes the parts of a transfer as the texts that the store keeps, and reads them.
///
/// Most transfers have the same plain options, so the latest such text is remembered. Without this, JSON coding would be most
/// of the cost of a row.
final class StoredTexts: Sendable {
    private struct Memory {
        var encoded: (options: DownloadOptions, text: String?)?
        var shared: (holder: DownloadSpecification, text: String?)?
        var decoded: (text: String, options: DownloadOptions)?
        var read: (holder: DownloadSpecification, text: String?)?
        var textsByRequest: [RequestSpecification: String] = [:]
        var requestsByText: [String: RequestSpecification] = [:]
        var codings = 0
    }

    private let memory = Mutex(Memory())

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

    /// What ``plainOptions`` says, for the rows of most transfers. Every process would decode it otherwise.
    static let plainValue: DownloadOptions = {
        var options = DownloadOptions()
        (options.existingFile, options.onChange, options.strictResume) = (.fail, .automatic, false)
        (options.ignoresServerDigests, options.ignoresServerMirrors) = (false, false)
        (options.keepsMismatch, options.mirrors, options.ignoredQuery) = (false, [], [])
        (options.headers, options.redirectLimit, options.allowsDowngrade) = ([], 20, false)
        var connection = ConnectionOptions()
        (connection.connectTimeout, connection.idleTimeout) = (.seconds(30), .seconds(60))
        (connection.lowSpeedTime, connection.trustsAnyCertificate) = (.seconds(30), false)
        options.connection = connection
        (options.retries, options.rateLimit) = (19, .off)
        (options.runsInBackground, options.window) = (true, .always)
        return options
    }()

    /// The stored text of the small parts of a progress; `nil` if nothing is known yet.
    func encode(_ progress: DownloadProgress) throws -> String? {
        let plain = progress.plainText
        return try plain == "{}" ? nil : encode(StoredDownloadProgress(progress), plain: plain)
    }

    /// The stored text of a progress without the body of the response.
    func encode(_ progress: RequestProgress) throws -> String {
        try encode(progress, plain: progress.plainText)
    }

    private func encode<Value: Encodable>(_ value: @autoclosure () -> Value, plain: String?) throws -> String
    {
        guard let plain else { return try encodeJSON(value()) }
        memory.withLock { $0.codings += 1 }
        return plain
    }

    /// Reads the stored text of the small parts of a progress, which has these segments.
    func decodeProgress(_ text: String, segments: SegmentMap) throws -> DownloadProgress {
        guard var progress = DownloadProgress(plainText: text) else {
            return try decodeJSON(StoredDownloadProgress.self, from: text).progress(segments: segments)
        }
        memory.withLock { $0.codings += 1 }
        progress.segments = segments
        return progress
    }

    /// The stored text of the options of a download.
    ///
    /// Downloads of one list or mirror share the storage of their options. Then these are the same octet for octet, whatever
    /// is in them, and are encoded once.
    func encode(optionsOf specification: DownloadSpecification) throws -> String? {
        let known = memory.withLock { $0.shared }
        if let known, known.holder.sharesOptions(with: specification) { return known.text }
        let text = try encode(specification.options)
        memory.withLock { $0.shared = (specification, text) }
        return text
    }

    /// The stored text of options.
    func encode(_ options: DownloadOptions) throws -> String? {
        guard options.equalsOnlyItself else { return try encodeJSON(options) }
        let known = memory.withLock { $0.encoded }
        if let known, known.options == options { return known.text }
        let text = try shortest(options)
        memory.withLock { $0.encoded = (options, text) }
        return text
    }

    /// What is stored for plain options of a download whose destination has a mount point, so that its row stays small.
    private struct PlainOnDisk: Codable {
        static let start = #"{"mountPoint":"#
        let mountPoint: String
    }

    private func shortest(_ options: DownloadOptions) throws -> String? {
        var rest = options
        rest.mountPoint = nil
        let json = try encodeJSON(rest)
        guard let mountPoint = options.mountPoint else { return json == Self.plainOptions ? nil : json }
        return json == Self.plainOptions
            ? try encodeJSON(PlainOnDisk(mountPoint: mountPoint)) : try encodeJSON(options)
    }

    /// Reads the stored text of options.
    func decodeOptions(_ stored: String?) throws -> DownloadOptions {
        guard let text = stored else { return Self.plainValue }
        let known = memory.withLock { $0.decoded }
        // Compared by octets: texts that are only canonically equivalent are different options.
        if let known, known.text.hasSameOctets(as: text) { return known.options }
        let options = try decoded(text)
        memory.withLock { $0.decoded = (text, options) }
        return options
    }

    /// Reads a download from the stored text of its options. Downloads of one list or mirror share the storage of their
    /// options again.
    func decode(
        _ url: HTTPURL,
        to destination: Destination,
        options stored: String?
    ) throws -> DownloadSpecification {
        if let known = memory.withLock({ $0.read }), known.text.hasSameOctets(as: stored) {
            var download = known.holder
            (download.url, download.destination) = (url, destination)
            return download
        }
        let options = try decodeOptions(stored)
        let download = DownloadSpecification(url: url, destination: destination, options: options)
        memory.withLock { $0.read = (download, stored) }
        return download
    }

    private func decoded(_ text: String) throws -> DownloadOptions {
        // The keys are in order, so the text of all options begins with another one.
        guard text.utf8.starts(with: PlainOnDisk.start.utf8) else {
            return try decodeJSON(DownloadOptions.self, from: text)
        }
        var options = Self.plainValue
        options.mountPoint = try decodeJSON(PlainOnDisk.self, from: text).mountPoint
        return options
    }

    /// Maximum texts of requests that are remembered. All requests of one list usually share one.
    static let rememberedRequests = 64

    /// The stored text of a request without its URL and the bytes of its body.
    func encode(_ request: RequestSpecification) throws -> String {
        OwnMembers(request).text(before: try encodeShared(request.withoutPartsStoredApart))
    }

    /// Reads the stored text of a request.
    func decodeRequest(_ text: String) throws -> RequestSpecification {
        var rest = text
        let own = OwnMembers(takenFrom: &rest)
        var request = try decodeShared(rest)
        try own.complete(&request)
        return request
    }

    /// The text of what many requests have in common.
    private func encodeShared(_ request: RequestSpecification) throws -> String {
        guard request.equalsOnlyItself else { return try encodeJSON(request) }
        if let known = memory.withLock({ $0.textsByRequest[request] }) { return known }
        let text = try encodeJSON(request)
        memory.withLock { memory in
            if memory.textsByRequest.count >= Self.rememberedRequests { memory.textsByRequest = [:] }
            memory.textsByRequest[request] = text
        }
        return text
    }

    /// Reads the text of what many requests have in common.
    private func decodeShared(_ text: String) throws -> RequestSpecification {
        let known = memory.withLock { memory in
            memory.requestsByText.index(forKey: text).map { memory.requestsByText[$0] }
        }
        // Compared by octets, as above.
        if let known, known.key.hasSameOctets(as: text) { return known.value }
        let request = try decodeJSON(RequestSpecification.self, from: text)
        memory.withLock { memory in
            if memory.requestsByText.count >= Self.rememberedRequests { memory.requestsByText = [:] }
            // A text that is only canonically equivalent may be there. A new value would get the old key.
            if memory.requestsByText[text] == nil { memory.requestsByText[text] = request }
        }
        return request
    }

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
    /// Whether these options contain no text but fields in ASCII, so that equal values are also equal octet for octet.
    fileprivate var equalsOnlyItself: Bool {
        exchange.equalsOnlyItself && checksum == nil && mirrors.isEmpty && pieces == nil && cache == nil
            && recipients.isEmpty && root == nil && ignoredQuery.isEmpty
            && (mountPoint?.utf8.allSatisfy { $0 < 0x80 } ?? true)
    }
}

extension RequestSpecification {
    /// Whether it contains no text but its method, fields in ASCII and what is stored apart, so that equal values are also equal
    /// octet for octet.
    fileprivate var equalsOnlyItself: Bool {
        exchange.equalsOnlyItself && values.isEmpty && responseFile == nil && body.files.isEmpty
    }
}

extension ExchangeTerms {
    /// Whether these terms contain no text but that of fields in ASCII.
    fileprivate var equalsOnlyItself: Bool {
        headers.allSatisfy(\.isASCII) && credentials == nil && connection.proxy == nil && proxies == nil
            && store == nil && connection.certificateAuthorityFile == nil
            && connection.clientCertificate == nil && connection.localAddress == nil
            && connection.hostOverrides.isEmpty
    }
}

extension HeaderField {
    /// Whether it equals no other field in ASCII that has other octets. Other texts may equal one in ASCII: the Kelvin sign
    /// equals the letter K.
    fileprivate var isASCII: Bool {
        name.utf8.allSatisfy { $0 < 0x80 } && value.utf8.allSatisfy { $0 < 0x80 }
    }
}
