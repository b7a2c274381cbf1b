import Foundation

/// The server on the far side.
struct FarServer: Sendable {
    let log: String

    /// A request, logged at its end.
    struct Arrival: Sendable {
        /// The time of its arrival, in seconds since 1970.
        var time: Double
        var status: Int
        /// The offset at which it began.
        var start: Int
    }

    var arrivals: [Arrival] {
        let text = FileManager.default.contents(atPath: log).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "|", omittingEmptySubsequences: false)
            guard fields.count == 4, let end = Double(fields[0]), let took = Double(fields[1]),
                let status = Int(fields[2])
            else { return nil }
            let start = Int(fields[3].drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 0
            return Arrival(time: end - took, status: status, start: start)
        }
    }

    /// The URL of a file.
    func url(_ name: String, at address: String = VirtualNetwork.Side.far.address) -> String {
        "http://\(address):8080/\(name)"
    }
}
