import Ferry

/// One request of a list: a JSON object. What it does not say, the command line says for all of them.
struct RequestLine {
    /// What is asked to be sent.
    private(set) var input: SendInput
    /// Its unique name, if it has one.
    private(set) var uuid: TransferUUID?

    /// Reads a line.
    ///
    /// - Parameter defaults: what the command line says.
    /// - Throws: ``CommandFailure`` with status 64 for anything but an object of known members.
    init(_ bytes: ArraySlice<UInt8>, _ defaults: SendInput) throws(CommandFailure) {
        input = defaults
        input.isListed = true
        guard let members = JSONText.members(of: bytes) else {
            throw .usage(
                "It is not a JSON object.",
                hint: #"Write one on each line: {"method": "POST", "url": "..."}"#
            )
        }
        var names: Set<String> = []
        for member in members {
            guard names.insert(member.name).inserted else {
                throw .usage("The member \(QuotedWord(member.name)) is given twice.")
            }
            try take(member)
        }
        for name in ["method", "url"] where !names.contains(name) {
            throw .usage("The member \"\(name)\" is missing.")
        }
    }

    private mutating func take(_ member: JSONText.Member) throws(CommandFailure) {
        switch member.name {
        case "method": input.method = try text(member)
        case "url": input.url = try text(member)
        case "headers": try takeHeaders(member)
        case "data": input.data = try text(member)
        case "file": try takeFile(member)
        case "json": input.dataJSON = String(decoding: member.value, as: UTF8.self)
        case "form": try takeForm(member)
        case "key": try takeKey(member)
        case "success": input.success += try numbers(member).map(Int.init)
        case "retries": input.connection.retries = Int(try number(member))
        case "responseLimit": input.responseLimit = "\(try number(member))"
        case "queue": input.placement.queue = try text(member)
        case "priority": input.placement.priority = Int(try number(member))
        case "after": try takeOrder(member)
        case "values": try takeValues(member)
        case "window": input.placement.window = try text(member)
        case "notAfter": input.placement.notAfter = try text(member)
        case "tag": input.placement.tag = try name(member, TransferTag.init(_:))
        case "type": input.type = try name(member, TransferType.init(_:))
        case "uuid":
            guard let uuid = TransferUUID(try text(member)) else {
                throw .usage("\"uuid\" is not a UUID.")
            }
            self.uuid = uuid
        default:
            throw .usage(
                "A request has no member \(QuotedWord(member.name)).",
                hint: Self.member(meantBy: member.name).map { "Did you mean \"\($0)\"?" }
                    ?? "The manual lists the members."
            )
        }
    }

    /// The members that a request may have.
    static let memberNames = [
        "method", "url", "headers", "data", "file", "json", "form", "key", "success", "retries",
        "responseLimit", "queue", "priority", "after", "values", "window", "notAfter", "tag", "type", "uuid",
    ]

    /// The member that a misspelled name stands for; `nil` if it is like none of them.
    private static func member(meantBy name: String) -> String? {
        EditDistance.nearest(to: name, among: memberNames, within: name.utf8.count / 3)
    }

    private mutating func takeFile(_ member: JSONText.Member) throws(CommandFailure) {
        let path = try text(member)
        guard path != "-" else {
            throw .usage("\"file\" must be the path of a file; \"-\" has no meaning in a list.")
        }
        input.dataFile = path
    }

    private mutating func takeHeaders(_ member: JSONText.Member) throws(CommandFailure) {
        for field in try members(member) {
            let values = JSONText.elements(of: field.value) ?? [field.value]
            for value in values {
                guard let text = JSONText.string(value) else {
                    throw .usage("A value of \"headers\" must be a string, or an array of strings.")
                }
                input.request.header.append("\(field.name): \(text)")
            }
        }
    }

    /// Numbers are IDs, and strings are UUIDs, also of earlier lines.
    private mutating func takeOrder(_ member: JSONText.Member) throws(CommandFailure) {
        let elements = JSONText.elements(of: member.value) ?? []
        for element in elements {
            if let text = JSONText.string(element), let uuid = TransferUUID(text) {
                input.placement.afterUUIDs.append(uuid)
            } else if let number = Int64(String(decoding: element, as: UTF8.self)) {
                input.placement.after.append(TransferID(rawValue: number))
            } else {
                throw .usage("\"after\" must be an array of IDs (numbers) and UUIDs (strings).")
            }
        }
        guard !elements.isEmpty else { throw .usage("\"after\" must be an array of IDs and UUIDs.") }
    }

    private mutating func takeValues(_ member: JSONText.Member) throws(CommandFailure) {
        for value in try members(member) {
            guard let text = JSONText.string(value.value) else {
                throw .usage("A value of \"values\" must be a string, such as \"7:/photo/id\".")
            }
            // No name with this sign is valid, and it must not end the name early.
            guard !value.name.contains("=") else {
                throw .usage("\"values\": \(QuotedWord(value.name)) cannot name a value.")
            }
            input.values.append("\(value.name)=\(text)")
        }
    }

    private mutating func takeForm(_ member: JSONText.Member) throws(CommandFailure) {
        for field in try members(member) {
            guard let text = JSONText.string(field.value) else {
                throw .usage("A value of \"form\" must be a string.")
            }
            input.form.append("\(field.name)=\(text)")
        }
    }

    /// A string is the key; null sends none.
    private mutating func takeKey(_ member: JSONText.Member) throws(CommandFailure) {
        if member.value.elementsEqual("null".utf8) {
            (input.key, input.sendsNoKey) = (nil, true)
        } else {
            (input.key, input.sendsNoKey) = (try text(member), false)
        }
    }

    private func text(_ member: JSONText.Member) throws(CommandFailure) -> String {
        guard let text = JSONText.string(member.value) else {
            throw .usage("\"\(member.name)\" must be a string.")
        }
        return text
    }

    private func name<Name>(
        _ member: JSONText.Member,
        _ read: (String) throws(TransferTag.Invalid) -> Name
    ) throws(CommandFailure) -> Name {
        let word = try text(member)
        do throws(TransferTag.Invalid) {
            return try read(word)
        } catch {
            throw .usage("\"\(member.name)\": \(error)")
        }
    }

    private func number(_ member: JSONText.Member) throws(CommandFailure) -> Int64 {
        guard let number = Int64(String(decoding: member.value, as: UTF8.self)) else {
            throw .usage("\"\(member.name)\" must be a whole number.")
        }
        return number
    }

    private func numbers(_ member: JSONText.Member) throws(CommandFailure) -> [Int64] {
        let elements = JSONText.elements(of: member.value) ?? []
        let numbers = elements.compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
        guard !numbers.isEmpty, numbers.count == elements.count else {
            throw .usage("\"\(member.name)\" must be an array of whole numbers.")
        }
        return numbers
    }

    private func members(_ member: JSONText.Member) throws(CommandFailure) -> [JSONText.Member] {
        guard let members = JSONText.members(of: member.value) else {
            throw .usage("\"\(member.name)\" must be an object.")
        }
        return members
    }
}
