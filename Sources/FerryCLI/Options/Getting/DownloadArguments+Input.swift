import Ferry

/// What was typed, as the plan takes it.
extension DownloadArguments {
    /// The arguments without their parser.
    var input: DownloadInput {
        DownloadInput(
            urls: urls,
            output: output,
            directory: directory,
            list: list,
            metalink: metalink,
            mirror: mirror,
            ignoreServerMirrors: ignoreServerMirrors,
            checksum: checksum,
            checksumFile: checksumFile,
            checksumSidecar: checksumSidecar,
            requireChecksum: requireChecksum,
            keepMismatch: keepMismatch,
            ignoreServerDigests: ignoreServerDigests,
            existing: existing?.policy,
            onChange: onChange,
            strictResume: strictResume,
            ignoreQuery: ignoreQuery,
            priority: priority,
            queue: queue?.text,
            tag: tag,
            after: after,
            window: window.text,
            request: request.input,
            connection: connection.input
        )
    }
}

extension RequestArguments {
    fileprivate var input: RequestInput {
        RequestInput(
            header: header,
            userAgent: userAgent,
            user: user,
            bearer: bearer,
            netrcFile: netrcFile,
            ignoresNetrc: ignoresNetrc,
            maxRedirects: maxRedirects,
            allowDowngrade: allowDowngrade
        )
    }
}

extension ConnectionArguments {
    fileprivate var input: ConnectionInput {
        ConnectionInput(
            connections: connections,
            retries: retries,
            timeout: timeout,
            connectTimeout: connectTimeout,
            lowSpeedLimit: lowSpeedLimit,
            lowSpeedTime: lowSpeedTime,
            proxy: proxy,
            proxyExceptions: proxyExceptions,
            certificateAuthorityFile: certificateAuthorityFile,
            insecure: insecure
        )
    }
}

extension DownloadPlan {
    /// Reads the arguments of a command.
    init(_ arguments: DownloadArguments, environment: ProcessEnvironment) throws(CommandFailure) {
        try self.init(arguments.input, environment: environment)
    }
}
