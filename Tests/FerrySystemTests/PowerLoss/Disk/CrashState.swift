/// The files of a directory after a power cut: the crash state of the file system.
struct CrashState: Hashable, Sendable {
    struct File: Hashable, Sendable {
        /// Its path beneath the directory.
        var path: String
        var node: NodeID
        var image: FileImage
        /// Whether nothing had ever been written to it.
        var isUntouched = false
    }

    /// The directories beneath, each after the one that it is in.
    var directories: [String] = []
    var files: [File] = []
    /// What was lost, in words.
    var losses: [String] = []

    subscript(path: String) -> File? { files.first { $0.path == path } }
}
