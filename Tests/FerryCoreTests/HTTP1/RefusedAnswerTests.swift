import FerryCore
import FerryTesting
import Testing

/// What is refused, because a contradiction could make a wrong file. Each row is a row of `docs/WIRE.md` by the same
/// name.
@Suite("Refused answers")
struct RefusedAnswerTests {
    static let samples: [AnswerSample] = [
        AnswerSample("differing lengths", plain("Content-Length: 20\r\n"), .refused(.invalidContentLength)),
        AnswerSample(
            "differing lengths in one field",
            fielded("Content-Length: 37, 20\r\n"),
            .refused(.invalidContentLength)
        ),
        AnswerSample(
            "length with a sign",
            fielded("Content-Length: +37\r\n"),
            .refused(.invalidContentLength)
        ),
        AnswerSample("negative length", fielded("Content-Length: -1\r\n"), .refused(.invalidContentLength)),
        AnswerSample(
            "hexadecimal length",
            fielded("Content-Length: 0x25\r\n"),
            .refused(.invalidContentLength)
        ),
        AnswerSample("empty length", fielded("Content-Length:\r\n"), .refused(.invalidContentLength)),
        AnswerSample(
            "length in two halves",
            fielded("Content-Length: 3\r\n 7\r\n"),
            .refused(.invalidContentLength)
        ),
        AnswerSample(
            "length past 64 bits",
            fielded("Content-Length: 99999999999999999999\r\n"),
            .refused(.invalidContentLength)
        ),
        AnswerSample(
            "length with a control character",
            fielded("Content-Length: 37\u{1}\r\n"),
            .refused(.strayControl)
        ),
        AnswerSample(
            "line without a colon before a body until close",
            "HTTP/1.1 200 OK\r\ngarbage\r\n\r\n" + AnswerSample.text,
            .refused(.garbledFraming),
            then: .orderly
        ),
        AnswerSample("length without a colon", fielded("Content-Length 37\r\n"), .refused(.garbledFraming)),
        AnswerSample(
            "length with a damaged name",
            fielded("Content-Length\u{B}: 37\r\n"),
            .refused(.garbledFraming)
        ),
        AnswerSample(
            "length in a fold before the first field",
            fielded(" Content-Length: 37\r\n"),
            .refused(.garbledFraming)
        ),
        AnswerSample(
            "length and chunks",
            chunked(lines: "Content-Length: 37\r\nTransfer-Encoding: chunked\r\n"),
            .refused(.ambiguousFraming)
        ),
        AnswerSample(
            "coding that is not chunked",
            chunked(lines: "Transfer-Encoding: gzip\r\n"),
            .refused(.unknownTransferCoding)
        ),
        AnswerSample(
            "chunked under another coding",
            chunked(lines: "Transfer-Encoding: gzip, chunked\r\n"),
            .refused(.unknownTransferCoding)
        ),
        AnswerSample(
            "chunked that is not last",
            chunked(lines: "Transfer-Encoding: chunked, gzip\r\n"),
            .refused(.unknownTransferCoding)
        ),
        AnswerSample(
            "chunked with a parameter",
            chunked(lines: "Transfer-Encoding: chunked;a=b\r\n"),
            .refused(.unknownTransferCoding)
        ),
        AnswerSample("chunk size that is no number", chunked("zz"), .refused(.invalidChunkSize)),
        AnswerSample("chunk size with garbage behind it", chunked("25zz"), .refused(.invalidChunkSize)),
        AnswerSample("chunk size with 0x", chunked("0x25"), .refused(.invalidChunkSize)),
        AnswerSample("chunk size with a sign", chunked("-25"), .refused(.invalidChunkSize)),
        AnswerSample("empty chunk size", chunked(""), .refused(.invalidChunkSize)),
        AnswerSample("chunk size past 64 bits", chunked("10000000000000025"), .refused(.invalidChunkSize)),
        AnswerSample("chunk size of 64 bits", chunked("8000000000000000"), .refused(.invalidChunkSize)),
        AnswerSample("chunk longer than its size", chunked("10"), .refused(.chunkWithoutEnd)),
        AnswerSample("chunk longer than its size by a letter", chunked("23"), .refused(.chunkWithoutEnd)),
        AnswerSample("chunk without a line end", chunked(behind: ""), .refused(.chunkWithoutEnd)),
        AnswerSample("CR within a value", plain("X-A: a\rb\r\n"), .refused(.strayControl)),
        AnswerSample("two CRs at the end of a line", plain("X-A: a\r\r\n"), .refused(.strayControl)),
        AnswerSample("NUL in a value", plain("X-A: a\0b\r\n"), .refused(.strayControl)),
        AnswerSample("CR in a chunk extension", chunked("25;a\rb"), .refused(.strayControl)),
        AnswerSample("status of two digits", plain(status: "HTTP/1.1 20 OK\r\n"), .refused(.invalidStatus)),
        AnswerSample(
            "status of four digits",
            plain(status: "HTTP/1.1 2000 OK\r\n"),
            .refused(.invalidStatus)
        ),
        AnswerSample("status below 100", plain(status: "HTTP/1.1 099 OK\r\n"), .refused(.invalidStatus)),
        AnswerSample("status of letters", plain(status: "HTTP/1.1 abc OK\r\n"), .refused(.invalidStatus)),
        AnswerSample("no status", plain(status: "HTTP/1.1\r\n"), .refused(.invalidStatus)),
        AnswerSample("version 0.9", plain(status: "HTTP/0.9 200 OK\r\n"), .refused(.unsupportedVersion)),
        AnswerSample(
            "version of letters",
            plain(status: "HTTP/x.y 200 OK\r\n"),
            .refused(.unsupportedVersion)
        ),
        AnswerSample("blank before the status line", " " + plain(), .refused(.noStatusLine)),
        AnswerSample(
            "another protocol that resembles HTTP",
            plain(status: "ICY 200 OK\r\n"),
            .refused(.noStatusLine)
        ),
        AnswerSample("HTTP/0.9", "<html>no head</html>", .refused(.noStatusLine)),
        AnswerSample("HTTP/2", "\0\0\u{12}\u{4}\0\0\0\0\0", .refused(.noStatusLine)),
        AnswerSample("TLS alert", "\u{15}\u{3}\u{1}\0\u{2}\u{2}\u{46}", .refused(.tlsRecord)),
        AnswerSample("FTP greeting", "220 Welcome\r\n", .refused(.greeting)),
        AnswerSample("too many empty lines", "\r\n\r\n\r\n\r\n\r\n" + plain(), .refused(.noStatusLine)),
        AnswerSample(
            "upgrade that was not asked for",
            plain(status: "HTTP/1.1 101 Switching\r\n"),
            .refused(.unaskedUpgrade)
        ),
        AnswerSample("nothing", "", .refused(.closedBeforeAnswer), then: .orderly),
        AnswerSample("beginning of a status line", "HTT", .refused(.closedWithinHead), then: .orderly),
        AnswerSample("beginning of something else", "<ht", .refused(.noStatusLine), then: .orderly),
        AnswerSample(
            "head without its end",
            "HTTP/1.1 200 OK\r\nA: b\r\n",
            .refused(.closedWithinHead),
            then: .orderly
        ),
        AnswerSample(
            "interim answer alone",
            "HTTP/1.1 103 Hints\r\n\r\n",
            .refused(.closedWithinHead),
            then: .orderly
        ),
        AnswerSample(
            "body that is cut",
            String(plain().dropLast()),
            .refused(.closedWithinBody),
            then: .orderly
        ),
        AnswerSample(
            "body until close that is broken off",
            fielded(""),
            .refused(.closedWithinBody),
            then: .broken
        ),
        AnswerSample(
            "chunks without the last",
            chunked(last: ""),
            .refused(.closedWithinBody),
            then: .orderly
        ),
        AnswerSample(
            "last chunk without its line end",
            chunked(last: "0"),
            .refused(.closedWithinBody),
            then: .orderly
        ),
        AnswerSample(
            "chunk that is cut",
            chunked("26", behind: "", last: ""),
            .refused(.closedWithinBody),
            then: .orderly
        ),
    ]

    @Test("is refused for its reason, however the bytes are cut", arguments: samples)
    func isRefused(_ sample: AnswerSample) throws {
        guard case .refused(let fault) = sample.outcome else { return }
        for size in [Int.max, 1, 2, 3, 7] {
            let reading = try sample.read(cutInto: [size])
            #expect(reading.fault == fault)
            #expect(reading.end == nil)
        }
    }

    @Test("each fault has words of its own")
    func faultsAreToldApart() {
        let faults = Set(
            Self.samples.compactMap { sample -> WireFault? in
                guard case .refused(let fault) = sample.outcome else { return nil }
                return fault
            }
        )
        #expect(Set(faults.map(\.explanation)).count == faults.count)
        #expect(faults.filter(\.isClosing).count == 3)
    }
}
