import FerryCore
import FerryTesting

@testable import FerrySQLite

extension InputProperty {
    /// The properties of what the store reads from its rows.
    static let stored: [InputProperty] = [
        storedProgress, storedFailure, storedOptions, storedRequest,
    ]

    /// Any bytes in place of a progress are refused, or read as one that is stored again unchanged.
    static let storedProgress = InputProperty("stored-progress") { input in
        let texts = StoredTexts()
        if let request = decoded(RequestProgress.self, input.text) {
            try require(
                try texts.encode(request).utf8.elementsEqual(texts.encodeJSON(request).utf8),
                "the progress of a request is written as the encoder writes it"
            )
        }
        let plain = DownloadProgress(plainText: input.text)
        let stored = decoded(StoredDownloadProgress.self, input.text)
        try require(
            plain == nil || plain == stored?.progress(segments: SegmentMap(length: nil)),
            "what is read without a decoder is what the decoder reads"
        )
        guard let stored else { return }
        let text = try texts.encodeJSON(stored)
        let again = decoded(StoredDownloadProgress.self, text)
        try require(again == stored, "what is stored is read as the same")
        let progress = stored.progress(segments: SegmentMap(length: nil))
        let spread = StoredDownloadProgress(progress)
        let spreadText = try texts.encodeJSON(spread)
        try require(
            progress.plainText.map { $0.hasSameOctets(as: spreadText) } ?? true,
            "what is written without an encoder is what the encoder writes"
        )
        try require(
            spread.progress(segments: progress.segments) == progress,
            "a checkpoint is spread without loss"
        )
        if let name = progress.name?.rawValue {
            try require(!name.utf8.contains(0x2F) && name != "..", "I6: a name that was stored is no path")
        }
        try require(!progress.validator.contradicts(progress.validator), "a version agrees with itself")
    }

    /// Any bytes in place of options are refused, or read as options that can be used and stored again.
    static let storedOptions = InputProperty("stored-options") { input in
        let texts = StoredTexts()
        let options: DownloadOptions
        do {
            options = try texts.decodeOptions(input.text)
        } catch {
            return
        }
        let again = try StoredTexts().decodeOptions(try texts.encode(options))
        try require(again == options, "what is stored is read as the same")
        try require(RetryPolicy(retries: options.retries).attempts > 0, "there is at least one attempt")
        let connection = options.connection
        for duration in [connection.connectTimeout, connection.idleTimeout, connection.lowSpeedTime] {
            try require(
                (duration.wholeMilliseconds > 0) == (duration >= .milliseconds(1)),
                "a time can be used"
            )
            _ = Instant.epoch.advanced(by: duration)
        }
    }

    /// Any bytes in place of a request are refused, or read as the decoder alone reads them, and stored again unchanged.
    static let storedRequest = InputProperty("stored-request") { input in
        let texts = StoredTexts()
        let whole = decoded(RequestSpecification.self, input.text)
        for _ in 0..<2 {
            let read: RequestSpecification
            do { read = try texts.decodeRequest(input.text) } catch { break }
            try require(read == whole, "it means what the whole text means")
        }
        guard let whole else { return }
        var again = try texts.decodeRequest(try texts.encode(whole))
        again.take(stored: whole.url)
        // The parts of a body may be there without its bytes.
        guard again.take(stored: whole.body.bytes) else { return }
        try require(
            try texts.encodeJSON(again).utf8.elementsEqual(texts.encodeJSON(whole).utf8),
            "what is stored is read as the same"
        )
    }

    /// Any bytes in place of a failure are refused, or read as one that is stored again unchanged.
    static let storedFailure = InputProperty("stored-failure") { input in
        guard let failure = decoded(TransferFailure.self, input.text) else { return }
        let again = decoded(TransferFailure.self, try StoredTexts().encodeJSON(failure))
        try require(again == failure, "what is stored is read as the same")
    }

    private static func decoded<Value: Decodable>(_ type: Value.Type, _ text: String) -> Value? {
        do {
            return try StoredTexts().decodeJSON(type, from: text)
        } catch {
            return nil
        }
    }
}
