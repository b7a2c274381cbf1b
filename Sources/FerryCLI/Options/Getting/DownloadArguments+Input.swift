import Ferry
import FerryFrontend

/// What was typed, as the plan takes it.
extension DownloadArguments {
    /// The arguments without their parser.
    var input: DownloadInput {
        var input = DownloadInput()
        input.urls = urls
        input.output = output
        input.directory = directory
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
        input.onChange = onChange
        input.strictResume = strictResume
        input.ignoreQuery = ignoreQuery
        input.priority = priority
        input.queue = queue?.text
        input.tag = tag
        input.after = after
        input.window = window.text
        input.request = request.input
        input.connection = connection.input
        return input
    }
}

extension RequestArguments {
    fileprivate var input: RequestInput {
        var input = RequestInput()
        input.header = header
        input.userAgent = userAgent
        input.user = user
        input.bearer = bearer
        input.netrcFile = netrcFile
        input.ignoresNetrc = ignoresNetrc
        input.maxRedirects = maxRedirects
        input.allowDowngrade = allowDowngrade
        return input
    }
}

extension ConnectionArguments {
    fileprivate var input: ConnectionInput {
        var input = ConnectionInput()
        input.connections = connections
        input.retries = retries
        input.timeout = timeout
        input.connectTimeout = connectTimeout
        input.lowSpeedLimit = lowSpeedLimit
        input.lowSpeedTime = lowSpeedTime
        input.proxy = proxy
        input.proxyExceptions = proxyExceptions
        input.certificateAuthorityFile = certificateAuthorityFile
        input.certificateFile = certificateFile
        input.keyFile = keyFile
        input.insecure = insecure
        input.ipv4 = ipv4
        input.ipv6 = ipv6
        input.interface = interface
        input.resolve = resolve
        return input
    }
}

extension DownloadPlan {
    /// Reads the arguments of a command.
    init(_ arguments: DownloadArguments, environment: ProcessEnvironment) throws(CommandFailure) {
        try self.init(arguments.input, environment: environment)
    }
}
