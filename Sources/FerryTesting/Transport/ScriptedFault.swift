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
    /// The head does not come, and after so long the transport gives up.
    case timeOutBeforeHead(Duration)
    /// The body stops after so many bytes, and after so long the transport gives up.
    case timeOutAfter(Int, Duration)
    /// The head announces so many bytes more than come; the connection breaks where they should be.
    case overstateLength(by: Int)
    /// The server reads a file that is replaced under its hands: from so many bytes on the body is another's.
    case switchAfter(Int, to: [UInt8])
}
