package import FerryCore

/// A fresh directory on a file system for one behaviour of ``PartFileSystemConformance``, and the actions that the
/// suite performs without using the file system under test.
package protocol PartFileSystemStage: Sendable {
    /// The file system under test.
    var fileSystem: any PartFileSystem { get }
    /// The path of an empty directory on it.
    var directory: String { get }

    /// Puts an entry under a free name and returns its identity. A symbolic link leads to a file outside the
    /// directory, the one that ``linked()`` reads; a stream is a FIFO without a reader.
    @discardableResult
    func put(_ kind: FileSurvey.Kind, _ bytes: [UInt8], as name: FileName) throws -> FileIdentity
    /// Removes the name of a file.
    func remove(_ name: FileName) throws
    /// The bytes of a file; `nil` if no file has the name.
    func contents(of name: FileName) throws -> [UInt8]?
    /// All names in the directory, sorted by their bytes.
    func names() throws -> [String]
    /// The content of the file outside the directory to which symbolic links lead; `nil` if links lead nowhere.
    func linked() throws -> [UInt8]?
}

/// A directory of a disk in memory.
package struct MemoryStage: PartFileSystemStage {
    /// The disk.
    package let memory: MemoryPartFileSystem
    /// The directory.
    package let directory: String

    /// Creates a disk with one empty directory.
    package init(directory: String = "/downloads") {
        memory = MemoryPartFileSystem(directories: [directory], capacity: 1 << 40)
        self.directory = directory
    }

    /// The file system under test.
    package var fileSystem: any PartFileSystem { memory }

    /// Puts an entry under a name.
    package func put(_ kind: FileSurvey.Kind, _ bytes: [UInt8], as name: FileName) throws -> FileIdentity {
        memory.put(kind, bytes, as: name, in: directory)
    }

    /// Removes a name.
    package func remove(_ name: FileName) throws {
        memory.remove(name, in: directory)
    }

    /// The bytes of a file; `nil` if no file has the name.
    package func contents(of name: FileName) throws -> [UInt8]? {
        memory.contents(of: name, in: directory)
    }

    /// All names in the directory, sorted by their bytes.
    package func names() throws -> [String] {
        memory.names(in: directory)
    }

    /// Always `nil`: links on a disk in memory lead nowhere.
    package func linked() throws -> [UInt8]? { nil }
}
