public import FerryCore
public import HTTPTypes

/// Something that goes wrong with one request.
public enum ScriptedFault: Sendable {
    /// The connection cannot be made.
    case refuse(Problem)
    /// Another answer than the resource's, with an empty body.
    case answer(status: Int, HTTPFields)
    /// The connection breaks when so many bytes of the body have come.
    case breakAfter(Int)
    /// The body stops after so many bytes until the test lets it go on with ``ScriptedTransport/release()``.
    case stallAfter(Int)
    /// The head does not come before the test lets it with ``ScriptedTransport/release()``.
    case stallBeforeHead
}
