/// nginx in one process. With a rate limit it sends small pieces at even intervals, so that a download takes the same
/// time on every machine.
struct Nginx: ServerKind {
    var name: String { "nginx" }
    var tool: Tool { .nginx }

    func command(_ plan: ServerPlan) throws -> [String] {
        let path = try plan.write(try configuration(plan), as: "nginx.conf")
        return [
            try tool.requiredPath(), "-p", plan.directory, "-c", path, "-e", plan.directory + "/error.log",
        ]
    }

    private func configuration(_ plan: ServerPlan) throws -> String {
        let directory = plan.directory
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(directory)/temporary-\($0);" }.joined(separator: "\n    ")
        return """
            daemon off;
            master_process off;
            worker_processes 1;
            pid \(directory)/pid;
            error_log \(directory)/error.log notice;
            events { worker_connections 512; }
            http {
                \(temporary)
                log_format ferry '$request_method|$uri|$status|$body_bytes_sent|$http_range';
                access_log \(directory)/access.log ferry;
                default_type application/octet-stream;
                \(plan.options.listsDirectories ? "autoindex on;" : "")
                sendfile on;
                \(pace(plan.options))
                server {
                    listen 127.0.0.1:\(plan.port) sndbuf=128k\(plan.options.certificate == nil ? "" : " ssl");
                    \(encryption(plan.options))
                    root \(plan.site);
                    location / {
                        \(try protection(plan))
                        \(forwarding(plan.options))
                        \(uploading(plan.options))
                    }
                    location = /connection-status { stub_status; access_log off; }
                }
            }
            """
    }

    private func pace(_ options: ServerOptions) -> String {
        guard let rate = options.bytesPerSecond else { return "" }
        return "sendfile_max_chunk 64k; limit_rate \(rate);"
    }

    private func encryption(_ options: ServerOptions) -> String {
        guard let certificate = options.certificate else { return "" }
        let client = options.client.map { "ssl_verify_client on; ssl_client_certificate \($0.path);" } ?? ""
        return "ssl_certificate \(certificate.path); ssl_certificate_key \(certificate.keyPath); \(client)"
    }

    private func forwarding(_ options: ServerOptions) -> String {
        guard let port = options.backend else { return "" }
        return """
            proxy_pass http://127.0.0.1:\(port); proxy_set_header X-Front tls;
            proxy_redirect off; proxy_buffering off;
            """
    }

    private func uploading(_ options: ServerOptions) -> String {
        guard options.takesFiles else { return "" }
        return "dav_methods PUT DELETE MKCOL; create_full_put_path on; client_max_body_size 8m;"
    }

    private func protection(_ plan: ServerPlan) throws -> String {
        guard let (user, password) = plan.options.credentials else { return "" }
        let path = try plan.write("\(user):{PLAIN}\(password)\n", as: "users")
        return "auth_basic sandbox; auth_basic_user_file \(path);"
    }
}
