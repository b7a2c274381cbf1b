import FerryCore
import FerryTesting
import Testing

@testable import FerrySQLite

/// Options are stored in little room, and come back as they were.
struct RowCodecTests {
    @Test func storesThePlainOptionsAsNothing() throws {
        let codec = RowCodec()
        #expect(try codec.encode(DownloadOptions()) == nil)
        #expect(try codec.encode(DownloadOptions()) == nil)
        #expect(try codec.decodeOptions(nil) == DownloadOptions())
    }

    @Test func writesOutEveryOtherOptions() throws {
        let codec = RowCodec()
        var options = DownloadOptions()
        options.retries += 1
        let text = try #require(try codec.encode(options))
        #expect(try codec.encode(DownloadOptions()) == nil)
        #expect(try codec.encode(options) == text)
        #expect(try codec.decodeOptions(text) == options)
        #expect(try codec.decodeOptions(nil) == DownloadOptions())
        #expect(try RowCodec().decodeOptions(text) == options)
    }

    @Test func doesNotMistakeOneTextForAnotherThatLooksTheSame() throws {
        let codec = RowCodec()
        var composed = DownloadOptions()
        composed.connection.certificateAuthorityFile = "caf\u{E9}"
        var decomposed = composed
        decomposed.connection.certificateAuthorityFile = "cafe\u{301}"
        try #require(composed == decomposed, "equal, and yet two different files")
        for options in [composed, decomposed, composed] {
            let text = try #require(try codec.encode(options))
            let kept = try codec.decodeOptions(text).connection.certificateAuthorityFile
            #expect(
                kept.map { Array($0.utf8) }
                    == options.connection.certificateAuthorityFile.map { Array($0.utf8) }
            )
        }
    }

    @Test func readsACheckpointAlikeWhetherItIsRememberedOrNot() throws {
        let codec = RowCodec()
        var written: [(text: String, name: String)] = []
        // More than are remembered, and two names that differ in octets only.
        for number in 0..<RowCodec.rememberedProgress * 2 {
            for letter in ["caf\u{E9}", "cafe\u{301}"] {
                var progress = DownloadProgress()
                progress.name = try FileName(userGiven: "\(letter)-\(number)")
                progress.refusedParts = number
                let text = try codec.encode(StoredDownloadProgress(progress))
                written.append((text, "\(letter)-\(number)"))
                #expect(try name(codec, text) == Array("\(letter)-\(number)".utf8))
            }
        }
        for (text, expected) in written {
            for codec in [codec, RowCodec()] { #expect(try name(codec, text) == Array(expected.utf8)) }
        }
        #expect(throws: (any Error).self) { try codec.decodeProgress(written[0].text + "}") }
    }

    private func name(_ codec: RowCodec, _ text: String) throws -> [UInt8]? {
        let progress = try codec.decodeProgress(text).progress(segments: SegmentMap(length: nil))
        return progress.name.map { Array($0.rawValue.utf8) }
    }
}
