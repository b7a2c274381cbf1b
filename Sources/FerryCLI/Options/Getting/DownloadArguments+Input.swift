import Ferry
import FerryFrontend

/// What was typed, as the plan takes it.
extension DownloadArguments {
    /// The arguments of a command without their parser.
    func input(with request: RequestInput, _ connection: ConnectionInput) -> DownloadInput {
        var input = ownInput
        input.request = request
        input.request.store.objectVersion = versionID
        input.connection = connection
        return input
    }

    /// The arguments of this group alone.
    var ownInput: DownloadInput {
        var input = DownloadInput()
        input.urls = urls
        input.takesWildcardsLiterally = noGlob
        input.output = output
        input.directory = directory
        input.createsDirectories = createsDirectories
        input.list = list
        input.metalink = metalink
        input.mirror = mirror
        input.ignoreServerMirrors = ignoreServerMirrors
        input.checksum = checksum
        input.checksumFile = checksumFile
        input.checksumSidecar = checksumSidecar
        input.requireChecksum = requireChecksum
        input.keepMismatch = keepMismatch
        input.ignoreServerDigests = ignoreServerDigests
        input.existing = existing?.policy
        input.update = update
        input.onChange = onChange
        input.strictResume = strictResume
        input.strictType = strictType
        input.remoteTime = remoteTime
        input.maxFilesize = maxFilesize
        input.retryOn = retryOn
        input.ignoreQuery = ignoreQuery
        input.cookies = cookies.path
        input.connections = connections.most
        input.range = range
        (input.sealTo, input.sealToFiles) = (sealTo, sealToFile)
        input.first = first
        input.placement = placement.input(window, deadline)
        return input
    }
}
