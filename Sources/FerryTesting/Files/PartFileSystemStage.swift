public import FerryCore

/// A fresh directory on some file system, for one behaviour of ``PartFileSystemConformance``, and what the suite
/// needs to do to it behind the file system's back.
public protocol PartFileSystemStage: Sendable {
    /// The file system under test.
    var fileSystem: any PartFileSystem { get }
    /// The path of an empty directory on it.
    var directory: String { get }

    /// Sets something under a free name and returns which file it is. A symbolic link leads to a file outside the
    /// directory, the one that ``linked()`` reads; a stream is a FIFO that nobody reads.
    @discardableResult
    func put(_ kind: FileSurvey.Kind, _ bytes: [UInt8], as name: FileName) throws -> FileIdentity
    /// Takes the name of a file away.
    func remove(_ name: FileName) throws
    /// The bytes of a file; `nil` when there is none with that name.
    func contents(of name: FileName) throws -> [UInt8]?
    /// All names in the directory, sorted by their bytes.
    func names() throws -> [String]
    /// What the file outside holds that symbolic links lead to, and `nil` where links lead nowhere.
    func linked() throws -> [UInt8]?
}

/// A directory of a disk in memory.
public struct MemoryStage: PartFileSystemStage {
    /// The disk.
    public let memory: MemoryPartFileSystem
    /// The directory.
    public let directory: String

    /// Creates a disk with one empty directory.
    public init(directory: String = "/downloads") {
        memory = MemoryPartFileSystem(directories: [directory], capacity: 1 << 40)
        self.directory = directory
    }

    /// The file system under test.
    public var fileSystem: any PartFileSystem { memory }

    /// Sets something under a name.
    public func put(_ kind: FileSurvey.Kind, _ bytes: [UInt8], as name: FileName) throws -> FileIdentity {
        memory.put(kind, bytes, as: name, in: directory)
    }

    /// Takes a name away.
    public func remove(_ name: FileName) throws {
        memory.remove(name, in: directory)
    }

    /// The bytes of a file; `nil` when there is none with that name.
    public func contents(of name: FileName) throws -> [UInt8]? {
        memory.contents(of: name, in: directory)
    }

    /// All names in the directory, sorted by their bytes.
    public func names() throws -> [String] {
        memory.names(in: directory)
    }

    /// Nothing: links on a disk in memory lead nowhere.
    public func linked() throws -> [UInt8]? { nil }
}
