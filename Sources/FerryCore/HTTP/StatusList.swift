/// Status codes of errors as a person writes them: `404`, `404,409` or `404,500-599` (RFC 9110 §15.5, §15.6).
package struct StatusList: Hashable, Sendable {
    /// The status codes.
    package let statuses: Set<Int>

    /// The status codes of errors.
    private static let errors = 400...599

    /// Creates a list.
    package init(_ statuses: Set<Int>) { self.statuses = statuses }

    /// Whether a retry may be answered otherwise. After 401 and 407, only other credentials help.
    package static func mayRetry(_ status: Int) -> Bool {
        errors.contains(status) && status != 401 && status != 407
    }

    /// Reads a list of codes and ranges of codes with commas between them. A range leaves out the codes that cannot be
    /// retried.
    ///
    /// - Throws: ``ParseError`` if a part is no code of an error, or a code that cannot be retried.
    package init(parsing text: String) throws(ParseError) {
        var statuses: Set<Int> = []
        for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let ends = Array(part).trimmingBlanks.split(
                separator: UInt8(ascii: "-"),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let first = try Self.code(ends[0])
            guard ends.count == 2 else {
                guard Self.mayRetry(first) else { throw .needsCredentials(first) }
                statuses.insert(first)
                continue
            }
            let last = try Self.code(ends[1])
            guard first <= last else { throw .reversed(first, last) }
            statuses.formUnion((first...last).filter(Self.mayRetry))
        }
        self.statuses = statuses
    }

    private static func code(_ digits: ArraySlice<UInt8>) throws(ParseError) -> Int {
        guard digits.count == 3, let number = DecimalNumber(digits)?.fitting, errors.contains(Int(number))
        else { throw .malformed }
        return Int(number)
    }

    /// Why a text is no list.
    package enum ParseError: Error, Hashable, Sendable {
        /// A part is no number from 400 to 599, and no range of them.
        case malformed
        /// A range ends before it begins.
        case reversed(Int, Int)
        /// The code asks for credentials.
        case needsCredentials(Int)
    }
}

extension StatusList: CustomStringConvertible {
    /// The codes in order, with ranges of three or more: `404,500-599`.
    package var description: String {
        var runs: [ClosedRange<Int>] = []
        for status in statuses.sorted() {
            if let run = runs.last, run.upperBound + 1 == status {
                runs[runs.count - 1] = run.lowerBound...status
            } else {
                runs.append(status...status)
            }
        }
        return runs.map { run in
            run.count > 2
                ? "\(run.lowerBound)-\(run.upperBound)" : run.map { "\($0)" }.joined(separator: ",")
        }.joined(separator: ",")
    }
}

extension StatusList.ParseError: CustomStringConvertible {
    /// The reason in one sentence for a person.
    package var description: String {
        switch self {
        case .malformed: "It takes status codes from 400 to 599, such as 404,409 or 500-599."
        case .reversed(let first, let last): "The range \(first)-\(last) ends before it begins."
        case .needsCredentials(let status):
            "\(status) asks for credentials; a retry would send the same ones again."
        }
    }
}
