import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerrySQLite

/// A directory for one test.
final class StoreDirectory: Sendable {
    /// Its path.
    let path: String

    /// Creates an empty directory.
    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "ferry-store-\(UUID().uuidString)")
            .path()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            Issue.record(error)
        }
    }

    /// The files of a store in it.
    var files: StoreFiles { StoreFiles(directory: path) }

    /// The content of every file in it, by name.
    func contents() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        return try names.reduce(into: [:]) { contents, name in
            contents[name] = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
        }
    }

    /// The permissions of a path.
    static func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }
}

/// A transfer to add; its name makes it another one.
func newTransfer(_ name: String) throws -> NewTransfer {
    NewTransfer(
        DownloadSpecification(
            url: try HTTPURL(parsing: "https://example.com/\(name)"),
            destination: .file(directory: "/d", name: nil)
        )
    )
}

/// The moment at which tests happen.
let now = Instant(seconds: 1_700_000_000)

/// A process that runs transfers.
let process = ProcessIdentity(pid: 1, startTime: 1, boot: BootID(rawValue: "b"))
