/// The files of a directory after a power cut: the crash state of the file system.
struct CrashState: Hashable, Sendable {
    struct File: Hashable, Sendable {
        /// Its path, relative to the directory.
        var path: String
        var node: NodeID
        var image: FileImage
        /// Whether it was never written to.
        var isUntouched = false
    }

    /// The directories below, each after its parent.
    var directories: [String] = []
    var files: [File] = []
    /// A description of each lost change.
    var losses: [String] = []

    subscript(path: String) -> File? { files.first { $0.path == path } }
}
