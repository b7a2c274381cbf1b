internal import HTTPTypes

/// Reads the field lines of one head, or of the trailers (RFC 9112 §5).
struct FieldSection: Sendable {
    /// The field that the latest line began. The next line may continue it.
    private enum Latest {
        /// None, or one that is left out.
        case nothing
        case field(HTTPField.Name)
    }

    private var fields = HTTPFields()
    private var latest = Latest.nothing
    /// The value of the latest field; its memory is used again for each field.
    private var value: [UInt8] = []

    /// Whether a line was left out, as it is no field.
    private(set) var hasLeftOut = false

    /// The fields that frame a message.
    private static let framingNames: Set<String> = ["content-length", "transfer-encoding"]

    /// Adds a line without its end; it is not empty.
    mutating func add(_ line: [UInt8], limits: ResponseLimits) throws(WireFault) {
        if line.first?.isBlank == true { return try fold(line) }
        try store()
        guard fields.count < limits.fields else { throw .tooManyFields }
        // RFC 9112 §5.1: blanks between name and colon are removed from a response.
        let colon = line.firstIndex(of: 0x3A)
        let nameEnd = line[..<(colon ?? 0)].lastIndex { !$0.isBlank }.map { $0 + 1 } ?? 0
        guard let colon, let name = HTTPField.Name(line[..<nameEnd].text) else { return try leaveOut(line) }
        latest = .field(name)
        value.append(contentsOf: line[(colon + 1)...].trimmingBlanks)
    }

    /// Takes out all fields.
    mutating func take() throws(WireFault) -> HTTPFields {
        try store()
        defer { (fields, hasLeftOut) = (HTTPFields(), false) }
        return fields
    }

    /// Continues the latest value: a line break and the blanks around it count as one space (RFC 9112 §5.2).
    private mutating func fold(_ line: [UInt8]) throws(WireFault) {
        // RFC 9112 §2.2: such a line before the first field is skipped.
        guard case .field = latest else { return try leaveOut(line) }
        let continuation = line.trimmingBlanks
        if !value.isEmpty, !continuation.isEmpty { value.append(0x20) }
        value.append(contentsOf: continuation)
    }

    /// Leaves out a line that is no field. If it looks like one that frames the message, the end of the message is not
    /// known.
    private mutating func leaveOut(_ line: [UInt8]) throws(WireFault) {
        hasLeftOut = true
        let letters = line.filter(\.isLetter).lowercasedASCIIText
        for name in ["contentlength", "transferencoding"] where letters.contains(name) {
            throw .garbledFraming
        }
    }

    private mutating func store() throws(WireFault) {
        guard case .field(let name) = latest else { return }
        // One recipient may read it as a blank, another as a letter.
        if Self.framingNames.contains(name.canonicalName),
            value.contains(where: { $0.isControl && $0 != 0x09 })
        {
            throw .strayControl
        }
        // Other control characters become spaces (RFC 9110 §5.5). Bytes that are no UTF-8 stay as they are.
        let text = String(validating: value, as: UTF8.self)
        fields.append(text.map { HTTPField(name: name, value: $0) } ?? HTTPField(name: name, value: value))
        latest = .nothing
        value.removeAll(keepingCapacity: value.capacity <= 1024)
    }
}
