package option

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/record"
)

// A row says the truth about our table: Same is there with the same need of a value and the
// same letter, Differs is there, and the rest is not. No name has two rows.
func TestRows(t *testing.T) {
	letters := make(map[string]string)
	for _, f := range Table() {
		if f.On(Root) {
			letters[f.Short] = f.Name
		}
	}
	seen := make(map[string]bool)
	for _, p := range Programs() {
		for _, f := range p.Options {
			if seen[f.Name] {
				t.Errorf("two rows for --%s, the second of %s", f.Name, p.Name)
			}
			seen[f.Name] = true
			ours, ok := Lookup(f.Name)
			if f.State == OfMirror != (ok && ours.On(mirrorVerb) && !ours.On(Root)) && f.Name != "spider" {
				t.Errorf("--%s of %s: mirror has a flag of that name: %v", f.Name, p.Name, ok)
			}
			ok = ok && ours.On(Root)
			if there := f.State == Same || f.State == Differs; ok != there {
				t.Errorf("--%s of %s: a flag of that name exists: %v", f.Name, p.Name, ok)
			}
			if f.State == Same && f.Value != (ours.Value != "") {
				t.Errorf("--%s has a value here or at %s, and none at the other", f.Name, p.Name)
			}
			if other := letters[f.Short]; f.State == Same && f.Short != "" && other != "" && other != f.Name {
				t.Errorf("-%s is --%s at %s, and --%s here", f.Short, f.Name, p.Name, other)
			}
			if f.Text == "" && f.State != Same {
				t.Errorf("--%s of %s lacks a reason", f.Name, p.Name)
			}
		}
	}
}

// options are those of all programs.
func options() (all []Foreign) {
	for _, p := range Programs() {
		all = append(all, p.Options...)
	}
	return all
}

// The Text of a row names only flags that exist, and the Text of a Renamed row names one.
func TestTextsNameFlags(t *testing.T) {
	for _, f := range options() {
		for _, name := range f.Flags() {
			if !verbHas(Root, name) {
				t.Errorf("--%s: the text names the flag %s, which does not exist", f.Name, name)
			}
		}
		if (f.State == Renamed || f.State == Accepted) && len(f.Flags()) == 0 && !strings.HasPrefix(f.Text, "fetch ") {
			t.Errorf("--%s: no flag to type instead: %s", f.Name, f.Text)
		}
		for word := range strings.FieldsSeq(f.Text) {
			name, value, given := strings.Cut(strings.TrimLeft(strings.TrimRight(word, ";"), "-"), "=")
			ours, ok := Lookup(name)
			if given && ok && ours.Words() != nil && !slices.Contains(ours.Words(), value) {
				t.Errorf("--%s: --%s is not one of %q", f.Name, name, ours.Words())
			}
		}
	}
}

// An option of curl that fetch does not have is an error, which says which flag to type instead, or
// why there is none.
func TestHints(t *testing.T) {
	for line, want := range map[string]string{
		"-d a=b":               "-d: fetch never uploads; use curl",
		"-sd a=b":              "-d: fetch never uploads; use curl",
		"--data-raw=x":         "--data-raw: fetch never uploads; use curl",
		"--trace-time":         "--trace-time: use --events FILE; each event has its time",
		"-E c.pem":             "-E: use --cert",
		"-q":                   "-q: use --no-config; for wget's quiet, -s",
		"--recursive":          "--recursive: " + mirrors,
		"--post-data=x":        "--post-data: fetch never uploads; use curl",
		"--enable-rpc":         "--enable-rpc: " + noRPC,
		"--bt-max-peers=3":     "--bt-max-peers: " + noTorrents,
		"-K f":                 "-K: here --config takes a file in TOML: docs/config.md",
		"--socks5-hostname h":  "--socks5-hostname: use -x socks5h://HOST:PORT",
		"--no-location":        "--no-location: use --location=false",
		"--no-tcp-fastopen":    "--no-tcp-fastopen: leave it out: fetch has no --tcp-fastopen",
		"--no-data x":          "unknown flag: --no-data; try fetch --help",
		"--tries=x":            "--tries: not a number from 0 on: \"x\"; try fetch --help",
		"--data:joe:s3cret":    "unknown flag: --data:***; try fetch --help",
		"--tlsuser=joe:s3cret": "--tlsuser: " + noSRP,
	} {
		_, err := parse("get", append(strings.Fields(line), somewhere)...)
		if _, usage := err.(record.UsageError); !usage || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// A hint names no flag that the verb does not have.
func TestHintsOfVerbs(t *testing.T) {
	for line, want := range map[string]string{
		"ls -l":               "-l: use fetch ls; with --raw it writes the server's own lines",
		"info -l":             "unknown shorthand flag: 'l' in -l; try fetch info --help",
		"ls -#":               "unknown shorthand flag: '#' in -#; try fetch ls --help",
		"ls -o x":             "unknown shorthand flag: 'o' in -o; try fetch ls --help",
		"parse --trace x":     "unknown flag: --trace; try fetch parse --help",
		"parse --no-location": "unknown flag: --no-location; try fetch parse --help",
		"parse -X POST":       "-X: fetch sends GET, and HEAD with -I; for other methods use curl",
	} {
		verb, flags, _ := strings.Cut(line, " ")
		if _, err := parse(verb, append(strings.Fields(flags), somewhere)...); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// Each option that the curl of this machine knows has a row, with its letter and its need of
// a value.
func TestCurlRowsAreComplete(t *testing.T) {
	program, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("there is no curl to ask for its options")
	}
	all, err := exec.Command(program, "--help", "all").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^ *(?:-(\S), +)?--(\S+)( [<\[]\S)?`).FindAllStringSubmatch(string(all), -1)
	if len(found) < 200 {
		t.Fatalf("curl --help all has %d options:\n%s", len(found), all)
	}
	for _, m := range found {
		f, ok := lookupForeign("--" + m[2])
		if !ok {
			t.Errorf("curl has --%s, and the table does not", m[2])
			continue
		}
		if f.Short != m[1] {
			t.Errorf("curl has the letter %q for --%s, the table %q", m[1], m[2], f.Short)
		}
		if value := m[3] != ""; value != f.Value && f.Name != "help" { // its subject may be left out
			t.Errorf("curl has a value for --%s: %v, the table: %v", m[2], value, f.Value)
		}
	}
}

// An option of another program that does the same as ours is taken for these.
func TestAliases(t *testing.T) {
	for line, want := range map[string]string{
		"--no-check-certificate":          "--insecure",
		"--check-certificate=false":       "--insecure",
		"--check-certificate":             "--insecure=false",
		"--quiet":                         "-s",
		"--tries 1":                       "--retry 0",
		"--tries=5":                       "--retry 4",
		"--max-tries=0":                   "--retry 1000000000",
		"--timeout=7":                     "--connect-timeout 7 --stall-timeout 7",
		"-#":                              "--progress=bar",
		"-Z":                              "",
		"-g":                              "--glob=false",
		"--globoff=false":                 "--glob",
		"--no-glob --glob":                "--glob",
		"--spider":                        "-I",
		"--output-document=a":             "-o a",
		"--directory-prefix a -O":         "-O --output-dir a --create-dirs",
		"-O --dir=a":                      "-O --output-dir a --create-dirs",
		"--no-proxy":                      "--noproxy *",
		"--no-proxy=h":                    "--noproxy h",
		"--all-proxy=http://h/":           "-x http://h/",
		"--split=4 --out=a":               "--segments 4 -o a",
		"-O --continue=true":              "-O -C -",
		"-O --continue":                   "-O -C -",
		"--inet6-only":                    "-6",
		"--https-only --ca-certificate=x": "--proto https --cacert x",
		"--file-allocation=none":          "",
	} {
		got, err := parse("get", append(strings.Fields(line), somewhere)...)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		same, err := parse("get", append(strings.Fields(want), somewhere)...)
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		if got, same := got.Summary(), same.Summary(); !slices.Equal(got, same) {
			t.Errorf("%s is %q, want %q", line, got, same)
		}
	}
	o, err := parse("get", "--url", "http://a/", "--url=http://b/", somewhere)
	if err != nil || !slices.Equal(o.Input.URLs, []string{"http://a/", "http://b/"}) {
		t.Errorf("--url: %v, %v", o, err)
	}
}

// Each option of the other programs is taken or answered, and no unrelated flag is proposed.
func TestEveryOptionIsAnswered(t *testing.T) {
	for _, name := range strings.Fields(optionsOfWget + " " + optionsOfWget2 + " " + optionsOfAria2) {
		if name == "no" { // wget has it for another one's beginning
			continue
		}
		_, err := parse("get", "--"+name, somewhere)
		if err != nil && (strings.Contains(err.Error(), "unknown") || strings.Contains(err.Error(), "did you mean")) {
			t.Errorf("--%s: %v", name, err)
		}
	}
}

// Each option that wget and aria2c of this machine know has a row, or a flag of ours.
func TestRowsAreComplete(t *testing.T) {
	for _, help := range [][]string{{"wget", "--help"}, {"wget2", "--help"}, {"aria2c", "--help=#all"}} {
		program, err := exec.LookPath(help[0])
		if err != nil {
			t.Logf("there is no %s to ask for its options", help[0])
			continue
		}
		all, err := exec.Command(program, help[1:]...).Output()
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`(?m)^ {1,8}(?:-\S+, *)?--([a-z][a-z0-9-]+)`).FindAllStringSubmatch(string(all), -1)
		if len(found) < 100 {
			t.Errorf("%s has %d options", help[0], len(found))
		}
		for _, m := range found {
			_, ours := Lookup(m[1])
			if _, theirs := lookupForeign("--" + m[1]); !ours && !theirs {
				t.Errorf("%s has --%s, and no table does", help[0], m[1])
			}
		}
	}
}

const optionsOfWget = `accept accept-regex adjust-extension append-output ask-password auth-no-challenge background
backup-converted backups base bind-address bind-dns-address body-data body-file ca-certificate ca-directory
certificate certificate-type check-certificate choose-config ciphers clobber compression config connect-timeout
content-disposition content-on-error continue convert-file-only convert-links cookies crl-file cut-dirs debug
default-page delete-after directories directory-prefix dns-cache dns-servers dns-timeout domains dont-remove-listing
egd-file exclude-directories exclude-domains execute follow-ftp follow-tags force-directories force-html
ftp-password ftp-stmlf ftp-user ftps-clear-data-connection ftps-fallback-to-ftp ftps-implicit ftps-resume-ssl glob
header help host-directories hsts hsts-file html-extension http-keep-alive http-passwd http-password http-user
https-only if-modified-since ignore-case ignore-length ignore-tags include-directories inet4-only inet6-only
input-file input-metalink iri keep-badhash keep-session-cookies level limit-rate load-cookies local-encoding
max-redirect metalink-index metalink-over-http method mirror netrc no no-cache no-check-certificate no-clobber
no-config no-cookies no-directories no-dns-cache no-glob no-host-directories no-http-keep-alive no-hsts no-iri
no-netrc no-parent no-passive-ftp no-proxy no-remove-listing no-use-server-timestamps no-verbose no-warc-digests
non-verbose output-document output-file page-requisites parent passive-ftp password pinnedpubkey post-data
post-file prefer-family preferred-location preserve-permissions private-key private-key-type progress
protocol-directories proxy proxy-password proxy-user proxy-passwd quiet quota random-file random-wait read-timeout
recursive referer regex-type reject reject-regex rejected-log relative remote-encoding remove-listing
report-speed restrict-file-names retr-symlinks retry-connrefused retry-on-host-error retry-on-http-error
save-cookies save-headers secure-protocol server-response show-progress span-hosts spider start-pos strict-comments
timeout timestamping tries unlink use-askpass use-proxy use-server-timestamps user user-agent verbose version
wait waitretry warc-cdx warc-compression warc-dedup warc-digests warc-file warc-header warc-keep-log
warc-max-size warc-tempdir xattr`

const optionsOfWget2 = `accept-regex ask-password auth-no-challenge backups bind-address ca-certificate ca-directory cache
certificate certificate-type check-certificate check-hostname chunk-size clobber compression config
connect-timeout content-disposition content-on-error cookie-suffixes cookies crl-file cut-dirs
cut-file-get-vars cut-url-get-vars default-http-port default-https-port default-page delete-after directories
dns-caching dns-timeout egd-file exclude-domains filter-mime-type filter-urls follow-tags force-atom
force-css force-metalink force-progress force-rss force-sitemap fsync-policy gnupg-homedir gnutls-options
header host-directories hpkp hpkp-file hsts hsts-file html-extension http-keep-alive http-password http-proxy
http-proxy-password http-proxy-user http-user http2 http2-request-window https-enforce https-only https-proxy
ignore-case ignore-tags input-encoding input-file iri keep-session-cookies list-plugins load-cookies local-db
local-encoding local-plugin max-redirect max-threads metalink netrc netrc-file ocsp ocsp-file ocsp-stapling
parent password plugin plugin-dirs plugin-help plugin-opt post-data post-file prefer-family private-key
private-key-type progress protocol-directories proxy quiet random-file random-wait read-timeout referer
regex-type reject-regex remote-encoding report-speed restrict-file-names retry-connrefused robots
save-cookies save-headers secure-protocol signature-extensions spider stats-all stats-dns stats-ocsp
stats-server stats-site stats-tls strict-comments tcp-fastopen tls-false-start tls-resume tls-session-file
trust-server-names use-askpass use-server-timestamps user user-agent verify-save-failed waitretry xattr`

const optionsOfAria2 = `all-proxy all-proxy-passwd all-proxy-user allow-overwrite allow-piece-length-change always-resume async-dns
async-dns-server auto-file-renaming auto-save-interval bt-detach-seed-only bt-enable-hook-after-hash-check
bt-enable-lpd bt-exclude-tracker bt-external-ip bt-force-encryption bt-hash-check-seed bt-load-saved-metadata
bt-lpd-interface bt-max-open-files bt-max-peers bt-metadata-only bt-min-crypto-level bt-prioritize-piece
bt-remove-unselected-file bt-request-peer-speed-limit bt-require-crypto bt-save-metadata bt-seed-unverified
bt-stop-timeout bt-tracker bt-tracker-connect-timeout bt-tracker-interval bt-tracker-timeout ca-certificate
certificate check-certificate check-integrity checksum conditional-get conf-path connect-timeout
console-log-level content-disposition-default-utf8 continue daemon deferred-input dht-entry-point
dht-entry-point6 dht-file-path dht-file-path6 dht-listen-addr6 dht-listen-port dht-message-timeout dir
disable-ipv6 disk-cache download-result dry-run dscp enable-async-dns6 enable-color enable-dht enable-dht6
enable-http-keep-alive enable-http-pipelining enable-mmap enable-peer-exchange enable-rpc event-poll
file-allocation follow-metalink follow-torrent force-save force-sequential ftp-passwd ftp-pasv ftp-proxy
ftp-proxy-passwd ftp-proxy-user ftp-reuse-connection ftp-type ftp-user gid hash-check-only header help
http-accept-gzip http-auth-challenge http-no-cache http-passwd http-proxy http-proxy-passwd http-proxy-user
http-user https-proxy https-proxy-passwd https-proxy-user human-readable index-out input-file interface
keep-unfinished-download-result listen-port load-cookies log log-level lowest-speed-limit
max-concurrent-downloads max-connection-per-server max-download-limit max-download-result max-file-not-found
max-mmap-limit max-overall-download-limit max-overall-upload-limit max-resume-failure-tries max-tries
max-upload-limit metalink-base-uri metalink-enable-unique-protocol metalink-file metalink-language
metalink-location metalink-os metalink-preferred-protocol metalink-version min-split-size min-tls-version
multiple-interface netrc-path no-conf no-file-allocation-limit no-netrc no-proxy on-bt-download-complete
on-download-complete on-download-error on-download-pause on-download-start on-download-stop
optimize-concurrent-downloads out parameterized-uri pause pause-metadata peer-agent peer-id-prefix
piece-length private-key proxy-method quiet realtime-chunk-checksum referer remote-time remove-control-file
retry-wait reuse-uri rlimit-nofile rpc-allow-origin-all rpc-certificate rpc-listen-all rpc-listen-port
rpc-max-request-size rpc-passwd rpc-private-key rpc-save-upload-metadata rpc-secret rpc-secure rpc-user
save-cookies save-not-found save-session save-session-interval seed-ratio seed-time select-file
server-stat-if server-stat-of server-stat-timeout show-console-readout show-files socket-recv-buffer-size
split ssh-host-key-md stderr stop stop-with-process stream-piece-selector summary-interval timeout
torrent-file truncate-console-readout uri-selector use-head user-agent version`
