import Foundation

/// A text of a scenario. Its escapes are resolved, and every `{…}` is filled in when the text is used.
struct ScenarioText: Hashable, Sendable {
    private var pieces: [Piece] = []

    private enum Piece: Hashable, Sendable {
        case bytes([UInt8])
        case place(String)
    }

    /// Reads `\r \n \t \0 \\ \{ \xHH` and `{…}`. All other text is literal.
    init(_ source: String) throws(ScenarioMistake) {
        var bytes: [UInt8] = []
        var rest = Array(source.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\\"):
                bytes.append(try Self.escaped(&rest, in: source))
            case UInt8(ascii: "{"):
                guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
                    throw ScenarioMistake("'{' without '}' in \(source)")
                }
                pieces.append(.bytes(bytes))
                pieces.append(.place(String(decoding: rest[..<end], as: UTF8.self)))
                bytes = []
                rest = rest[(end + 1)...]
            default:
                bytes.append(byte)
            }
        }
        pieces.append(.bytes(bytes))
    }

    private static func escaped(
        _ rest: inout ArraySlice<UInt8>,
        in source: String
    ) throws(ScenarioMistake) -> UInt8 {
        switch rest.popFirst() {
        case UInt8(ascii: "r"): return 13
        case UInt8(ascii: "n"): return 10
        case UInt8(ascii: "t"): return 9
        case UInt8(ascii: "0"): return 0
        case UInt8(ascii: "\\"): return UInt8(ascii: "\\")
        case UInt8(ascii: "{"): return UInt8(ascii: "{")
        case UInt8(ascii: "x"):
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            rest = rest.dropFirst(2)
            guard digits.utf8.count == 2, let byte = UInt8(digits, radix: 16) else { fallthrough }
            return byte
        default:
            throw ScenarioMistake("an escape that is none in \(source)")
        }
    }

    /// The bytes, with every `{…}` filled in by `fill`.
    func bytes(_ fill: (String) throws -> String) rethrows -> [UInt8] {
        try pieces.flatMap { piece in
            switch piece {
            case .bytes(let bytes): bytes
            case .place(let name): Array(try fill(name).utf8)
            }
        }
    }

    /// Whether it contains `{name}`.
    func mentions(_ name: String) -> Bool { pieces.contains(.place(name)) }
}

/// The reason why a scenario cannot be read.
struct ScenarioMistake: Error, Hashable, CustomStringConvertible {
    var what: String
    var file = ""
    var line = 0

    init(_ what: String) {
        self.what = what
    }

    var description: String { "\(file):\(line): \(what)" }
}
