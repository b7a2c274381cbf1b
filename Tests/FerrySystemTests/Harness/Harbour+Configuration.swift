import Foundation
import Testing

extension Harbour {
    /// Where this harbour's configuration file is.
    var configuration: String { home + "/.config/ferry/config.json" }

    /// Writes the configuration file.
    func configure(_ text: String) throws {
        let directory = home + "/.config/ferry"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: configuration))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: configuration)
    }
}
