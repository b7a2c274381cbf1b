import Ferry
import FerrySealed
import Foundation
import Testing

/// A folder of its own for the files of a test; it is removed at the end.
final class SealedFolder {
    let path = FileManager.default.temporaryDirectory.appending(path: "ferry-\(UUID().uuidString)").path

    init() {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            Issue.record(error)
        }
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            Issue.record(error)
        }
    }

    /// Seals bytes as `sealed.age`; returns its path.
    func seal(_ text: [UInt8], to identities: [SealingIdentity]) throws -> String {
        let keys = try identities.map { try X25519Recipient(parsing: $0.recipient) }
        return try seal(text, try #require(Recipients.keys(keys)))
    }

    /// Seals bytes with a passphrase and little work as `sealed.age`; returns its path.
    func seal(_ text: [UInt8], with passphrase: String) throws -> String {
        try seal(text, .passphrase(#require(Passphrase(passphrase)), work: 4))
    }

    private func seal(_ text: [UInt8], _ recipients: Recipients) throws -> String {
        var random = SystemRandomNumberGenerator()
        let preamble = try SealedPreamble(sealingTo: recipients, using: &random)
        var sealer = StreamSealer(preamble.key)
        var sealed = preamble.bytes
        sealed += try sealer.take(text)
        sealed += try sealer.finish()
        return try write(sealed, as: "sealed.age")
    }

    /// Writes a file; returns its path.
    @discardableResult
    func write(_ bytes: [UInt8], as name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
        return "\(path)/\(name)"
    }

    func bytes(of name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(path)/\(name)")))
    }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
}
