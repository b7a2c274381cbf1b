package import FerryCore

extension Remedy {
    /// One of each case.
    package static let oneOfEach = Array(sequence(first: Remedy.checkURL, next: \.following))

    /// The next case with a sample payload. The compiler refuses a case that is missing here.
    private var following: Remedy? {
        switch self {
        case .checkURL: .checkScheme
        case .checkScheme: .checkNetwork
        case .checkNetwork: .checkPermissions
        case .checkPermissions: .checkDisk
        case .checkDisk: .mountDisk
        case .mountDisk: .confirmArrival
        case .confirmArrival: .acceptLoss
        case .acceptLoss: .countAsArrived
        case .countAsArrived: .readResponse
        case .readResponse: .openInBrowser
        case .openInBrowser: .reportDefect
        case .reportDefect: .freeSpace
        case .freeSpace: .raiseFileLimit
        case .raiseFileLimit: .createDirectory(path: "/d/it's here")
        case .createDirectory: .createFIFO
        case .createFIFO: .moveAway
        case .moveAway: .moveAwayUnlessNeeded
        case .moveAwayUnlessNeeded: .decryptKey(path: "/etc/key.pem")
        case .decryptKey: .renameBack(to: "file.bin.part")
        case .renameBack: .sendCopy
        case .sendCopy: .giveURL
        case .giveURL: .giveCredentials
        case .giveCredentials: .giveHeaders
        case .giveHeaders: .giveDeadline
        case .giveDeadline: .retry
        case .retry: .fetchAgain
        case .fetchAgain: .pause
        case .pause: .cancel
        case .cancel: .remove
        case .remove: .removePartFile
        case .removePartFile: .leaveAtServer
        case .leaveAtServer: .addAgain
        case .addAgain: .sendAgain
        case .sendAgain: .sendToTarget
        case .sendToTarget: .addWithOtherOptions
        case .addWithOtherOptions: .giveOtherDigest
        case .giveOtherDigest: .addWithoutDigest
        case .addWithoutDigest: .continueFile
        case .continueFile: .overwrite
        case .overwrite: .replaceFile
        case .replaceFile: .autoRename
        case .autoRename: .chooseOtherName
        case .chooseOtherName: .chooseOtherDirectory
        case .chooseOtherDirectory: .restartOnChange
        case .restartOnChange: .restartAdoption
        case .restartAdoption: .fetchWhole
        case .fetchWhole: .addWithDigest
        case .addWithDigest: .saveAsSent(fileExtension: "zst")
        case .saveAsSent: .ignoreServerDigests
        case .ignoreServerDigests: .allowLongerFile
        case .allowLongerFile: .allowDowngrade
        case .allowDowngrade: .trustCertificates
        case .trustCertificates: .giveClientCertificate
        case .giveClientCertificate: .giveOtherClientCertificate
        case .giveOtherClientCertificate: .skipVerification
        case .skipVerification: .chooseOtherProxy
        case .chooseOtherProxy: .giveProxyCredentials
        case .giveProxyCredentials: .retryFirst(TransferID(rawValue: 7))
        case .retryFirst: .confirmFirst(TransferID(rawValue: 7))
        case .confirmFirst: .acceptLossFirst(TransferID(rawValue: 7))
        case .acceptLossFirst: .dropOrder
        case .dropOrder: .retryInOrder(after: TransferID(rawValue: 7))
        case .retryInOrder: .cancelFirst(TransferID(rawValue: 7))
        case .cancelFirst: .resumeOther(TransferID(rawValue: 7))
        case .resumeOther: .letQueueWait(queue: "night")
        case .letQueueWait: .callAgain
        case .callAgain: .waitOrSaveToFile
        case .waitOrSaveToFile: .listTransfers
        case .listTransfers: .follow
        case .follow: .giveDigest
        case .giveDigest: .chooseOtherStore
        case .chooseOtherStore: .moveStoreAway
        case .moveStoreAway: .onlyRead
        case .onlyRead: .updateFerry
        case .updateFerry: nil
        }
    }
}
