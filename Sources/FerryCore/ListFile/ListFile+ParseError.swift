extension ListFile {
    /// A line that is wrong.
    public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The line, counted from 1.
        public let line: Int
        /// What is wrong with it.
        public let reason: Reason

        /// Creates an error.
        public init(line: Int, reason: Reason) {
            self.line = line
            self.reason = reason
        }

        /// The line and the reason in one sentence for a person.
        public var description: String { "line \(line): \(reason)" }
    }

    /// What can be wrong with a line.
    public enum Reason: Error, Hashable, Sendable {
        /// It is not a URL, or one of its mirrors is not.
        case invalidURL(HTTPURL.ParseError)
        /// It is an option, but no URL stands above it.
        case optionBeforeURL
        /// There is no option of this name.
        case unknownOption(String)
        /// The option has no value.
        case missingValue(option: String)
        /// The value of the option has a NUL in it.
        case controlCharacter(option: String)
        /// The checksum's algorithm is unknown, or its digest is not as many digits as it should be.
        case invalidChecksum(Checksum.ParseError)
        /// The time window is none.
        case invalidWindow(TimeWindow.ParseError)
        /// The header is malformed.
        case invalidHeader(HeaderLine.ParseError)
    }

    /// A word from a list as a message may quote it: short, and without control characters.
    static func quotable(_ word: String) -> String {
        let visible = word.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return visible.count <= 40 ? String(visible) : String(visible.prefix(40)) + "…"
    }
}

extension ListFile.Reason: CustomStringConvertible {
    /// The reason in one sentence for a person.
    public var description: String {
        switch self {
        case .invalidURL(let error): error.description
        case .optionBeforeURL: "An indented line is an option, but no URL stands above it."
        case .unknownOption(let name):
            "The option '\(name)' is unknown; known are out, dir, checksum, window and header."
        case .missingValue(let option):
            "The option '\(option)' has no value; it must look like \(option)=VALUE."
        case .controlCharacter(let option): "The value of '\(option)' has a NUL character in it."
        case .invalidChecksum(let error): error.description
        case .invalidWindow(let error): error.description
        case .invalidHeader(let error): error.description
        }
    }
}
