/// A file of keys: one a line, with empty lines and comments that begin with `#`.
package enum KeyFile {
    /// The longest file of keys that is read, in bytes.
    package static let longest = 1 << 20

    /// What is wrong with a file of keys.
    package struct Fault: Error, Hashable, Sendable {
        /// The number of the line, from 1; `nil` for the whole file.
        package var line: Int?
        /// What is wrong there.
        package var problem: KeyProblem
    }

    /// Reads the identities of a file, as `age-keygen` writes it.
    ///
    /// - Throws: ``Fault``, also for a file without any. No part of the file is in it (I7).
    package static func identities(_ bytes: [UInt8]) throws(Fault) -> [X25519Identity] {
        if bytes.starts(with: SealedMark.header) || bytes.starts(with: SealedMark.armor) {
            throw Fault(problem: .sealed)
        }
        return try keys(bytes) { text throws(KeyProblem) in try X25519Identity(parsing: text) }
    }

    /// Reads the recipients of a file.
    ///
    /// - Throws: ``Fault``, also for a file without any.
    package static func recipients(_ bytes: [UInt8]) throws(Fault) -> [X25519Recipient] {
        try keys(bytes) { text throws(KeyProblem) in try X25519Recipient(parsing: text) }
    }

    private static func keys<Key>(
        _ bytes: [UInt8],
        _ read: (String) throws(KeyProblem) -> Key
    ) throws(Fault) -> [Key] {
        var keys: [Key] = []
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let line = line.last == 0x0D ? line.dropLast() : line
            guard let first = line.first, first != 0x23 else { continue }
            do throws(KeyProblem) {
                keys.append(try read(String(decoding: line, as: UTF8.self)))
            } catch {
                throw Fault(line: index + 1, problem: error)
            }
        }
        guard !keys.isEmpty else { throw Fault(problem: .none) }
        return keys
    }
}

extension KeyFile.Fault: CustomStringConvertible {
    /// Where it is and what is wrong, in a sentence.
    package var description: String { line.map { "line \($0): \(problem)" } ?? "\(problem)" }
}
