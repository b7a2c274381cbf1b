import FerryCore
import HTTPTypes

extension InputProperty {
    /// For any bytes of an answer: the sizes of the pieces change nothing, no field contradicts the framing of the
    /// body, and the body is where the framing says (RFC 9112 §6.3).
    ///
    /// The first line has the method and the sizes of pieces, with blanks between; the rest are the bytes.
    package static let answer = InputProperty("answer") { input in
        let (head, tail) = input.headAndTail
        let words = head.split(separator: " ")
        let method = words.first.map { HTTPRequest.Method(String($0)) ?? .get } ?? .get
        let sizes = words.dropFirst().compactMap { Int($0) }.map { min($0, 1 << 20) }
        var limits = ResponseLimits()
        // These bounds are low, so that a small input can reach each of them.
        if sizes.first == 7 { (limits.headBytes, limits.lineBytes, limits.fields) = (200, 60, 4) }
        if sizes.first == 7 { (limits.trailerBytes, limits.chunkLineBytes) = (80, 40) }
        for closing in [AnswerReading.Closing.none, .orderly, .broken] {
            let whole = try AnswerReading(
                tail.bytes,
                cutInto: [],
                answering: method,
                limits: limits,
                then: closing
            )
            for sizes in [[1], [2, 3], sizes] {
                let cut = try AnswerReading(
                    tail.bytes,
                    cutInto: sizes,
                    answering: method,
                    limits: limits,
                    then: closing
                )
                try require(cut == whole, "how bytes are cut changes nothing")
            }
            try requireFramed(whole, of: tail.bytes, answering: method, closing)
        }
    }

    /// Throws unless a reading is consistent in itself and with what its head says.
    private static func requireFramed(
        _ reading: AnswerReading,
        of bytes: [UInt8],
        answering method: HTTPRequest.Method,
        _ closing: AnswerReading.Closing
    ) throws(Violation) {
        guard let head = reading.head, let framing = reading.framing else {
            try require(reading.body.isEmpty && reading.end == nil, "without a head there is nothing")
            return
        }
        try require((200...999).contains(head.status), "a final status has three digits")
        try require(
            reading.interim.allSatisfy { (100..<200).contains($0.status) },
            "an interim one begins with 1"
        )
        try require(head.bodyLength == framing.bodyLength, "a head tells the length of its framing")
        if let length = framing.bodyLength {
            try require(Int64(reading.body.count) <= length, "a body is not longer than its length")
            try require(reading.end == nil || Int64(reading.body.count) == length, "nor shorter, at its end")
        }
        if framing == .untilClose {
            try require(reading.end == nil || closing == .orderly, "only an orderly close ends such a body")
        }
        if let end = reading.end {
            try require(end.framing == framing, "the end agrees with the head")
            try require(framing == .chunked || end.trailers.isEmpty, "only chunks have trailers")
            try require(reading.fault == nil, "a whole answer is right")
        }
        if framing == .none {
            let isTunnel = method == .connect && head.status / 100 == 2
            try require(
                method == .head || [204, 304].contains(head.status) || isTunnel,
                "others have a body"
            )
            return
        }
        try requireAgreeing(head.headers, with: framing)
        guard let start = end(ofHeads: reading.interim.count + 1, in: bytes) else { return }
        if framing == .chunked {
            let read = reading.end == nil ? nil : reading.body
            try require(
                read == nil || read == chunks(in: bytes[start...]),
                "chunks are as long as their sizes say"
            )
        } else {
            try require(bytes[start...].starts(with: reading.body), "a body follows its head")
        }
    }

    /// The data of chunks, read in the simplest way; `nil` when they are invalid or have no end.
    private static func chunks(in bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var rest = bytes
        var data: [UInt8] = []
        while let end = rest.firstIndex(of: 0x0A) {
            let line = String(decoding: rest[..<end], as: UTF8.self).unicodeScalars.prefix { $0 != ";" }
            let digits = String(
                String.UnicodeScalarView(line.filter { !" \t\r".unicodeScalars.contains($0) })
            )
            guard !digits.hasPrefix("+"), let size = Int(digits, radix: 16), size >= 0 else { return nil }
            rest = rest[(end + 1)...]
            if size == 0 { return data }
            guard size < rest.count else { return nil }
            data += rest.prefix(size)
            rest = rest.dropFirst(size)
            if rest.first == 0x0D { rest = rest.dropFirst() }
            guard rest.popFirst() == 0x0A else { return nil }
        }
        return nil
    }

    /// Throws when fields contradict the framing that was read from them. The fields are read in another way here.
    private static func requireAgreeing(_ fields: HTTPFields, with framing: BodyFraming) throws(Violation) {
        func members(_ name: HTTPField.Name) -> [String] {
            fields[values: name].flatMap { $0.split(separator: ",") }
                .map { member in String(member.filter { $0 != " " && $0 != "\t" }).lowercased() }
                .filter { !$0.isEmpty }
        }
        let lengths = members(.contentLength)
        let codings = members(.transferEncoding).filter { $0 != "identity" }
        try require(Set(lengths.map { Int64($0) }).count <= 1, "lengths do not differ")
        try require(codings.isEmpty || lengths.isEmpty, "a length and a coding do not stand together")
        try require(codings.allSatisfy { $0 == "chunked" }, "no coding is unknown")
        switch framing {
        case .length(let length):
            try require(lengths.allSatisfy { Int64($0) == length }, "the length is the one said")
        case .chunked: try require(!codings.isEmpty, "chunks are said")
        case .untilClose: try require(codings.isEmpty && lengths.isEmpty, "what is said is not ignored")
        case .none: break
        }
    }

    /// The place after the first heads. Each head ends with an empty line.
    private static func end(ofHeads count: Int, in bytes: [UInt8]) -> Int? {
        var left = count
        var place = bytes.startIndex
        var isWithin = false
        while let end = bytes[place...].firstIndex(of: 0x0A) {
            let isEmpty = end == place || end == place + 1 && bytes[place] == 0x0D
            place = end + 1
            if isEmpty, isWithin {
                left -= 1
                isWithin = false
                if left == 0 { return place }
            } else if !isEmpty {
                isWithin = true
            }
        }
        return nil
    }
}
