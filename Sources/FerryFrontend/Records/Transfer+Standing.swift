package import Ferry

extension Transfer {
    /// Whether the bytes went to the standard output of a process, which no other process shares.
    package var isStandardOutput: Bool { download?.specification.destination == .standardOutput }

    /// Whether it is a download to standard output, a device or a FIFO that has failed. It keeps no bytes, so there is nothing
    /// to resume.
    package var isFailedStream: Bool { state.isFailed && download?.specification.isStream == true }

    /// Whether it is a download that failed before its first byte arrived, more than a day ago. There is nothing to resume, and
    /// no one waits for it.
    package func isOldFailureWithoutBytes(at now: Instant) -> Bool {
        guard state.isFailed, download != nil, recordedProgress.received == 0 else { return false }
        return (finished ?? updated).duration(to: now) > .seconds(86_400)
    }

    /// Whether it waits because the network is down. A connection that was lost while it was idle, or while the process stood
    /// still, is replaced at once, and says nothing about the network.
    package var lacksNetwork: Bool {
        state == .waiting(.network) && latestFailure?.code != .connectionLost
    }

    /// Whether no bytes were fetched because another file already had the name, and was all that was wanted.
    package var isSkipped: Bool {
        guard let download, state == .completed, finalPath != nil else { return false }
        return download.progress.note?.code == .fileKept && download.progress.part == nil
    }

    /// Whether the server is asked only for another version of the file that an earlier transfer saved.
    package var asksForAnotherVersion: Bool { download?.progress.saved?.condition != nil }

    /// Whether it was cancelled and has left a part file that a download of the same URL, to the same destination, resumes.
    package var hasResumablePart: Bool { KeptPart(of: self) != nil }

    /// Whether the next attempt starts over although bytes are present.
    package var startsOver: Bool { work.progress.startsOver }

    /// Whether the next attempt keeps the present bytes.
    package var keepsBytes: Bool { work.isInterruptible && !startsOver }
}
