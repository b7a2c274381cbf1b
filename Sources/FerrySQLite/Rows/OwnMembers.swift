import FerryCore

/// The members of a stored request that nearly every request has for itself: its checksum and its key.
///
/// They come first in its text. The rest is then the same for all requests of a list, and is encoded and decoded once. The whole
/// text is the JSON of the request, in which the order of the members means nothing.
struct OwnMembers {
    private var checksum: UInt8?
    private var key: IdempotencyKey?

    /// Takes those of a request.
    init(_ request: RequestSpecification) {
        (checksum, key) = (request.addedChecksum, request.key)
    }

    /// Takes those at the beginning of a stored text, if ``text(before:)`` would write them so. All others stay in it.
    init(takenFrom text: inout String) {
        var json = PlainJSONReader(text)
        checksum = json.number("checksum")
        key = json.member("key") { json in
            guard let field = json.string("field"), let value = json.string("value") else { return nil }
            return IdempotencyKey(field: field, value: value)
        }
        // Without the end of the object: the other members follow.
        let written = PlainJSON { write(to: &$0) }.text.utf8.dropLast()
        let rest = text.utf8.dropFirst(written.count)
        guard checksum != nil || key != nil, rest.first == UInt8(ascii: ","), text.utf8.starts(with: written)
        else {
            (checksum, key) = (nil, nil)
            return
        }
        text = "{"
        text.append(contentsOf: Substring(rest.dropFirst()))
    }

    /// The text of a request that has these members and those of another text.
    func text(before rest: String) -> String {
        let json = PlainJSON { json in
            write(to: &json)
            json.members(of: rest)
        }
        return json.text
    }

    private func write(to json: inout PlainJSON) {
        json.member("checksum", checksum)
        if let key {
            json.member("key") { json in
                json.member("field", key.field)
                json.member("value", key.value)
            }
        }
    }

    /// Gives them to the request that was read from the rest of its text.
    func complete(_ request: inout RequestSpecification) throws(RequestSpecification.Flaw) {
        if let checksum { request.addedChecksum = checksum }
        if let key { try request.take(stored: key) }
    }
}
