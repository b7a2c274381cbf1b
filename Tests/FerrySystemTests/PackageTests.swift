import Foundation
import Testing

/// The packages that `scripts/package` makes.
@Suite("Packages", .limitedParallelism)
struct PackageTests {
    private static let script = Repository.root + "/scripts/package"

    @Test(
        "the Debian package is installed in a root of its own, downloads a file there, and is removed without a trace",
        .enabled(if: SmallDisk.isAllowed, "this user may not change the root of a process")
    )
    func installs() async throws {
        let content = Content(count: 300_000, seed: 611)
        try await ScriptedServer.run { request in
            ScriptedReply.serving(content, tag: "\"a\"", to: request)
        } _: { sandbox, server in
            let environment = [
                "PACKAGE": Self.script, "FERRY": Repository.ferry, "URL": server.url("file.bin"),
                // A fast one is enough here.
                "DPKG_DEB_COMPRESSOR_TYPE": "gzip", "DPKG_DEB_COMPRESSOR_LEVEL": "1",
                "PATH": "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin",
            ]
            let outcome = try await sandbox.shell(
                """
                set -e
                "$PACKAGE" --binary "$FERRY" --output packages
                root=$PWD/root
                mkdir -p "$root"/var/lib/dpkg/info "$root"/var/lib/dpkg/updates "$root"/proc "$root"/tmp
                touch "$root/var/lib/dpkg/status"
                # What it depends on is no package here, but the libraries of this machine.
                dpkg --root="$root" --force-depends --install packages/*.deb
                ldd "$root/usr/bin/ferry" | grep -o '/[^ )]*' | while read -r file; do
                    install -D "$file" "$root$file"
                done
                unshare --mount sh -ec 'mount -t proc proc "$1/proc"
                    env -i PATH="$PATH" HOME=/tmp chroot "$1" /usr/bin/ferry get -d /tmp "$2"' - "$root" "$URL"
                (cd "$root" && md5sum --quiet --check var/lib/dpkg/info/ferry.md5sums)
                (cd "$root/usr" && find . -type f | sort) >installed
                dpkg --root="$root" --purge ferry
                test ! -e "$root/usr/bin/ferry" -a ! -e "$root/usr/share"
                mkdir local
                tar -xzf packages/*.tar.gz -C local --strip-components=1
                local/bin/ferry --version
                """,
                environment: environment
            )
            outcome.expect(0)
            #expect(content.isWhole(at: sandbox.path(of: "root/tmp/file.bin")))
            #expect(outcome.output.contains("\nferry "), "\(outcome.output)")
            let installed = try String(contentsOfFile: sandbox.path(of: "installed"), encoding: .utf8)
            for file in [
                "bin/ferry", "share/man/man1/ferry.1.gz", "share/bash-completion/completions/ferry",
                "share/zsh/vendor-completions/_ferry", "share/fish/vendor_completions.d/ferry.fish",
                "lib/systemd/user/ferry.service", "share/doc/ferry/examples/config.json",
                "share/doc/ferry/copyright", "share/doc/ferry/changelog.gz",
            ] {
                #expect(installed.contains("./\(file)\n"), "\(file): \(installed)")
            }
            let unit = try String(
                contentsOfFile: sandbox.path(of: "local/lib/systemd/user/ferry.service"),
                encoding: .utf8
            )
            #expect(unit.contains("\nExecStart=/usr/local/bin/ferry run --forever\n"))
            // The example is a configuration.
            let example = sandbox.path(of: "local/share/doc/ferry/examples/config.json")
            try await sandbox.ferry("config", "--config", example).expect(0)
        }
    }

    @Test("the same binary gives the same bytes, whenever and wherever it is packed")
    func isReproducible() async throws {
        try await Sandbox.open { sandbox in
            let outcome = try await sandbox.shell(
                #"""
                set -e
                cat >tool.c <<'END'
                #include <stdio.h>
                #include <string.h>
                int main(int count, char **words) {
                    puts(count > 1 && !strcmp(words[1], "--version") ? "ferry 7.8.9" : "a script");
                    return 0;
                }
                END
                cc -o tool tool.c
                SOURCE_DATE_EPOCH=1000000000 "$PACKAGE" --binary tool --output one
                mkdir elsewhere
                cp tool elsewhere/other
                cd elsewhere
                umask 077
                SOURCE_DATE_EPOCH=1000000000 TZ=Asia/Tokyo "$PACKAGE" --binary ./other --output ../two
                cd ..
                cmp one/*.deb two/*.deb
                cmp one/*.tar.gz two/*.tar.gz
                SOURCE_DATE_EPOCH=1000000001 "$PACKAGE" --binary tool --output three
                ! cmp -s one/*.deb three/*.deb
                """#,
                environment: ["PACKAGE": Self.script]
            )
            outcome.expect(0)
            #expect(outcome.output.contains("/one/ferry_7.8.9_"), "\(outcome)")
        }
    }

    @Test("the documents for users are packed, and each of their links leads to one that is packed too")
    func packsDocuments() async throws {
        try await Sandbox.open { sandbox in
            let outcome = try await sandbox.shell(
                #"""
                set -e
                printf '#include <stdio.h>\nint main(void) { puts("ferry 7.8.9"); return 0; }\n' >tool.c
                cc -o tool tool.c
                "$PACKAGE" --binary tool --output packages >&2
                mkdir local
                tar -xzf packages/*.tar.gz -C local --strip-components=1
                ls local/share/doc/ferry
                """#,
                environment: ["PACKAGE": Self.script]
            )
            outcome.expect(0)
            let names = outcome.output.split(separator: "\n").filter { $0.hasSuffix(".md") }.map(String.init)
            for name in ["COMING-FROM.md", "GUARANTEES.md", "JSON.md", "MIRROR.md"] {
                #expect(names.contains(name), "\(name): \(outcome.output)")
            }
            var links: [String] = []
            for name in names {
                let path = sandbox.path(of: "local/share/doc/ferry/\(name)")
                let text = try String(contentsOfFile: path, encoding: .utf8)
                links += text.matches(of: /\]\((?!https?:|#)([^)#]*)/).map { String($0.1) }
            }
            #expect(links.contains("CACHE.md"), "\(links)")
            for link in links { #expect(names.contains(link), "\(link) is not packed") }
        }
    }

    @Test("what cannot be packed is named", arguments: ["--binary nothing", "--binary", "--bogus"])
    func refuses(_ words: String) async throws {
        try await Sandbox.open { sandbox in
            let outcome = try await sandbox.shell(
                "\"$PACKAGE\" \(words)",
                environment: ["PACKAGE": Self.script]
            )
            outcome.expect(1)
            #expect(!outcome.errors.isEmpty && outcome.output.isEmpty)
        }
    }
}
