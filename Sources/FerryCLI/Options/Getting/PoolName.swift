import ArgumentParser
import Ferry
import FerryFrontend

/// The name of a pool, as given on a command line.
struct PoolName: Hashable, Sendable {
    /// The name.
    let text: String

    /// Reads an argument.
    ///
    /// - Throws: `ValidationError` for an invalid name.
    static func read(_ text: String) throws -> PoolName {
        guard TransferQueue.isName(text) else {
            throw ValidationError("'\(TerminalText.safe(text))': \(CacheSettings.Flaw.name(text))")
        }
        return PoolName(text: text)
    }
}

extension CacheKey {
    /// The key that a word of a command line names: a URL, or an application's own key.
    init(userGiven text: String) {
        do {
            self = .url(try HTTPURL(parsing: text))
        } catch {
            self = .text(text)
        }
    }
}
