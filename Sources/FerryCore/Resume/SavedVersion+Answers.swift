/// What an answer says about a saved file.
extension SavedVersion {
    /// Whether an answer with a body has nothing but the saved version, from a server that ignores conditions.
    func isRepeated(by facts: ResponseFacts) -> Bool {
        guard facts.status == 200, let tag = validator.entityTag, let theirs = facts.validator.entityTag
        else {
            return false
        }
        return facts.isOf(resource: source) && tag.strongMatches(theirs)
            && !validator.contradicts(facts.validator) && facts.contentCoding == contentCoding && !isDecoded
            && facts.bodyLength == length
    }
}
