import FerryCore
import HTTPTypes
import Testing

struct ValidatorTests {
    private static let now = Instant(seconds: 1_790_000_000)
    private static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"

    private static func validator(
        _ tag: String? = nil,
        _ modified: String? = nil,
        date: String? = nil
    ) -> Validator {
        var fields = HTTPFields()
        fields[.eTag] = tag
        fields[.lastModified] = modified
        fields[.date] = date
        return Validator(fields, receivedAt: now)
    }

    @Test(
        arguments: [
            ("\"a\"", nil, nil, Validator.Strength.strongETag),
            ("\"a\"", modified, "Sun, 06 Nov 1994 08:49:38 GMT", .strongETag),
            ("W/\"a\"", modified, "Sun, 06 Nov 1994 08:49:38 GMT", .strongDate),
            (nil, modified, "Sun, 06 Nov 1994 08:49:38 GMT", .strongDate),
            (nil, modified, "Sun, 06 Nov 1994 08:49:37 GMT", .weak),
            (nil, modified, "Sun, 06 Nov 1994 08:49:36 GMT", .weak),
            (nil, modified, nil, .weak),
            (nil, modified, "garbage", .weak),
            (nil, "garbage", "Sun, 06 Nov 1994 08:49:38 GMT", .weak),
            ("W/\"a\"", nil, nil, .weak),
            ("abc", nil, nil, .weak),
            (nil, nil, "Sun, 06 Nov 1994 08:49:38 GMT", .none),
            ("", " ", nil, .none),
        ] as [(String?, String?, String?, Validator.Strength)]
    )
    func knowsWhatAMatchIsWorth(tag: String?, modified: String?, date: String?, strength: Validator.Strength)
    {
        let validator = Self.validator(tag, modified, date: date)
        #expect(validator.strength == strength)
        #expect(validator.isEmpty == (strength == .none))
    }

    @Test(arguments: [
        (validator("\"a\""), validator("\"a\""), false),
        (validator("\"a\""), validator("\"b\""), true),
        (validator("\"a\""), validator("W/\"a\""), false),
        (validator("\"a\""), validator("\"a-gzip\""), true),
        (validator("abc"), validator("abd"), true),
        (validator("\"a\""), validator(), false),
        (validator("\"a\""), validator(nil, modified), false),
        (validator("\"a\"", modified), validator("\"a\"", "Mon, 07 Nov 1994 08:49:37 GMT"), true),
        (validator(nil, modified), validator(nil, "Sun Nov  6 08:49:37 1994"), false),
        (validator(nil, "yesterday"), validator(nil, "yesterday"), false),
        (validator(nil, "yesterday"), validator(nil, "today"), true),
        (validator(nil, "yesterday"), validator(nil, modified), true),
        (validator(nil, modified, date: modified), validator(nil, modified), false),
    ])
    func seesContradictions(one: Validator, other: Validator, contradicts: Bool) {
        #expect(one.contradicts(other) == contradicts)
        #expect(other.contradicts(one) == contradicts)
    }

    @Test func keepsTheFieldAsItCame() {
        let validator = Self.validator(nil, "  Sun Nov  6 08:49:37 1994 ")
        #expect(validator.lastModified == "Sun Nov  6 08:49:37 1994")
        #expect(validator.lastModifiedInstant == Instant(seconds: 784_111_777))
    }

    @Test func joinsTheLinesOfARepeatedField() {
        var fields = HTTPFields()
        for name in [HTTPField.Name.eTag, .lastModified] {
            fields.append(HTTPField(name: name, value: "\"a\""))
            fields.append(HTTPField(name: name, value: "\"b\""))
        }
        let validator = Validator(fields, receivedAt: Self.now)
        #expect(validator.lastModified == "\"a\", \"b\"")
        #expect(validator.entityTag == EntityTag("\"a\", \"b\"") && validator.strength == .weak)
    }

    @Test func saysNothingByDefault() {
        #expect(Validator().isEmpty)
        #expect(Validator().strength == .none)
    }
}
