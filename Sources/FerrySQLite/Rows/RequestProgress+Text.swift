import FerryCore

extension RequestProgress {
    /// The JSON text, written without an encoder; `nil` if there is something that few requests have, or the body of the response.
    ///
    /// Such a text is written twice for every request, so its cost counts.
    var plainText: String? {
        guard unsaved == nil, values == nil, former == nil, note == nil, hasRemovedCopy == nil,
            response?.body.isEmpty ?? true
        else { return nil }
        // In the order of the keys.
        let json = PlainJSON { json in
            json.member("bodyLength", bodyLength)
            if let response { json.member("response") { $0.members(of: response) } }
            json.member("sent", sent)
            json.member("sentBefore", sentBefore)
            if let upload {
                json.member("upload") { json in
                    json.member("length", upload.length)
                    json.member("sent", upload.sent)
                }
            }
        }
        return json.text
    }
}

extension PlainJSON {
    fileprivate mutating func members(of response: StoredResponse) {
        member("fields", response.fields) { json, field in
            json.member("name", field.name)
            json.member("value", field.value)
        }
        if response.isTruncated { member("isTruncated", true) }
        member("savedLength", response.savedLength)
        member("status", response.status)
    }
}
