extension ListFile {
    /// An option below a URL. The names are those of aria2 (aria2c(1), "Input File"), and `window`, `max-filesize` and `retry-on`
    /// are Ferry's own.
    enum Option: String, CaseIterable {
        case out, dir, checksum, window, header, referer, split
        case userAgent = "user-agent"
        case connectionsPerServer = "max-connection-per-server"
        case httpUser = "http-user"
        case httpPassword = "http-passwd"
        case allowOverwrite = "allow-overwrite"
        case autoFileRenaming = "auto-file-renaming"
        case remoteTime = "remote-time"
        case maximumLength = "max-filesize"
        case retriedStatuses = "retry-on"

        /// The names for a message about another one.
        static var names: String {
            allCases.dropLast().map(\.rawValue).joined(separator: ", ") + " or "
                + allCases[allCases.endIndex - 1].rawValue
        }
    }

    /// Options of aria2 that are accepted without effect; a warning names them. aria2 writes them into the lists of its sessions
    /// (`--save-session`).
    static let withoutEffect: Set = [
        "allow-piece-length-change", "always-resume", "async-dns", "check-integrity", "conditional-get",
        "continue",
        "enable-http-keep-alive", "enable-http-pipelining", "file-allocation", "force-save", "gid",
        "hash-check-only", "http-accept-gzip", "max-resume-failure-tries", "min-split-size",
        "no-file-allocation-limit",
        "no-netrc", "parameterized-uri", "pause", "piece-length", "realtime-chunk-checksum",
        "remove-control-file", "reuse-uri", "save-not-found", "stream-piece-selector", "uri-selector",
        "use-head",
    ]
}

extension ListFile.Entry {
    /// Applies `NAME=VALUE`.
    mutating func apply(_ line: ArraySlice<UInt8>) throws(ListFile.Reason) {
        let equals = line.firstIndex(of: 0x3D)
        let name = line[..<(equals ?? line.endIndex)].trimmingBlanks.text
        if ListFile.withoutEffect.contains(name) { return ignored.append(name) }
        guard let option = ListFile.Option(rawValue: name) else {
            throw .unknownOption(ListFile.quotable(name))
        }
        guard let equals else { throw .missingValue(option: name) }
        let value = line[(equals + 1)...].trimmingBlanks
        guard !value.isEmpty else { throw .missingValue(option: name) }
        try apply(option, value)
    }

    private mutating func apply(
        _ option: ListFile.Option,
        _ value: ArraySlice<UInt8>
    ) throws(ListFile.Reason) {
        switch option {
        case .out, .dir:
            guard !value.contains(0) else { throw .controlCharacter(option: option.rawValue) }
            if option == .out { output = value.text } else { directory = value.text }
        case .checksum:
            do {
                checksum = try Checksum(parsing: value.text)
            } catch {
                throw .invalidChecksum(error)
            }
        case .window:
            do {
                window = try TimeWindow(parsing: value.text)
            } catch {
                throw .invalidWindow(error)
            }
        case .header: try add(value.text)
        case .referer: try add("Referer: " + value.text)
        case .userAgent: try add("User-Agent: " + value.text)
        case .split, .connectionsPerServer:
            guard let count = DecimalNumber(value)?.fitting, count > 0 else {
                throw .invalidNumber(option: option.rawValue)
            }
            connections = min(connections ?? .max, Int(clamping: count))
        case .httpUser: user = value.text
        case .httpPassword: password = value.text
        case .allowOverwrite: overwrites = try Self.isTrue(value, option)
        case .autoFileRenaming: renames = try Self.isTrue(value, option)
        case .remoteTime: keepsServerTime = try Self.isTrue(value, option)
        case .maximumLength:
            do {
                maximumLength = try ByteCount(parsing: value.text).bytes
            } catch {
                throw .invalidSize(error)
            }
            guard maximumLength != 0 else { throw .invalidNumber(option: option.rawValue) }
        case .retriedStatuses:
            do {
                retriedStatuses = try StatusList(parsing: value.text).statuses
            } catch {
                throw .invalidStatuses(error)
            }
        }
    }

    private mutating func add(_ header: String) throws(ListFile.Reason) {
        do {
            headers.append(try HeaderLine(forRequests: header))
        } catch {
            throw .invalidHeader(error)
        }
    }

    private static func isTrue(
        _ value: ArraySlice<UInt8>,
        _ option: ListFile.Option
    ) throws(ListFile.Reason) -> Bool {
        switch value.text {
        case "true": true
        case "false": false
        default: throw .notTrueOrFalse(option: option.rawValue)
        }
    }
}
