import FerryCore
import HTTPTypes

extension InputProperty {
    /// An entity tag is kept octet for octet, is strong only if RFC 9110 §8.8.3 says so, and matches itself.
    package static let entityTag = InputProperty("entity-tag") { input in
        let text = input.text
        guard let tag = EntityTag(text) else { return }
        let kept = tag.description
        try require(!kept.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "no control character is sent back")
        try require(!kept.isEmpty, "a tag is not empty")
        try require(EntityTag(kept) == tag, "what is written is read as the same")
        try require(tag.isStrong == isStrongTag(kept), "strong is what the grammar calls so")
        try require(tag.weakMatches(tag), "a tag matches itself")
        try require(tag.strongMatches(tag) == tag.isStrong, "only a strong tag matches strongly")
        guard tag.isStrong, let weak = EntityTag("W/" + kept) else { return }
        try require(!weak.isStrong, "W/ makes a tag weak")
        try require(weak.weakMatches(tag) && tag.weakMatches(weak), "W/ is no part of what is compared")
        try require(!weak.strongMatches(tag), "a weak tag matches nothing strongly")
    }

    private static func isStrongTag(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        guard scalars.count >= 3, scalars[0] == "\"", scalars[scalars.count - 1] == "\"" else { return false }
        return scalars[1..<(scalars.count - 1)].allSatisfy { $0 > " " && $0 != "\"" && $0 != "\u{FFFD}" }
    }

    /// The validators of a response never contradict themselves, and contradict those of another
    /// symmetrically.
    package static let validator = InputProperty("validator") { input in
        let lines = input.lines
        let texts = (0..<6).map { $0 < lines.count ? lines[$0] : "" }
        let validators = [texts[..<3], texts[3...]].map { three in
            let texts = Array(three)
            var fields = HTTPFields()
            if !texts[0].isEmpty { fields[.eTag] = texts[0] }
            if !texts[1].isEmpty { fields[.lastModified] = texts[1] }
            if !texts[2].isEmpty { fields[.date] = texts[2] }
            return Validator(fields, receivedAt: Instant(seconds: 1_700_000_000))
        }
        let (one, other) = (validators[0], validators[1])
        for validator in validators {
            try require(!validator.contradicts(validator), "a response agrees with itself")
            try require(!validator.contradicts(Validator()), "nothing contradicts silence")
            try require(
                validator.isEmpty == (validator.strength == .none),
                "what says nothing is worth nothing"
            )
        }
        try require(
            one.contradicts(other) == other.contradicts(one),
            "a contradiction is one from both sides"
        )
    }
}
