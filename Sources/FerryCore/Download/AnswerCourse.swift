/// What is done about the head of an answer. It depends on the verdict, and on what the other connections and sources
/// bring.
enum AnswerCourse: Hashable, Sendable {
    /// It is an answer of the lead, and is used as the verdict says.
    case follow(ResponseVerdict)
    /// It is an answer of another source, with the right part of the lead's file. Its first bytes are compared.
    case join(comparing: Int64)
    /// It has the bytes of a comparison, which are compared and not written.
    case compare(Comparison)
    /// The source is not used any more. In this attempt it is remembered with this problem.
    case exclude(Mirroring.Exclusion, Problem? = nil)
    /// The answer shows a problem, which is handled as a failure of the connection.
    case refuse(Problem)
    /// The attempt ends with this problem.
    case fail(Problem)
    /// The others continue, and their number becomes the limit of the source.
    case limitSource
    /// The others continue, and the source is asked for no further connection for a while. The answer may have shown that
    /// the server lacks `If-Range`.
    case holdSourceBack(lacksIfRange: Bool = false)
    /// The source has a file of another date than the lead, and no digest will tell whether it is the same. It is asked only if
    /// the lead fails.
    case keepForFailover
    /// The server refuses every `If-Match`: the others continue, and it is asked with `If-Range` again.
    case returnToIfRange
}
