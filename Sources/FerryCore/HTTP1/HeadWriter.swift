/// Puts the lines of a request's head together, and lets nothing in that would make another line of one.
struct HeadWriter {
    private var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(512)
    }

    /// Begins the head.
    mutating func line(method: String, target: String) throws(RequestFault) {
        guard !method.isEmpty, method.utf8.allSatisfy(\.isTokenByte) else { throw .invalidMethod }
        guard !target.isEmpty, target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .invalidTarget
        }
        bytes += method.utf8
        bytes.append(0x20)
        bytes += target.utf8
        bytes += " HTTP/1.1\r\n".utf8
    }

    /// Adds a field.
    mutating func field(_ name: String, _ value: String) throws(RequestFault) {
        guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenByte) else { throw .invalidField }
        guard value.utf8.allSatisfy({ $0 != 0x0D && $0 != 0x0A && $0 != 0 }) else { throw .invalidField }
        bytes += name.utf8
        bytes += ": ".utf8
        bytes += value.utf8
        bytes += "\r\n".utf8
    }

    /// Adds the last line, and returns the head.
    mutating func end() -> [UInt8] {
        bytes += "\r\n".utf8
        return bytes
    }
}
