//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/url"
)

// hostile are texts that are valid for no flag. None of them is the name of a file outside the
// working directory, or an address of another machine.
var hostile = []string{
	"", " ", "-", "--", "=", ":", "::", ":::", "a:b", "a=b", "a=", "=b", "nocolon", "x", "é", "\u202egpj", "\ufeffx", "\x1b[31mred", "\x9b2J", "\r\nX: y", "a\nb", "a\tb", "\xff\xfe", "\x7f",
	"'", `"`, "`id`", "$(id)", "%", "%00", "%0d%0a", "%zz", "{nss}", "{", "[", "[]", "[::1", "*", "all,-http", "+ftp", "=http,-all", "-", "1-", "-5", "5-1", "0-", "0-0", "18446744073709551615-", "-9223372036854775808",
	"999999999999999999999", "-1", "1e309", "1e-300", "NaN", "inf", "0x10", "1k", "1T", "9999999T", "1.5", "true", "false", "server", "sha256:zz", "md5:d41d8cd98f00b204e9800998ecf8427e", "ftp:", "http:", "://", "https://", "localhost", "localhost:0",
	"127.0.0.1", "127.0.0.1:1", "[::1]:1", "::1", "h:80:127.0.0.1", "h:80:[::1]", ":::1", "text/plain De_DE", "NAME: VALUE", "Name:", ": x", "Cookie: a=b", "Host: x", "Transfer-Encoding: chunked", "Range: bytes=0-1", "user:pass", ":", "a:b:c",
	"2001-02-03", "-2001-02-03", "Sun, 06 Nov 1994 08:49:37 GMT", "2001-02-30", strings.Repeat("A", 5000), strings.Repeat("a,", 300), strings.Repeat("%41", 200),
}

// fileNames are names of files in the working directory of a run. Some of them exist there.
var fileNames = []string{
	"file", "part", "empty", "list", "cookies", "hsts", "netrc", "config.toml", "cert.pem", "sums", "state", "message", "torn", "pipe", "sub", "sub/file", ".", "missing", "missing/file", "new", "new.part", "/dev/null", "-", "link", "long" + strings.Repeat("g", 300),
	"out\nput", "-x", "a b", "é", "CON", "~", "x\x1b[2J",
}

// A lineMaker makes random command lines. A lineMaker made anew with the same seed makes the same
// lines for the same servers.
type lineMaker struct {
	*rand.Rand
	at places
}

func newLineMaker(seed, run uint64, at places) *lineMaker {
	return &lineMaker{rand.New(rand.NewPCG(seed, run)), at}
}

// chance reports true in one of n cases.
func (m *lineMaker) chance(n int) bool { return m.IntN(n) == 0 }

func pick[T any](m *lineMaker, from ...T) T { return from[m.IntN(len(from))] }

// urlVerbs are the verbs that take URLs, each as often as it is chosen.
var urlVerbs = []string{"get", "get", "get", "get", "get", "get", "ls", "ls", "info", "info", "parse"}

// line returns the arguments of a run.
func (m *lineMaker) line() []string {
	if m.chance(40) {
		return m.otherLine()
	}
	verb := pick(m, urlVerbs...)
	var urls, args []string
	for range pick(m, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3) {
		urls = append(urls, m.url())
	}
	fit := fitting{verb: verb, toFiles: verb == "get" && m.chance(2)}
	if len(urls) > 0 {
		fit.scheme, _, _ = strings.Cut(strings.ToLower(urls[0]), ":")
	}
	given := make(map[string]bool)
	for range min(m.IntN(9), m.IntN(9)) {
		f := m.flag(fit)
		fit.group, given[f.Name] = f.Group, true
		args = append(args, m.withValue(f)...)
		if strings.HasPrefix(f.Name, "proxy") && f.Name != "proxy" {
			args = append(args, "-x"+m.proxy())
		}
	}
	for _, f := range []string{"retry=0", "max-time=1"} {
		name, _, _ := strings.Cut(f, "=")
		if row, _ := option.Lookup(name); !given[name] && row.On(verb) {
			args = append(args, "--"+f)
		}
	}
	if fit.toFiles {
		args = append(args, pick(m, "-O", "--remote-name", "--output=new", "--output=file", "--decode"))
	}
	if m.chance(30) {
		args = append(args, "--")
	}
	args = append(args, urls...)
	if verb != "get" {
		args = slices.Insert(args, 0, verb)
	}
	return args
}

// otherLine returns the arguments of a verb without URLs, or arguments without a verb.
func (m *lineMaker) otherLine() []string {
	args := []string{pick(m, "help", "schemes", "version", "completion", "__complete", "get", "LS", "inof", "-h")}
	for range m.IntN(3) {
		args = append(args, pick(m, "", "ls", "info", "environment", "bash", "zsh", "--help", "-", "\x1b[31m", "--proto", "--pro", "ftp", "--no-descriptions"))
	}
	return args
}

// A fitting is the verb and the scheme that most flags of a command line have to suit.
type fitting struct {
	verb, scheme, group string
	toFiles             bool
}

// flag returns a flag. Mostly the flag fits, and often it is of one group with others: flags about
// the same subject affect each other.
func (m *lineMaker) flag(fit fitting) option.Flag {
	table := option.Table()
	if fit.group != "" && m.chance(2) {
		table = slices.DeleteFunc(slices.Clone(table), func(f option.Flag) bool { return f.Group != fit.group })
	}
	for {
		f := pick(m, table...)
		fits := f.On(fit.verb) && f.Name != "help" && (fit.scheme == "" || f.For(fit.scheme)) && (fit.toFiles || f.ForFiles == option.Never)
		if fits || m.chance(200) {
			return f
		}
	}
}

// withValue returns a flag as arguments. A flag that takes no value never gets a value as an
// argument of its own, or a URL would be taken for the name of a file.
func (m *lineMaker) withValue(f option.Flag) []string {
	name := "--" + f.Name
	if f.Short != "" && m.chance(2) {
		name = "-" + f.Short
	}
	if m.chance(200) {
		name = pick(m, "--"+f.Name[1:], "--"+f.Name+"x", "--x", "-?")
		return []string{name}
	}
	value := m.value(f)
	switch {
	case f.Value == "" && m.chance(8):
		return []string{"--" + f.Name + "=" + value}
	case f.Value == "", f.Bare != "" && m.chance(2):
		return []string{name}
	case f.Bare != "" || m.chance(2):
		return []string{"--" + f.Name + "=" + value}
	case len(name) == 2 && value != "" && m.chance(2):
		return []string{name + value}
	}
	return []string{name, value}
}

// value returns a value for a flag: a valid one, a value of another flag or a hostile text.
func (m *lineMaker) value(f option.Flag) string {
	switch f.Name { // so that a run ends soon
	case "max-time":
		return pick(m, "0.2", "1", "1.5", "1e-9", "0.1", "-1")
	case "retry", "retry-delay":
		return pick(m, "0", "0", "0", "1", "1", "-1")
	}
	if m.chance(25) {
		return pick(m, hostile...)
	}
	if words := f.Words(); words != nil {
		return pick(m, words...)
	}
	switch f.Value {
	case "":
		return pick(m, "true", "true", "false", "false", "x")
	case "FILE":
		return pick(m, fileNames...)
	case "DIR":
		return pick(m, ".", "sub", "missing", "new/dir", "file")
	case "URL":
		if f.Name == "proxy" {
			return m.proxy()
		}
		return m.url()
	case "FILE|URL":
		return pick(m, m.url(), pick(m, fileNames...))
	case "NAME=VALUE|FILE":
		return pick(m, "a=b", "a=b; c=d", "cookies", "=", "a=\x01")
	case "[-]DATE|FILE":
		return pick(m, "2001-02-03", "-2030-01-01", "file", "-file", "1 Jan 2030")
	case "ALGO:HEX|URL|server":
		return pick(m, "server", "sha256:"+strings.Repeat("0", 64), "md5:d41d8cd98f00b204e9800998ecf8427e", m.url(), "sha1:x")
	case "NAME: VALUE|@FILE":
		return pick(m, "X-Test;", "@list", "@missing", "@pipe", "@", "X-Test: x", "nocolon", "Cookie: a=b", "Authorization: Basic eA==", "X:", ": x", "Accept: */*", "User-Agent: x", "X-Long: "+strings.Repeat("x", 9000))
	case "NAME[:PASSWORD]", "NAME:PASSWORD":
		return pick(m, "user:s3cret", "user", ":", "joe:", "user:a:b")
	case "HOST[:PORT]":
		return pick(m, m.at.host(m), "127.0.0.1:1", "[::1]:1", "localhost:1", "user@127.0.0.1")
	case "BEGINNING=URL":
		return pick(m, "x=http://"+m.at.host(m)+"/{nss}", "*="+m.url(), "a:b=urn:x:{urn}", "x=urn:x:y", "=")
	case "HOST:PORT:ADDR":
		return pick(m, "h.example:80:127.0.0.1", "h:1:[::1]", "h:x:127.0.0.1", "127.0.0.1:1:127.0.0.1")
	case "H:P:H2:P2":
		return pick(m, "::"+m.at.host(m), ":1::2", "127.0.0.1:1:localhost:1", "h.example:80:"+m.at.host(m))
	case "LIST":
		if f.Complete == option.SchemeNames {
			return pick(m, "http,https", "-http", "+gopher,ftp", "all,-ftp", "=all", "https,http,ftp,gopher,nntp", "x")
		}
		return pick(m, "*", "127.0.0.1", "localhost,h.example", "::1", ",")
	case "A-B|A-|-N":
		return pick(m, "0-5", "3-", "-4", "100000-", "0-0", "5-2", "-0")
	case "N|-":
		return pick(m, "-", "0", "3", "99999")
	case "N":
		return pick(m, f.Example, f.Example, "0", "1", "2", "10", "100", "1M")
	case "SECONDS":
		return pick(m, f.Example, "0", "0.01", "0.1", "1", "10")
	}
	return pick(m, f.Example, f.Example, f.Example, pick(m, hostile...))
}

// proxy returns the URL of a proxy.
func (m *lineMaker) proxy() string {
	return pick(m, "", "http", "https", "socks4", "socks4a", "socks5", "socks5h", "ftp") + pick(m, "://", "://user:pw@") + m.at.host(m)
}

// urlSchemes are the schemes of the URLs. Schemes with servers are chosen more often.
var urlSchemes = slices.Concat(slices.Repeat([]string{"http", "ftp", "gopher", "nntp", "news", "wais", "finger", "dict", "tftp", "telnet", "prospero"}, 4),
	slices.Repeat([]string{"http"}, 10), []string{"https", "ftps", "gophers", "nntps", "snews", "telnets", "rlogin", "tn3270"})

// paths are paths of URLs. A path of one scheme may be sent to a server of another.
var paths = []string{
	"", "/", "//", "/hello.txt", "/pub/", "/pub/hello.txt", "/deep/a/b/c/file.txt", "/moved", "/loop", "/meta4", "/attached", "/escape", "/many", "/gzip", "/bomb", "/slow", "/private", "/1/", "/0/hello.txt", "/7/find%09words", "/1/%09%09%2b", "/0/form%09%09%2b", "/test.misc", "/test.misc/1", "/test.misc/1-9", "/simple.1@example.test", "simple.1@example.test", "/*",
	"/deep?directories", "/deep?", "/deep/TEXT/1=x;2=y;", "//hello.txt", "//deep", "/joe", "/W%20joe", "/d:sun:wn", "/m:su::prefix", "/show:db", "/d::wn", "/d:a:b:c:d", "/x;type=a", "/x;type=d", "/x;type=z", "/..", "/../../x", "/%2e%2e/%2e%2e/x", "/%2e%2e%2fx", "/..%2f..%2fx", "/%00", "/a%0d%0ab", "/%ff%fe", "/a%1b%5b31mb", "/.hidden", "/CON", "/-", "/~", "/a%2fb", "/" + strings.Repeat("a", 300), "/" + strings.Repeat("a/", 100), "/x?" + strings.Repeat("q", 2000), "/x#frag", "/?a=b", "/%",
}

// url returns the URL of a resource on this machine, or a text that is no URL.
func (m *lineMaker) url() string {
	switch m.IntN(40) {
	case 0:
		return pick(m, "data:,hello", "data:text/plain;base64,aGVsbG8=", "data:;base64,%%%", "data:", "data:image/png,%89PNG", "mailto:joe@example.test?subject=%0d%0a", "mailto:", "urn:x:y", "urn:a:b", "urn:", "mid:a@b", "mid:a@b/c@d", "mid:", "cid:c", "cid:", "news:a@b", "news:x.*", "news:", "afs:x", "nfs://localhost/x", "z39.50s://localhost/x;rs=?", "z39.50r://localhost/x", "xyz:x", "mailserver:x@y", "z39.50:x")
	case 1:
		return pick(m, "file", "file:file", "file:///dev/null", "sub", "missing", "-", ".", "pipe", "file:"+m.at.dir+"/file", "file://localhost"+m.at.dir+"/sub/", "file:"+m.at.dir+"/missing", "file:"+m.at.dir+"/list")
	case 2:
		if text := pick(m, hostile...); !strings.HasPrefix(text, "-") {
			return text
		}
	case 3:
		return pick(m, "127.0.0.1/x", "localhost:1/x", "user:pw@127.0.0.1/x", "//127.0.0.1/", "http:/127.0.0.1/", "http//127.0.0.1", "<URL:http://127.0.0.1:1/>", "http://127.0.0.1:99999/", "http://[::1]:1/", "http://[::1/", "http://localhost:0/", "http:", "ftp:x", "nohost://", "http://a:s3cret@/x")
	}
	server := m.at.server(m)
	scheme := server.scheme
	if scheme == "" || m.chance(20) {
		scheme = pick(m, urlSchemes...)
	}
	login := ""
	if m.chance(8) {
		login = pick(m, "user:s3cret@", "user@", ":@", "joe:%00@", "a%3ab@")
	}
	path := pick(m, paths...)
	if len(server.paths) > 0 && !m.chance(4) {
		path = pick(m, server.paths...)
	}
	text := scheme + "://" + login + server.addr + path
	if url.Describe(scheme) == "" || m.chance(100) {
		text = strings.ToUpper(text)
	}
	return text
}

// configuration returns a file of values for flags. The file may be cut short.
func (m *lineMaker) configuration() string {
	var b strings.Builder
	section := func() {
		for range m.IntN(5) {
			f := m.flag(fitting{verb: "get", toFiles: true})
			key := f.Name
			if m.chance(30) {
				key = pick(m, f.Name+"x", `""`, `"a b"`, "origin", "x.y")
			}
			fmt.Fprintf(&b, "%s = %s\n", key, m.tomlValue(f))
		}
	}
	section()
	for range m.IntN(3) {
		host := m.at.host(m)
		fmt.Fprintf(&b, "[%s]\n", pick(m, strconv.Quote("http://"+host), strconv.Quote("ftp://"+host), `origin."http://`+host+`"`, strconv.Quote(m.url()), "x", `"http://127.0.0.1:1"`, `"http://user:s3cret@127.0.0.1:1/x"`))
		section()
	}
	text := b.String()
	if m.chance(10) && text != "" {
		at := m.IntN(len(text))
		text = text[:at] + pick(m, "", "\x00", "\xff", "=", "[", `"`, "'''", "\n", "}")
	}
	return text
}

// tomlValue returns a value in TOML for a flag, which may be of another type.
func (m *lineMaker) tomlValue(f option.Flag) string {
	value := m.value(f)
	if _, err := strconv.ParseFloat(value, 32); err == nil && m.chance(2) {
		return value
	}
	switch {
	case m.chance(15):
		return pick(m, "1", "true", "[]", "[1, [2]]", "{}", "{a = 1}", "1979-05-27", "nan", "0x10", `"x"`, "1.5", "-1", "'''\n'''")
	case f.Value == "":
		return pick(m, "true", "true", "false", `"x"`)
	case f.Repeatable() && m.chance(2):
		return "[" + tomlText(value) + ", " + tomlText(m.value(f)) + "]"
	}
	return tomlText(value)
}

func tomlText(value string) string {
	quoted, _ := strings.CutPrefix(strconv.QuoteToASCII(value), "\x00")
	for _, escape := range []string{`\x`, `\a`, `\v`} {
		quoted = strings.ReplaceAll(quoted, escape, `\\`)
	}
	return quoted
}

// list returns a list of URLs, or a Metalink.
func (m *lineMaker) list() string {
	var b strings.Builder
	if m.chance(4) {
		b.WriteString(pick(m, "", "\ufeff", "<?xml version=\"1.0\"?>") + `<metalink xmlns="urn:ietf:params:xml:ns:metalink">`)
		for range m.IntN(4) {
			fmt.Fprintf(&b, `<file name="%s"><size>%s</size><hash type="%s">%s</hash><url>%s</url>%s</file>`, m.foreignName(), pick(m, "5", "-1", "x", ""), pick(m, "sha-256", "md5", "x"), pick(m, "x", strings.Repeat("0", 64)), xmlText(m.url()), pick(m, "", "<url>"+xmlText(m.url())+"</url>", `<pieces length="1" type="sha-1"><hash>x</hash></pieces>`, "<"))
		}
		b.WriteString(pick(m, "</metalink>", "</metalink>", "", "<!--"))
		return b.String()
	}
	for range m.IntN(6) {
		b.WriteString(pick(m, m.url(), m.url(), m.url(), "# remark", "", strings.Repeat("x", 70_000), "\x00", "\ufeff"))
		for range m.IntN(2) {
			b.WriteString("\t" + pick(m, "out=new"+strconv.Itoa(m.IntN(3)), "out=sub/new", "out=", "mirror="+m.url(), "sha256="+strings.Repeat("0", 64), "sha256=x", "x", "", "user=joe:s3cret"))
		}
		b.WriteString(pick(m, "\n", "\n", "\r\n", ""))
	}
	return b.String()
}

// foreignName returns a name that a stranger proposes for a file. No such name may lead out of the
// working directory.
func (m *lineMaker) foreignName() string {
	return pick(m, "new", "sub/new", "a/b/c", "../escaped", "../../escaped", "sub/../../escaped", m.at.canary+"/escaped", ".", "..", "", "-", "~/escaped", ".hidden", "new\n", "a\x1b[2Jb", "CON", strings.Repeat("n", 300), "file", `..\escaped`)
}

func xmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", "\x00", "", "\x1b", "").Replace(s)
}
