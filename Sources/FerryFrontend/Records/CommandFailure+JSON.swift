import Ferry

extension CommandFailure {
    /// The failure as `--json` prints it on standard error.
    package var json: JSON {
        var members: [JSON.Member] = [
            .init(name: "code", value: .string(code)),
            .init(name: "message", value: .string(([message] + further).joined(separator: " "))),
            .init(name: "hint", value: .optional(hint)),
            .init(name: "exitStatus", value: .int(Int64(status.rawValue))),
        ]
        if let transfer { members.append(.init(name: "id", value: .int(transfer.rawValue))) }
        return ["error": .object(members)]
    }
}
