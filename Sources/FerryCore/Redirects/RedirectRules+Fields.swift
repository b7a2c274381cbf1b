public import HTTPTypes

extension RedirectRules {
    /// Fields that prove who asks, and so stay with the origin that they were meant for (I7).
    public static let sensitiveFields: Set<HTTPField.Name> = {
        var names: Set<HTTPField.Name> = [.authorization, .cookie, .proxyAuthorization]
        for text in [
            "Cookie2", "X-Api-Key", "X-Auth-Token", "X-Amz-Security-Token", "Private-Token", "Job-Token",
        ] {
            if let name = HTTPField.Name(text) { names.insert(name) }
        }
        return names
    }()

    /// The fields of a request that go along to the next hop.
    ///
    /// - Parameters:
    ///   - fields: The fields of the request that was redirected.
    ///   - marked: More names to be treated as sensitive, such as those that the user gave.
    ///   - dropsCredentials: As in ``Outcome/follow(_:method:dropsCredentials:dropsBody:)``, for this hop or any
    ///     before it.
    ///   - dropsBody: As there: the fields that describe a body go with it (RFC 9110 §15.4).
    public static func carriedFields(
        _ fields: HTTPFields,
        marked: Set<HTTPField.Name> = [],
        dropsCredentials: Bool,
        dropsBody: Bool
    ) -> HTTPFields {
        var carried = HTTPFields()
        for field in fields {
            if dropsCredentials, sensitiveFields.contains(field.name) || marked.contains(field.name) {
                continue
            }
            if dropsBody, describesBody(field.name) { continue }
            carried.append(field)
        }
        return carried
    }

    private static func describesBody(_ name: HTTPField.Name) -> Bool {
        let text = name.canonicalName
        return text.hasPrefix("content-") || text == "transfer-encoding" || text == "digest"
            || text == "repr-digest"
    }
}
