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
    /// The keys that a word of a command line may name: a URL, or an application's own key. The first one is the likeliest.
    static func named(by text: String) -> [CacheKey] {
        do {
            let url = try HTTPURL(typed: text)
            return text.contains("://") ? [.url(url)] : [.url(url), .text(text)]
        } catch {
            return [.text(text)]
        }
    }
}
