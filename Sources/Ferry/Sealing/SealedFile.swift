package import FerrySealed

/// A sealed file that is open: any range of its bytes in clear can be read.
///
/// Its format is age, version 1 (C2SP, [age-encryption.org/v1](https://age-encryption.org/v1)), as a download has with
/// ``DownloadOptions/recipients``. Only the chunks of 64 KiB that have the range are read and decrypted. Nothing of a chunk
/// that was changed, moved, or is of another file is ever given out.
///
/// ```swift
/// let file = try await SealedFile.open("/srv/photos/sea.jpg.age", with: [identity])
/// let beginning = try await file.read(0..<min(1_024, file.length))
/// ```
///
/// It keeps the file open until the last copy of this value is gone. Reading does not block the calling thread.
public struct SealedFile: Sendable {
    let payload: SealedPayload
    private let path: String

    package init(_ payload: SealedPayload, path: String) { (self.payload, self.path) = (payload, path) }

    /// The length of what is sealed, in bytes in clear.
    public var length: Int64 { payload.length }

    /// Reads a range of the bytes in clear into memory.
    ///
    /// - Parameter range: counted in bytes in clear. What of it lies outside of the file is left out.
    /// - Throws: ``SealedFileError`` with `damaged` for a chunk that was changed; ``StorageProblem``. No byte is returned then.
    public func read(_ range: Range<Int64>) async throws -> [UInt8] {
        try await reporting { try await payload.bytes(range) }
    }

    /// The range of a section of a sectioned file, in bytes in clear; an empty range for an empty section. ``read(_:)`` then reads
    /// it without the other sections.
    ///
    /// A thumbnail of up to 16 MiB is read and compared with the hash in the header of the sections.
    ///
    /// - Throws: ``SealedFileError`` with `unsupported` for a file without sections, and for a thumbnail that is another one;
    ///   with `damaged` for a chunk that was changed; ``StorageProblem``.
    public func range(of section: SealedSection) async throws -> Range<Int64> {
        do {
            return try await reporting { try await payload.range(of: section.section) }
        } catch let problem as SectionProblem {
            throw SealedFileError(problem, path: path)
        }
    }

    /// Runs `body`, and tells the caller about a problem of this file.
    func reporting<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let problem as SealedProblem {
            throw SealedFileError(problem, path: path)
        }
    }
}
