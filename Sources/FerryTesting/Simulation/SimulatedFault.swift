/// A kind of fault or user action in a simulation. Each is counted, to show that it does occur.
package enum SimulatedFault: String, CaseIterable, Sendable {
    case processKilled, powerLost, presumedDead, stoodStill, engineStopped
    case connectionRefused, connectionBroken, stalled, timedOut, serverBusy, serverError
    case connectionLeft, headBroken, resent, expectationFailed
    case networkLost, networkRestored, networkMoved
    case callLost, callCutShort, callOutlived, callRedirected, answerLost, answerCutShort, twinInProgress
    case answeredEarly, bodyCut, valueSent, credentialsRenewed
    case bodyFileChanged, bodyFileReplaced, bodyFileRemoved, changedWhileRead, changedWhileSent
    case bodyCopied, copiedAgain, copyGivenUp, copyFailed, copyLeft
    case handled, handlerThrew, handlerCame, killedWhileHandling
    case uploadCut, uploadAnswerLost, uploadLost, uploadFellBack, uploadFileChanged
    case deadlinePassed, answerSaved
    case cancelledWhileSent, resolvedAsArrived, resolvedAsNotArrived
    case lengthOverstated, bodySwitched, rangeGarbled, resourceChanged
    case storeWriteFailed, fileCallFailed, syncFailed, syncDropped, diskFilled, writtenWhole
    case clockJumped, suspended, slowCall
    case paused, resumed, cancelled, edited, askedAgain, forgotten
    case queuePaused, queueResumed, queueChanged, gaveWay, failedAlong
    case sentToBackground, broughtBack
    case discovered, neededAsked, nodeMarked, nodeUnmarked, nodeRemoved, nodeDownloaded
    case cacheAsked, entryRetained, entryPinned, entryUnpinned, entryAdded, entryEvicted, entryDeleted
}
