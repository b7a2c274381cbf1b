/// What is wrong with the parts of one command, such as the lines of a list. Because of it, nothing is done.
///
/// Only the first few are collected, so that a list without end is refused.
package struct InputFlaws: Sendable {
    /// What is safe, in a sentence.
    private let nothingDone: String
    private var found: [(line: Int, failure: CommandFailure)] = []

    /// Maximum flaws that are told.
    private static let most = 10

    /// None yet, of what is to be downloaded.
    static let ofDownloading = InputFlaws(nothingDone: "Nothing was downloaded or added.")

    /// None yet, of what is to be sent.
    static let ofSending = InputFlaws(nothingDone: "Nothing was sent.")

    private init(nothingDone: String) {
        self.nothingDone = nothingDone
    }

    /// Whether there are more flaws than are told.
    package var isFull: Bool { found.count > Self.most }

    /// Notes the failure of a part. The same message is told once.
    ///
    /// - Parameter line: the line that the failure names, by which the failures are ordered; 0 for none.
    package mutating func add(_ failure: CommandFailure, line: Int = 0) {
        guard !found.contains(where: { $0.failure.message == failure.message }) else { return }
        found.append((line, failure))
    }

    /// The failure of the whole command; `nil` if nothing is wrong.
    package var failure: CommandFailure? {
        let told = found.prefix(Self.most).sorted { $0.line < $1.line }.map(\.failure)
        guard var whole = told.first else { return nil }
        let isSameHint = told.allSatisfy { $0.hint == whole.hint }
        whole.further = told.dropFirst().map(\.message) + (isFull ? ["There are more errors."] : [])
        let hint = isSameHint ? whole.hint : nil
        whole.hint = hint.map { $0.hasSuffix(nothingDone) ? $0 : "\($0) \(nothingDone)" } ?? nothingDone
        return whole
    }
}
