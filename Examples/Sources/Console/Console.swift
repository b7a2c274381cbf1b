import Foundation

/// What the examples read and write.
public enum Console {
    /// Writes a line at once, also when another program reads it through a pipe.
    public static func say(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    /// The lines of standard input as they come, read on a thread of its own because reading blocks.
    public static var lines: AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }

    /// Where the examples put their files when nothing else is said.
    public static var currentDirectory: String { FileManager.default.currentDirectoryPath }
}
