import Glibc

/// Apache httpd. It limits its rate with mod_ratelimit.
struct Apache: ServerKind {
    var name: String { "Apache httpd" }
    var tool: Tool { .apache }

    private let modules = "/usr/lib/apache2/modules"

    func command(_ plan: ServerPlan) throws -> [String] {
        let path = try plan.write(configuration(plan), as: "httpd.conf")
        if plan.options.takesFiles {
            // It gives up the rights of root.
            for directory in [plan.site, plan.directory] { chmod(directory, 0o777) }
        }
        return [try tool.requiredPath(), "-DFOREGROUND", "-d", plan.directory, "-f", path]
    }

    private func configuration(_ plan: ServerPlan) -> String {
        let loaded = ["mpm_event", "authz_core", "ratelimit", "env", "dav", "dav_fs", "autoindex"]
            .map { "LoadModule \($0)_module \(modules)/mod_\($0).so" }.joined(separator: "\n")
        let pace =
            plan.options.bytesPerSecond.map {
                "SetOutputFilter RATE_LIMIT\nSetEnv rate-limit \($0 / .kibibyte)"
            } ?? ""
        return """
            \(loaded)
            ServerName 127.0.0.1
            Listen 127.0.0.1:\(plan.port)
            PidFile \(plan.directory)/pid
            Mutex file:\(plan.directory) default
            ErrorLog \(plan.directory)/error.log
            \(geteuid() == 0 ? "User www-data\nGroup www-data" : "")
            StartServers 1
            ServerLimit 2
            ThreadsPerChild 16
            MaxRequestWorkers 32
            DocumentRoot \(plan.site)
            DavLockDB \(plan.directory)/locks
            <Directory \(plan.site)>
                Require all granted
                \(plan.options.takesFiles ? "Dav On" : "")
                \(plan.options.listsDirectories ? "Options Indexes\n                IndexOptions FancyIndexing" : "")
            </Directory>
            \(pace)
            """
    }
}
