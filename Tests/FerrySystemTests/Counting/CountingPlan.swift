import Foundation

/// The requests of the counting tests: in one queue with keys, in one without, and in a strict one with keys.
struct CountingPlan: Sendable {
    /// The queue of a request, which is the first segment of its path.
    enum Line: String, CaseIterable, Sendable {
        case keyed, keyless, strict

        var hasKey: Bool { self != .keyless }
        /// How many of its requests may be sent at once; 0 for no limit.
        var slots: Int { self == .strict ? 1 : 0 }
    }

    /// How many requests there are.
    let count: Int

    /// The padding of a long body, which does not arrive in one piece.
    private static let longest = 1 << 17
    /// The longest body is in a file, which is read when a request is sent.
    static let upload = Content(count: 1_300_000, seed: 431)

    /// The queue of a request.
    static func line(of number: Int) -> Line {
        switch number % 10 {
        case 0..<5: .keyed
        case 5..<9: .keyless
        default: .strict
        }
    }

    /// The path of a request.
    static func path(of number: Int) -> String { "\(line(of: number))/\(number)" }

    /// The number of the request with this path or URL.
    static func number(of path: String) -> Int? { path.split(separator: "/").last.flatMap { Int($0) } }

    /// The transfer's UUID.
    static func uuid(of number: Int) -> String { String(format: "01890a5d-ac96-774b-bcce-%012d", number) }

    /// The key as it must arrive; `nil` without one.
    static func key(of number: Int) -> String? { line(of: number).hasKey ? "\"\(uuid(of: number))\"" : nil }

    private static func isUpload(_ number: Int) -> Bool { number % 83 == 4 }

    /// The body as it must arrive.
    static func body(of number: Int) -> [UInt8] {
        isUpload(number) ? Array(upload.bytes) : Array(text(of: number).utf8)
    }

    private static func text(of number: Int) -> String {
        let length = number % 29 == 7 ? longest : number * 7919 % 3000
        return #"{"n":\#(number),"pad":"\#(String(repeating: "x", count: length))"}"#
    }

    /// The list that `ferry send -i` adds.
    ///
    /// - Parameters:
    ///   - origin: the beginning of each URL.
    ///   - file: the path of the file with ``upload``.
    func list(origin: String, file: String) -> String {
        (0..<count).map { number in
            let line = Self.line(of: number)
            let body = Self.isUpload(number) ? #""file":"\#(file)""# : #""json":\#(Self.text(of: number))"#
            let key = line.hasKey ? "" : #","key":null"#
            return
                #"{"method":"POST","url":"\#(origin)\#(Self.path(of: number))",\#(body),"queue":"\#(line)""#
                + #","retries":1000,"uuid":"\#(Self.uuid(of: number))"\#(key)}"# + "\n"
        }.joined()
    }
}
