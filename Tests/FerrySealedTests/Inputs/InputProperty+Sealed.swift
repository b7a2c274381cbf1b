import FerryCore
import FerryTesting

@testable import FerrySealed

extension InputProperty {
    /// The properties of what reads sealed files.
    static let sealed: [InputProperty] = [sealedHeader, sealedKeys, sealedArmor]

    /// A header is refused, or is written again as the same bytes; and it says the same however much follows it.
    static let sealedHeader = InputProperty("sealed-header") { input in
        let header: SealedHeader
        do throws(SealedProblem) {
            header = try SealedHeader(reading: input.bytes)
        } catch {
            try require(error.description.utf8.count < 200, "a message is short")
            return
        }
        let bytes = Array(input.bytes.prefix(header.length))
        try require(header.encoded == bytes, "a header has one form")
        let again = try SealedHeader(reading: bytes)
        try require(
            again.length == bytes.count && again.stanzas == header.stanzas,
            "what follows does not matter"
        )
        try require(!header.stanzas.isEmpty, "there is a recipient")
        let identity = X25519Identity([UInt8](repeating: 0x42, count: 32)).map { Identity.key($0) }
        do throws(SealedProblem) {
            _ = try SealedPreamble(
                opening: header,
                nonce: [],
                with: [identity].compactMap(\.self),
                mostWork: 4
            )
            throw .notSealed
        } catch {
            try require(error.description.utf8.count < 200, "a message is short")
            try require(!error.description.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a message is one line")
        }
    }

    /// A file of keys is refused without quoting it, or its recipients are written and read as the same.
    static let sealedKeys = InputProperty("sealed-keys") { input in
        switch read(by: KeyFile.recipients, input.bytes) {
        case .success(let recipients):
            for recipient in recipients {
                let again = read(by: KeyFile.recipients, Array(recipient.description.utf8))
                try require(again == .success([recipient]), "a recipient is read as it was written")
            }
        case .failure(let fault):
            try require(fault.description.utf8.count < 200, "a message is short")
        }
        switch read(by: KeyFile.identities, input.bytes) {
        case .success(let identities):
            for identity in identities {
                try require(!"\(identity)".contains("AGE-SECRET-KEY"), "I7: no secret is shown")
            }
        case .failure(let fault):
            try require(fault.description.utf8.count < 200, "a message is short")
        }
    }

    private static func read<Key>(
        by reader: ([UInt8]) throws(KeyFile.Fault) -> [Key],
        _ bytes: [UInt8]
    ) -> Result<[Key], KeyFile.Fault> {
        Result { () throws(KeyFile.Fault) in try reader(bytes) }
    }

    /// A text in armor is refused, or stands for the same bytes for every division into pieces.
    static let sealedArmor = InputProperty("sealed-armor") { input in
        let whole = unarmored(input.bytes, pieces: max(1, input.bytes.count))
        for pieces in [1, 3, 64] {
            let other = unarmored(input.bytes, pieces: pieces)
            try require(other == whole, "it is the same however it is cut")
        }
        guard case .success(let bytes) = whole else { return }
        let lines = Base64.encoded(bytes)
        try require(input.text.filter { !$0.isWhitespace }.contains(lines), "the text has one form")
    }

    private static func unarmored(_ text: [UInt8], pieces: Int) -> Result<[UInt8], SealedProblem> {
        Result { () throws(SealedProblem) in
            var reader = ArmorReader()
            var bytes: [UInt8] = []
            for start in stride(from: 0, to: text.count, by: pieces) {
                bytes += try reader.take(text[start..<min(text.count, start + pieces)])
            }
            return try bytes + reader.finish()
        }
    }
}
