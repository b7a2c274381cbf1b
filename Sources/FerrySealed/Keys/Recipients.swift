/// Who can open what is sealed. A passphrase is always alone: its holders trust that the file comes from one of them (age,
/// "scrypt recipient stanza").
package enum Recipients: Sendable {
    /// The owners of these keys; at least one.
    case keys(X25519Recipient, [X25519Recipient])
    /// All who know the passphrase. Guessing it costs memory of 1 KiB shifted left by `work` for each try.
    case passphrase(Passphrase, work: Int)

    /// The work factor that age takes: 256 MiB, and about a second.
    package static let usualWork = 18
    /// The largest work factor that is accepted in a file, as in age: 4 GiB. A file can ask for any.
    package static let mostWork = 22

    /// The owners of these keys, each once; `nil` if there are none.
    package static func keys(_ keys: [X25519Recipient]) -> Recipients? {
        var seen: Set<X25519Recipient> = []
        let keys = keys.filter { seen.insert($0).inserted }
        return keys.first.map { .keys($0, Array(keys.dropFirst())) }
    }
}
