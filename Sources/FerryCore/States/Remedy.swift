/// A step that resolves a failure, or leads around it.
///
/// A failure has a list of steps, in their order. A step is about the transfer that the failure concerns, unless it
/// names another one. More cases may follow.
public enum Remedy: Hashable, Sendable, Codable {
    // MARK: Checks

    /// Check the URL, such as for a mistyped name.
    case checkURL
    /// Check the port of the URL, and whether its scheme should be `http`.
    case checkScheme
    /// Check the network of this machine, and its name servers.
    case checkNetwork
    /// Check the owner and the mode of the file.
    case checkPermissions
    /// Check the disk, and what the system logged about it.
    case checkDisk
    /// Mount the disk that the file is on.
    case mountDisk
    /// Find out whether the request took effect, and say so (`resolve`).
    case confirmArrival
    /// Count the request as completed without its whole response (`resolve`).
    case acceptLoss
    /// Count the failed request as completed, if it has arrived (`resolve`).
    case countAsArrived
    /// Read what the server answered to the request.
    case readResponse
    /// Open the URL in a browser, such as to sign in to the network.
    case openInBrowser
    /// Report a defect of Ferry, with what is known of the transfer.
    case reportDefect

    // MARK: Making it possible

    /// Free space on the disk.
    case freeSpace
    /// Raise this process's limit on open files, or use fewer connections.
    case raiseFileLimit
    /// Create this directory.
    case createDirectory(path: String)
    /// Create a FIFO under that name.
    case createFIFO
    /// Move the file that is in the way to another place.
    case moveAway
    /// Move the part file that is in the way to another place, unless another transfer needs it.
    case moveAwayUnlessNeeded
    /// Write the private key in this file again without a pass phrase.
    case decryptKey(path: String)
    /// Give the file this name again.
    case renameBack(to: String)
    /// Copy the bytes to a regular file, and send that instead.
    case sendCopy

    // MARK: Changing the transfer

    /// Give the transfer another URL, or the same one with a fresh signature.
    case giveURL
    /// Give the transfer credentials.
    case giveCredentials
    /// Give the transfer other header fields.
    case giveHeaders
    /// Give the transfer a later deadline.
    case giveDeadline
    /// Try again.
    case retry
    /// Try again, which fetches everything again.
    case fetchAgain
    /// Pause the transfer.
    case pause
    /// Cancel the transfer.
    case cancel
    /// Remove the transfer from the store.
    case remove
    /// Remove the transfer and its part file.
    case removePartFile
    /// Leave at the server what it has received.
    case leaveAtServer

    // MARK: Adding it again

    /// Add the same transfer again.
    case addAgain
    /// Send a new request instead.
    case sendAgain
    /// Send a new request to the URL that the server redirects to, or one without a key, which follows the redirect.
    case sendToTarget
    /// Remove the transfer, then add it again with other options.
    case addWithOtherOptions
    /// Add the transfer again with the digest that the file has, if that is the right one.
    case giveOtherDigest
    /// Remove the transfer, then add it again without a digest.
    case addWithoutDigest
    /// Add the transfer again, and continue the unfinished file that another tool left under its name.
    case continueFile
    /// Add the transfer again, and replace the existing file.
    case overwrite
    /// Add the transfer again with the digest that the file must have.
    case addWithDigest
    /// Fetch the whole file instead of a part.
    case fetchWhole
    /// Fetch a completed file again, and replace what has its name.
    case replaceFile
    /// Add the transfer again under a free name.
    case autoRename
    /// Add the transfer again under another name.
    case chooseOtherName
    /// Add the transfer again in another directory.
    case chooseOtherDirectory
    /// Add the transfer again, and start over with the present version of the resource.
    case restartOnChange
    /// Adopt the file again, and let Ferry delete it and start over with the present version of the resource.
    case restartAdoption
    /// Add the transfer again with this name extension, which keeps the file in the form that the server sends.
    case saveAsSent(fileExtension: String)
    /// Add the transfer again without checking digests that the server sends.
    case ignoreServerDigests
    /// Add the transfer again with a larger maximum length.
    case allowLongerFile
    /// Add the transfer again with redirects from `https` to `http` allowed.
    case allowDowngrade
    /// Add the transfer again with certificates to trust.
    case trustCertificates
    /// Add the transfer again with a client certificate.
    case giveClientCertificate
    /// Add the transfer again with another client certificate, because the server did not accept the one it got.
    case giveOtherClientCertificate
    /// Add the transfer again without verifying the server's certificate.
    case skipVerification
    /// Add the transfer again through another proxy.
    case chooseOtherProxy
    /// Add the transfer again with credentials for the proxy.
    case giveProxyCredentials

    // MARK: Other transfers

    /// Retry another transfer first.
    case retryFirst(TransferID)
    /// Find out whether another request took effect, and say so first (`resolve`).
    case confirmFirst(TransferID)
    /// Count another request as completed without its whole response first (`resolve`).
    case acceptLossFirst(TransferID)
    /// Let the transfer start without those that it comes after, then try again.
    case dropOrder
    /// Retry another transfer first if their order matters.
    case retryInOrder(after: TransferID)
    /// Cancel another transfer first.
    case cancelFirst(TransferID)
    /// Resume another transfer instead.
    case resumeOther(TransferID)
    /// Let the transfers of this queue wait when it is full.
    case letQueueWait(queue: String)

    // MARK: The store

    /// Make the same call again.
    case callAgain
    /// Make the same call again when the other process has ended, or save to a file now.
    case waitOrSaveToFile
    /// List the existing transfers.
    case listTransfers
    /// Follow the progress from another process.
    case follow
    /// Give the digest to compare with.
    case giveDigest
    /// Choose another directory for the store.
    case chooseOtherStore
    /// Move the damaged or old store away, so that a new one is created.
    case moveStoreAway
    /// Only read the store.
    case onlyRead
    /// Update Ferry.
    case updateFerry
}
