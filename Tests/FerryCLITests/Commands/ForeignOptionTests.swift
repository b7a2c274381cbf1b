import ArgumentParser
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// What those are told who type a line of curl or wget.
@Suite("Options of other tools")
struct ForeignOptionTests {
    private static let url = "https://example.org/a"

    /// What the tool says of a line; `nil` if it is taken.
    private static func answer(to line: String) -> String? {
        let words = line.split(separator: " ").map { $0 == "URL" ? url : String($0) }
        do {
            let command = try FerryCommand.parseAsRoot(try Invocation.arranged(words))
            guard let get = command as? GetCommand else { return nil }
            _ = try DownloadPlan(get.input.download, environment: Sample.environment)
            if let format = get.input.ends.writeOut { try EndInput.check(format) }
            return nil
        } catch let failure as CommandFailure {
            let explained = SwallowedURL.explained(failure, words)
            return "\(explained.message) \(explained.hint ?? "")"
        } catch {
            return Invocation.explained(FerryCommand.fullMessage(for: error), words)
        }
    }

    @Test(
        "the answer names what to type",
        arguments: [
            ("get -w 2 URL", "`ferry get --wait 2` waits between downloads"),
            ("get -w 0.5 URL", "`ferry get --wait 0.5`"), ("get -w @fmt URL", "Give the format itself"),
            ("get -sI -w %{http_code} URL", "`ferry get -s -o /dev/null -w FORMAT URL`"),
            ("get --head -w%{url} URL", "-I (--dry-run) and -w (--write-out) cannot be used together"),
            ("send -w %{url} GET URL", "--write-out needs --wait"),
            ("put --no-wait -w %{url} f URL", "cannot be used together"),
            ("get --retry-connrefused URL", "leave it out, ferry retries these anyway"),
            ("get --retry-all-errors URL", "leave it out"),
            ("put --retry-all-errors f URL", "leave it out, ferry retries these anyway"),
            ("send -c jar GET URL", "-c: `--cookie-jar FILE` saves cookies"),
            ("get -qO- URL", "`-o -` writes to standard output"), ("get -O- URL", "`-o -` writes"),
            ("get -O - URL", "`-o -` writes to standard output"), ("get -O x URL", "`-o x` names the file"),
            ("get -d a=1 URL", "-d is the directory; `ferry send POST URL --data TEXT` sends data"),
            (#"get -d {"a":1} URL"#, "-d is the directory"), ("get -d @file URL", "-d is the directory"),
            ("get -c jar.txt URL", "-c takes no file. `ferry get --cookie-jar FILE`"),
            ("get -c ./jars/a URL", "-c takes no file"),
            ("mirror -P x URL", "the directory comes last: `ferry mirror URL DIRECTORY`"),
            ("mirror -d x URL", "the directory comes last"), ("mirror -m URL d", "-m: leave it out"),
            ("mirror -np URL d", "-np: leave it out"), ("mirror -nH URL d", "-nH: leave it out"),
            ("mirror --use-server-timestamps URL d", "--remote-time gives each file the server's time"),
            ("get -r URL", "`ferry mirror URL DIRECTORY`"),
            ("get -r -np URL", "`ferry mirror URL DIRECTORY`"),
            ("get -np URL", "`ferry mirror URL DIRECTORY`"), ("get -nH URL", "`ferry mirror URL DIRECTORY`"),
            ("get --mirror URL", "`ferry mirror URL DIRECTORY`"), ("get -m URL", "--max-time"),
            ("adopt -I f URL", "-I: `ferry get -I` prints"),
            ("get -M f.meta4", "--metalink DOCUMENT reads a Metalink"),
            (
                "adopt --min-split-size=1M f URL",
                "--min-split-size: leave it out, ferry divides a file itself"
            ),
            ("get -m 20 URL", "-m: `ferry get --max-time SECONDS`"),
            ("get -m20 URL", "-m: `ferry get --max-time SECONDS`"),
            ("send -m 2 GET URL", "-m: `timeout SECONDS ferry send …`"),
            ("send --max-time 2 GET URL", "--max-time: `timeout SECONDS ferry send …`"),
            ("put --max-time=2 f URL", "--max-time: `timeout SECONDS ferry put …`"),
            ("put -m2 f URL", "-m: `timeout SECONDS ferry put …`"),
            ("mirror --max-time 9 URL d", "--max-time: `timeout SECONDS ferry mirror …`"),
            ("get -m URL", "`ferry mirror URL DIRECTORY`"), ("get -T file URL", "`ferry put FILE URL`"),
            ("get -sST file URL", "`ferry put FILE URL`"), ("get -T 5 URL", "--timeout"),
            ("get -T5 URL", "--timeout"), ("get --upload-file f URL", "`ferry put FILE URL`"),
            ("put -T f URL", "-T: leave it out"), ("get -x proxy:3128 URL", "--proxy URL names a proxy"),
            ("get -i URL", "A list (-i) must be a file or '-'"),
            ("get -i URL", "`ferry get -o - URL | ferry get -i -`"), ("-fsSLO URL", "`ferry get -fsSLO URL`"),
            ("-RO URL", "`ferry get -RO URL`"), ("-LRO URL", "`ferry get -LRO URL`"),
            ("-sSL URL", "`ferry get -sSL URL`"), ("-s -L URL", "`ferry get -L URL`"),
            ("-u me:hush URL", "`ferry get … URL`"),
            ("put -X POST f URL", "`ferry send POST URL --data-file FILE`"),
            ("put -X PUT f URL", "leave it out"), ("get -X GET URL", "leave it out"),
            ("get -XGET URL", "leave it out"), ("get -X POST URL", "`ferry send POST URL`"),
            ("get --spider URL", "`ferry get -I`"), ("get --oauth2-bearer x URL", "--bearer TOKEN"),
            ("get -# URL", "leave it out"), ("get --progress-bar URL", "leave it out"),
            ("get -z x URL", "-N downloads"), ("get -sSLz x URL", "-z: -N downloads"),
            ("get --url URL", "leave it out"),
            ("get --json {} URL", "`ferry send POST URL --data-json JSON`"),
            (#"get --json {"a":1} URL"#, "`ferry send POST URL --data-json JSON`"),
            ("get --json={} URL", "`ferry send POST URL --data-json JSON`"),
            ("get -q -o - URL https://example.org/b", "Standard output takes one download"),
            ("get -s16 URL", "-s: it is --quiet and takes no value; `ferry get -x COUNT`"),
            ("get -s4 -x4 URL", "-s4: it is --quiet and -4; leave it out, -x COUNT uses up to COUNT"),
            ("add -x 6 -s6 URL", "type -q -6"),
            ("get -x16 -s16 -k1M -j5 URL", "-s: it is --quiet"), ("get -k1M URL", "-k: it is --insecure"),
            ("get -k4M URL", "-k: it is --insecure"), ("add -x16 -k20M URL", "-k: it is --insecure"),
            ("get -R5 URL", "-R: it takes no value"), ("get -t5 URL", "--timeout SECONDS"),
            ("get -t5 URL", "--retries COUNT"), ("run -x16", "`ferry add -x COUNT`"),
            ("send -x p:1 GET URL", "--proxy URL names a proxy"), ("get -y10 URL", "--low-speed-time"),
            ("get -nc URL", "-nc: --no-clobber fetches nothing"), ("add -nc URL", "-nc: --no-clobber"),
            ("get -nv URL", "-nv: -q prints errors only"), ("get -nd URL", "-nd: leave it out"),
            ("get -n 4 URL", "-n: -x COUNT"), ("get -n4 URL", "-x COUNT"),
            ("get -n URL", "-n: leave it out, ferry reads ~/.netrc"), ("get -sn URL", "~/.netrc anyway"),
            ("run --netrc", "--netrc: leave it out"), ("get -D h URL", "-D: -vv prints the header fields"),
            ("get -sD- URL", "-vv prints"), ("get --dump-header h URL", "-vv prints"),
            ("get -G URL", "-G: write the query in the URL"), ("get -K f URL", "-K: -i LIST names a file"),
            ("get URL --next URL", "--next: -i LIST names a file"),
            ("get --retry-delay 3 URL", "--retry-delay: leave it out, ferry waits"),
            ("get --retry-max-time=9 URL", "--retry-max-time: `ferry get --not-after 10m`"),
            ("get --no-progress-meter URL", "-q prints errors only"),
            ("get --tlsv1.3 URL", "--tlsv1.3: leave it out"), ("mirror --tlsv1.2 URL d", "leave it out"),
            ("get --proto =https URL", "--proto: leave it out"),
            ("get --etag-save e URL", "--etag-save: leave it out, ferry keeps the ETag itself"),
            ("get --etag-compare e URL", "-N downloads"),
            ("put -nc f URL", "-nc: --no-clobber replaces nothing"),
            ("mirror -nc URL d", "-nc: leave it out, `ferry mirror` replaces only files that it placed"),
            ("mirror --no-clobber URL d", "leave it out"), ("send -nc GET URL", "-o replaces no file"),
            ("mirror -l 1 URL d", "-l: leave it out"), ("mirror -l1 URL d", "--exclude '*/*'"),
            ("mirror --level=1 URL d", "--exclude '*/*'"),
            ("verify -c SUMS", "-c: --checksum-file FILE checks"), ("verify --check SUMS", "--checksum-file"),
            ("run --queue slow", "--queue: leave it out, `ferry run` runs all queues; `ferry resume ID`"),
            ("queue set slow --limit 1", "--limit: `ferry queue set NAME --slots COUNT`"),
            ("resume -y", "-y: --all resumes all"), ("resume --yes", "--yes: --all resumes all"),
            ("get --continue=true URL", "--continue: leave it out, ferry always resumes"),
            ("get --remote-time=true URL", "--remote-time: `ferry get -R` gives"),
            ("get --overwrite=true URL", "'--overwrite' does not take any value"),
            ("get --no-location URL", "--no-location: --max-redirects 0 refuses redirects"),
            ("get --ssl-reqd URL", "--ssl-reqd: leave it out, ferry always uses TLS for https"),
            ("get --seed-time=0 URL", "--seed-time: not offered, ferry speaks HTTP and HTTPS only"),
            ("get --http2 URL", "--http2: leave it out, ferry speaks HTTP/1.1 only"),
            ("get --progress=dot URL", "--progress: leave it out"), ("get -a log URL", "2>> FILE"),
            ("get -1 URL", "-1: leave it out, ferry uses TLS"), ("get -E c.pem URL", "--cert FILE"),
            ("get --unix-socket s URL", "not supported yet"),
            ("get -sS --fail-early URL", "not supported yet"),
            ("get --connect-to a URL", "--resolve HOST:PORT:ADDRESS"),
            ("get -Q 5m URL", "--max-filesize SIZE"),
            ("put --tcp-nodelay f URL", "leave it out"), ("send --stderr f GET URL", "2> FILE"),
            ("get -P/tmp/newc/d2 URL", "-P: -d DIRECTORY sets where files are saved"),
            ("get -P/tmp/x URL", "-P: -d DIRECTORY sets where files are saved"),
            ("get -Pfoo URL", "-P: -d DIRECTORY"), ("get -sPfoo URL", "-P: -d DIRECTORY"),
            ("get -Ptrue URL", "-P: leave it out, {a,b}"), ("add -Pfalse URL", "-P: leave it out, {a,b}"),
            ("mirror -P/tmp URL d", "-P: the directory comes last"),
            ("get -Tfoo URL", "`ferry put FILE URL`"),
            ("put -Tfoo URL", "-T: leave it out"), ("get -Ufoo URL", "-U: --user-agent TEXT"),
            ("get -tfoo URL", "-t: --retries COUNT"), ("get -bfoo URL", "-b: -H 'Cookie: …'"),
            ("get -Kfoo URL", "-K: -i LIST names a file"), ("get -zfoo URL", "-z: -N downloads"),
            ("get -Efoo.pem URL", "-E: --cert FILE"),
            ("get -Ffile=@a URL", "-F: `ferry send METHOD URL --form"),
            ("get -alog URL", "-a: the shell does it"), ("send -Ofile GET URL", "-O: -o FILE saves"),
            ("get -Uagent -Tfoo", "-U: --user-agent TEXT"), ("get -XPUT URL", "`ferry send POST URL`"),
            ("get -pk URL", "-p: leave it out"), ("get -timeout 5 URL", "nknown option"),
            ("seal -rage1abc f", "-r: --to RECIPIENT names a recipient"),
            ("open -r age1abc f", "-r: leave it out, -i FILE names the key"),
            ("get -x 16 -s 16 URL", "16 is no URL"), ("get -k 1M -c URL", "1M is no URL"),
        ]
    )
    func answers(_ line: String, _ expected: String) throws {
        let answer = try #require(Self.answer(to: line))
        #expect(answer.contains(expected), "\(answer)")
    }

    @Test(
        "a line of this tool is taken",
        arguments: [
            "get -so- URL", "get -fsSLoa.iso URL", "get -sx4 URL", "send -sd{} POST URL", "get --tlsv1.2 URL",
            "get --netrc-optional -LRO URL", "get -w %{url} URL", "get -w \\n URL", "get -w text URL",
            "send --wait -w%{url} GET URL",
            "put f URL -w %{url}", "get -r 0-9 URL", "cat -r 0-9 f", "cat f -r -5", "cat f -r5-",
            "send POST URL -d -Tfoo",
            "get -r -5 URL", "get -x 4 URL", "get -c URL",
            "get --max-redirs 3 URL", "get -c URL example.org/b", "get -d . URL", "get -d ./a=1 URL",
            "get --create-dirs -d a=1 URL",
            "get --json URL", "get -o - URL", "mirror URL d", "put f URL", "send POST URL -d a=1",
            "get -x16 -j5 URL", "get -s4 URL", "get -RO URL", "get -s -4 -x4 URL", "get -q -4 -x 4 URL",
        ]
    )
    func takes(_ line: String) {
        #expect(Self.answer(to: line) == nil)
    }

    @Test("no answer repeats a secret")
    func repeatsNoSecret() throws {
        let lines = [
            "get -d token=hush URL", "-u me:hush URL", "-uhush URL", "get -c -d {hush URL",
            "get -Fa=hush URL",
            "get -bid=hush URL",
        ]
        for line in lines {
            let answer = try #require(Self.answer(to: line))
            #expect(!answer.contains("hush"), "\(answer)")
        }
    }

    @Test("an option that is accepted is not explained in place of the unknown one")
    func explainsTheUnknownOne() throws {
        let answer = try #require(Self.answer(to: "get -f --florp URL"))
        #expect(answer.contains("--florp") && !answer.contains("-f: "), "\(answer)")
    }

    @Test("each option has one answer, which is a clause")
    func onlyAnswers() {
        let options = ForeignOption.groups.flatMap { $0.options.split(separator: " ").map(String.init) }
        #expect(Set(options).count == options.count && ForeignOption.answers.count == options.count)
        #expect(options.allSatisfy { $0.hasPrefix("-") && ForeignOption.table[$0] == nil })
        for (answer, options) in ForeignOption.groups {
            #expect(!options.contains("\n") && !answer.hasSuffix("."), "\(answer)")
        }
    }
}
