/// A kind of thing that goes wrong, or is done by a person, in a simulation; each is counted, so that one sees that
/// it does occur.
package enum SimulatedFault: String, CaseIterable, Sendable {
    case processKilled, powerLost, presumedDead, stoodStill, engineStopped
    case connectionRefused, connectionBroken, stalled, timedOut, serverBusy, serverError
    case networkLost, networkRestored, networkMoved
    case callLost, callCutShort, callOutlived, callRedirected, answerLost, answerCutShort, twinInProgress
    case lengthOverstated, bodySwitched, resourceChanged
    case storeWriteFailed, fileCallFailed, syncFailed, syncDropped, diskFilled
    case clockJumped, suspended, slowCall
    case paused, resumed, cancelled, edited, askedAgain, forgotten
    case queuePaused, queueResumed, queueChanged, gaveWay, failedAlong
    case sentToBackground, broughtBack
}
