import Foundation
import Testing

extension Sandbox {
    /// Publishes a file on the site, in directories that are made if needed.
    func publish(
        _ content: Content,
        at path: String,
        modified: Date = Date(timeIntervalSince1970: 1e9)
    ) throws {
        let directory = URL(fileURLWithPath: "\(site)/\(path)").deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try publish(content, as: path, modified: modified)
    }

    /// The path of the directory that tests mirror to.
    var copy: String { path(of: "copy") }

    /// The files of the copy, with their bytes, by their paths.
    func copiedFiles() throws -> [String: Data] { try Self.files(in: copy) }

    /// The files of the site, with their bytes, by their paths.
    func publishedFiles() throws -> [String: Data] { try Self.files(in: site) }

    private static func files(in directory: String) throws -> [String: Data] {
        guard FileManager.default.fileExists(atPath: directory) else { return [:] }
        return try DirectoryTree.read(directory).entries.reduce(into: [:]) { files, entry in
            if case .file(let bytes) = entry.value { files[entry.key] = bytes }
        }
    }
}

extension Outcome {
    /// A number of the summary that `ferry mirror --json` prints last.
    func summary(_ name: String) throws -> Int {
        let line = try #require(output.split(separator: "\n").last { $0.contains(#""event":"summary""#) })
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return try #require(object?[name] as? Int, "\(line)")
    }
}
