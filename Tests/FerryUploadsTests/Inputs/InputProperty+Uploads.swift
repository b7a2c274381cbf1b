import FerryCore
import FerryTesting
import HTTPTypes

@testable import FerryUploads

extension InputProperty {
    /// The properties of what reads the answers of upload servers and stores.
    static let uploads: [InputProperty] = [json, storeDocument, uploadAnswer]

    // MARK: Answers

    static let protocols: [(name: String, wire: any UploadProtocol)] = [
        ("tus", Tus()), ("ietf", ResumableHTTP()), ("s3", S3()), ("oss", S3(.alibaba)),
        ("gcs", GoogleResumable()), ("gcs-json", GoogleResumable(.json)),
    ]

    /// Of any answer to any step, a protocol believes nothing that cannot be.
    ///
    /// The first line is the protocol, the step, the status and the length of the file; then come fields up to an empty line,
    /// and the body.
    static let uploadAnswer = InputProperty("upload-answer") { input in
        let (first, tail) = input.headAndTail
        let words = first.split(separator: " ").map(String.init)
        guard words.count == 4, let wire = protocols.first(where: { $0.name == words[0] })?.wire,
            let status = Int(words[2]), let length = Int64(words[3]), length >= 0
        else { return }
        var (fields, rest) = (HTTPFields(), tail)
        while !rest.bytes.isEmpty, fields.count < 200 {
            let (line, others) = rest.headAndTail
            rest = others
            if line.isEmpty { break }
            do throws(HeaderLine.ParseError) {
                let line = try HeaderLine(parsing: line)
                fields.append(HTTPField(name: line.name, value: line.value))
            } catch {
                continue
            }
        }
        let url = try HTTPURL(parsing: "https://up.example/files/")
        var record = UploadRecord(url: url, length: length, fileName: "a.bin")
        let half = length / 2
        let part = UploadPart(number: 1, range: 0..<half, isLast: half == length)
        guard let step = step(named: words[1], part) else { return }
        if step != .create { record.handle = UploadHandle(url: url, name: "U") }
        record.parts = [SentPart(number: 1, length: half, tag: "\"a\"")]
        let answer = UploadAnswer(status, fields, body: rest.bytes, from: url)
        let now = Instant(seconds: 1_700_000_000)
        try requirePossible(
            wire.reading(answer, to: step, of: record, at: now),
            of: answer,
            to: step,
            of: record
        )
    }

    private static func step(named name: String, _ part: UploadPart) -> UploadStep? {
        switch name {
        case "discover": .discover
        case "whole": .sendWhole
        case "create": .create
        case "ask": .ask(after: nil)
        case "next": .ask(after: "1")
        case "append": .append(part)
        case "complete": .complete
        case "look": .look
        case "abort": .abort
        default: nil
        }
    }

    /// Throws unless an answer can mean this.
    static func requirePossible(
        _ reading: UploadReading,
        of answer: UploadAnswer,
        to step: UploadStep,
        of record: UploadRecord
    ) throws(Violation) {
        let isPossible =
            switch reading {
            case .created(let handle, let offset):
                step == .create && (0...record.length).contains(offset) && handle.url.scheme != .http
                    && (handle.url.origin == record.url.origin || handle.url.user == nil)
            case .reached(let offset, _): (0...record.length).contains(offset)
            case .misplaced(let offset): offset.map { (0...record.length).contains($0) } ?? true
            case .lists(let parts, let next):
                parts.allSatisfy { (1...10_000).contains($0.number) && $0.length >= 0 && !$0.tag.isEmpty }
                    && (next == nil || leads(next, beyond: step))
            case .took(let sent):
                if case .append(let part) = step {
                    sent.number == part.number
                        && sent.length == part.range.upperBound - part.range.lowerBound
                } else {
                    false
                }
            case .done: answer.status < 300 || step == .complete
            case .absent: step == .look
            case .resembles(_, let checksum):
                step == .look && record.length <= 1 << 30 && !checksum.hex.isEmpty
            case .removed: step == .abort
            case .offers: step == .discover || step == .create
            case .failed(let problem):
                problem.failure.message.utf8.count < 400
                    && !problem.failure.message.utf8.contains { $0 < 0x20 || $0 == 0x7F }
            case .gone, .damaged, .notSpoken: true
            }
        try require(isPossible, "\(step) \(answer.status) cannot mean \(reading)")
    }

    /// Whether a page of parts is followed by one that begins later.
    private static func leads(_ next: String?, beyond step: UploadStep) -> Bool {
        guard case .ask(let former) = step, let next, let number = Int64(next) else { return false }
        return number > (former.flatMap { Int64($0) } ?? 0)
    }

    // MARK: Documents

    /// A document of a store is refused or read as one with bounded depth; its text is written and read as the same; and what
    /// a message quotes of an error is a word.
    static let storeDocument = InputProperty("store-document") { input in
        let url = try HTTPURL(parsing: "https://up.example/files/")
        let answer = UploadAnswer(400, body: input.bytes, from: url)
        if let error = ObjectStoreError(answer) {
            let message = error.problem(in: answer, at: .epoch).failure.message
            try require(message.utf8.count < 800, "I9: a message is short")
            try require(!message.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a message is one line")
        }
        let root: XMLElement
        do {
            root = try XMLElement(reading: input.bytes)
        } catch {
            return
        }
        let again = try XMLElement(reading: Array("<r>\(XMLElement.escaped(root.text))</r>".utf8))
        try require(again.text == root.text && again.children.isEmpty, "a text is read as it was written")
        for dialect in [S3Dialect.amazon, .alibaba] {
            guard let list = PartList(input.bytes, of: root.text(of: "UploadId"), after: "2", dialect) else {
                continue
            }
            try require(list.next.map { Int64($0) ?? 0 > 2 } ?? true, "a page leads further")
            try require(
                list.parts.allSatisfy { (1...10_000).contains($0.number) && $0.length >= 0 },
                "a part is one"
            )
        }
    }

    /// The members of an object and the elements of an array are JSON texts themselves, and a string is read as it was written.
    /// This is what reads the credentials of instances and containers.
    static let json = InputProperty("json") { input in
        if let members = JSONText.members(of: input.bytes[...]) {
            try require(JSONText.isValid(input.bytes), "an object is a text")
            for member in members {
                try require(JSONText.isValid(Array(member.value)), "a value is a text")
                try requireReadable(member.name)
                if let text = JSONText.string(member.value) { try requireReadable(text) }
            }
        }
        guard JSONText.isValid(input.bytes) else { return }
        for element in JSONText.elements(of: input.bytes[...]) ?? [] {
            try require(JSONText.isValid(Array(element)), "an element is a text")
        }
    }

    private static func requireReadable(_ text: String) throws(Violation) {
        try require(JSONText.string(Array(JSONText.quoted(text).utf8)[...]) == text, "a string is kept")
    }
}
