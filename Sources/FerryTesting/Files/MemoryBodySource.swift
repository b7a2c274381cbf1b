package import FerryCore

/// The body of a request with open files in memory.
package final class MemoryBodySource: BodySource {
    enum Part: Sendable {
        case bytes([UInt8])
        case file(PinnedFile)
    }

    private let parts: [Part]
    private let disk: MemoryBodyFiles

    init(_ parts: [Part], on disk: MemoryBodyFiles) {
        (self.parts, self.disk) = (parts, disk)
    }

    /// The bytes as they are now, changed or not.
    package var bytes: [UInt8] {
        parts.flatMap { part in
            switch part {
            case .bytes(let bytes): bytes
            case .file(let file): disk.file(file.identity.inode)?.bytes ?? []
            }
        }
    }

    package var length: Int64? { Int64(bytes.count) }

    package var descriptor: CInt? { nil }

    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
        try check()
        let rest = bytes.dropFirst(Int(offset)).prefix(buffer.count)
        buffer.copyBytes(from: rest)
        return rest.count
    }

    package func check() throws(Problem) {
        for case .file(let file) in parts {
            guard let now = disk.file(file.identity.inode), file.matches(now.entry) else {
                throw Self.changed(file.path)
            }
        }
    }

    static func changed(_ path: String) -> Problem {
        .permanent(.bodyChanged, "\(path) was changed.", remedies: [.addAgain])
    }
}
