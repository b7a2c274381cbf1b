extension ListFile {
    /// An error in a line.
    package struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The line, counted from 1.
        package let line: Int
        /// What is wrong with it.
        package let reason: Reason

        /// Creates an error.
        package init(line: Int, reason: Reason) {
            self.line = line
            self.reason = reason
        }

        /// The line and the reason in one sentence for a person.
        package var description: String { "line \(line): \(reason)" }
    }

    /// What can be wrong with a line.
    package enum Reason: Error, Hashable, Sendable {
        /// It is not a URL, or one of its mirrors is not.
        case invalidURL(HTTPURL.ParseError)
        /// It has several URLs with blanks between them.
        case severalURLs
        /// It is an option, but there is no URL above it.
        case optionBeforeURL
        /// The option is unknown.
        case unknownOption(String)
        /// The option is one of aria2 that has no place in a list.
        case unsupportedOption(UnsupportedListOption)
        /// The option has no value.
        case missingValue(option: String)
        /// The value of the option is not a number above 0.
        case invalidNumber(option: String)
        /// The value of the option is neither `true` nor `false`.
        case notTrueOrFalse(option: String)
        /// The value of the option has a NUL.
        case controlCharacter(option: String)
        /// The checksum's algorithm is unknown, or its digest has the wrong number of digits.
        case invalidChecksum(Checksum.ParseError)
        /// The time window is invalid.
        case invalidWindow(TimeWindow.ParseError)
        /// The rate limit is invalid.
        case invalidRate(RateLimit.ParseError)
        /// The size is invalid.
        case invalidSize(ByteCount.ParseError)
        /// The list of status codes is invalid.
        case invalidStatuses(StatusList.ParseError)
        /// The header is malformed.
        case invalidHeader(HeaderLine.ParseError)
        /// The line is not UTF-8: a name in it would be changed when written.
        case notUTF8
        /// The line is longer than ``ListFile/longestLine``.
        case lineTooLong
        /// The list is longer than ``ListFile/longest``.
        case tooLong
        /// There are more than ``ListFile/most`` transfers.
        case tooMany

        /// Whether the list goes beyond a bound, so that it is not read on.
        package var exceedsBound: Bool {
            switch self {
            case .lineTooLong, .tooLong, .tooMany: true
            default: false
            }
        }
    }

    /// The name of an option as a message may quote it. Text with other characters than a name may be a URL or a
    /// header, and so a secret (I7).
    static func quotable(_ name: String) -> String {
        let isName = name.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == 0x2D || $0 == 0x5F }
        return isName && name.utf8.count <= 40 ? name : "…"
    }
}

extension ListFile.Reason: CustomStringConvertible {
    /// The reason in one sentence for a person.
    package var description: String {
        switch self {
        case .invalidURL(let error): error.description
        case .severalURLs:
            "It has several URLs with blanks between them. Put each on a line of its own; a tab separates mirrors of one file."
        case .optionBeforeURL: "An indented line is an option, but there is no URL above it."
        case .unknownOption(let name): "The option '\(name)' is unknown."
        case .unsupportedOption(let option): "The option '\(option.rawValue)' is not supported in a list."
        case .missingValue(let option):
            "The option '\(option)' has no value; it must look like \(option)=VALUE."
        case .invalidNumber(let option): "The value of '\(option)' is not a number above 0."
        case .notTrueOrFalse(let option): "The value of '\(option)' must be true or false."
        case .controlCharacter(let option): "The value of '\(option)' has a NUL character in it."
        case .invalidChecksum(let error): error.description
        case .invalidWindow(let error): error.description
        case .invalidRate(let error): error.description
        case .invalidSize(let error): error.description
        case .invalidStatuses(let error): error.description
        case .invalidHeader(let error): error.description
        case .notUTF8: "The line is not UTF-8."
        case .lineTooLong: "The line is longer than \(ListFile.longestLine >> 20) MiB."
        case .tooLong: "The list is longer than \(ListFile.longest >> 20) MiB. Split it."
        case .tooMany: "The list names more than \(ListFile.most) downloads. Split it."
        }
    }
}
