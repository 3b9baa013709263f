package fault_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// blind is a server that tells nobody how large a file is.
var blind = ftptest.Without("SIZE", "MLST", "MLSD", "LIST", "NLST")

func ftpTree(v version) fstest.MapFS {
	return fstest.MapFS{"f.bin": {Data: v.data, ModTime: v.time, Mode: 0o644}}
}

// ftp1 makes a server of v1.
func ftp1(opts ...ftptest.Option) func(*scene) string {
	return func(s *scene) string {
		server := ftptest.NewServer(ftpTree(v1), opts...)
		s.Cleanup(server.Close)
		return server.URL + "/f.bin"
	}
}

// always strikes every transfer when it comes to a place in the file. A later
// transfer begins there, if the client resumes.
func always(do ftptest.Action, place int64) ftptest.Option {
	return ftptest.Faults(ftptest.Fault{After: place, Do: do, Once: true}, ftptest.Fault{Do: do})
}

// ever strikes every transfer after so many octets of it.
func ever(do ftptest.Action, after int64) ftptest.Option {
	return ftptest.Faults(ftptest.Fault{After: after, Do: do})
}

const (
	atHalf = 131_072
	atEnd  = 262_144
)

// ftpThen cuts the first run at half of v1, and has another server answer at the same
// address in the second run.
func ftpThen(f version, opts ...ftptest.Option) func(*scene) string {
	return func(s *scene) string {
		before := ftptest.NewServer(ftpTree(v1), always(ftptest.Drop, atHalf))
		s.Cleanup(before.Close)
		after := ftptest.NewServer(ftpTree(f), opts...)
		s.Cleanup(after.Close)
		s.hosts["good.test:21"] = before.Addr
		s.second = func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.hosts["good.test:21"] = after.Addr
		}
		return "ftp://good.test/f.bin"
	}
}

// greets makes a server of which only the beginning of a control connection is seen.
func greets(talk func(*net.TCPConn)) func(*scene) string {
	return func(s *scene) string { return "ftp://" + s.listen(talk) + "/f.bin" }
}

// passive makes a server that knows no EPSV, and answers PASV so.
func passive(reply string) func(*scene) string {
	return ftp1(ftptest.Reply("EPSV", "502 No."), ftptest.Reply("PASV", reply))
}

var ftpTrials = []trial{
	{id: "f-ok", serve: ftp1(), want: mustBeRight},
	{id: "f-lie226", serve: ftp1(always(ftptest.Lie226, atHalf)), want: mustFail},
	{id: "f-lie226-once", serve: ftp1(ftptest.Faults(ftptest.Fault{After: atHalf, Once: true})), want: mustBeRight},
	// That a transfer went well is what 226 means, and only a size could contradict
	// it. To ask LIST for one would cost every file a second data connection.
	{id: "f-lie226-list", serve: ftp1(ftptest.Without("SIZE", "MLST", "MLSD"), ever(ftptest.Lie226, atHalf)), want: mayBelieve},
	{id: "f-lie226-blind", serve: ftp1(blind, ever(ftptest.Lie226, atHalf)), want: mayBelieve},
	{id: "f-lie226-hint", serve: ftp1(ftptest.Without("MLST", "MLSD"), ftptest.Reply("SIZE", "502 No."), always(ftptest.Lie226, atHalf)), want: mustFail},
	{id: "f-cut-451", serve: ftp1(blind, ever(ftptest.Say451, atHalf)), want: mustFail},
	{id: "f-whole-426", serve: ftp1(ever(ftptest.Say426, atEnd))},
	{id: "f-whole-451-blind", serve: ftp1(blind, ever(ftptest.Say451, atEnd)), want: mustFail},
	// Whoever reads one last word does not see the other, unless it is there already.
	{id: "f-early226", serve: ftp1(blind, ever(ftptest.Early226, atHalf)), want: mayBelieve},
	{id: "f-nofinal", serve: ftp1(ever(ftptest.SayNone, atEnd))},
	{id: "f-ctl-drop", serve: ftp1(blind, ever(ftptest.Drop, atHalf)), want: mustFail},
	{id: "f-ctl-rst", serve: ftp1(blind, ever(ftptest.DropReset, atHalf)), want: mustFail},
	{id: "f-ctl-drop-whole", serve: ftp1(ever(ftptest.Drop, atEnd))},
	{id: "f-data-rst", serve: ftp1(blind, ever(ftptest.Reset, atHalf)), want: mustFail},
	{id: "f-data-stall", serve: ftp1(always(ftptest.Stall, atHalf)), want: mustFail},
	{id: "f-drip", serve: ftp1(ftptest.Rate(20)), want: mustFail},
	{id: "f-no150", serve: ftp1(ftptest.Reply("RETR", "")), want: mustFail},
	{id: "f-greet-stall", serve: greets(func(c *net.TCPConn) { io.Copy(io.Discard, c) }), want: mustFail},
	{id: "f-pasv-stall", serve: ftp1(ftptest.Reply("EPSV", ""), ftptest.Reply("PASV", "")), want: mustFail},
	{id: "f-pasv-port25", serve: passive("227 Entering Passive Mode (127,0,0,1,0,25)."), want: mustFail},
	{id: "f-pasv-none", serve: passive("227 ok"), want: mustFail},
	{id: "f-pasv-range", serve: passive("227 Entering Passive Mode (300,-1,1,1,999,1)"), want: mustFail},
	{id: "f-pasv-port0", serve: passive("227 Entering Passive Mode (203,0,113,10,0,0)"), want: mustFail},
	{id: "f-epsv-bad", serve: ftp1(ftptest.Reply("EPSV", "229 Entering Extended Passive Mode (|||99999|)"))},
	{id: "f-epsv-no", serve: ftp1(ftptest.Reply("EPSV", "500 What?")), want: mustBeRight},
	{id: "f-greet-100k", serve: ftp1(ftptest.Greeting(strings.Repeat("hello\n", 100_000) + "ready"))},
	{id: "f-greet-inf", serve: greets(func(c *net.TCPConn) { flood(c, "220-hello\r\n") }), want: mustFail},
	{id: "f-nonl", serve: greets(func(c *net.TCPConn) { io.WriteString(c, "220 "); flood(c, "hello ") }), want: mustFail},
	{id: "f-nonl-retr", serve: ftp1(ftptest.Reply("RETR", "150 "+strings.Repeat("hello ", 1<<20))), want: mustFail},
	{id: "f-multi-odd", serve: ftp1(ftptest.Greeting("hi\n230 fake\n 220 indented\nend")), want: mustBeRight},
	{id: "f-421-greet", serve: func(s *scene) string {
		server := ftptest.NewServer(ftpTree(v1))
		s.Cleanup(server.Close)
		s.hosts["good.test:21"] = s.listen(func(c *net.TCPConn) {
			io.WriteString(c, "421 too many users\r\n")
			s.mu.Lock()
			s.hosts["good.test:21"] = server.Addr
			s.mu.Unlock()
		})
		return "ftp://good.test/f.bin"
	}, want: mustBeRight},
	{id: "f-425-once", serve: ftp1(ftptest.Faults(ftptest.Fault{Do: ftptest.Say425, Once: true})), want: mustBeRight},
	{id: "f-530", serve: ftp1(ftptest.NoAnonymous()), want: mustFail},
	{id: "f-550", serve: func(s *scene) string { return strings.Replace(ftp1()(s), "f.bin", "missing", 1) }, want: mustFail},
	{id: "f-550-late", serve: ftp1(ftptest.Reply("RETR", "550 permission denied")), want: mustFail},
	{id: "f-550-ansi", serve: ftp1(ftptest.Reply("RETR", "550 \x1b]0;PWN\ano such file")), want: mustFail},
	{id: "f-size-long", serve: ftp1(ftptest.Without("MLST"), ftptest.Reply("SIZE", "213 524288")), want: mustFail},
	{id: "f-size-neg", serve: ftp1(ftptest.Reply("SIZE", "213 -1"))},
	{id: "f-size-huge", serve: ftp1(ftptest.Reply("SIZE", "213 99999999999999999999999"))},
	{id: "f-size-junk", serve: ftp1(ftptest.Reply("SIZE", "213 about 5 MB"))},
	{id: "f-resume", serve: ftpThen(v1), twice: true, want: mustBeRight},
	{id: "f-rest-ignored", serve: ftpThen(v1, ftptest.Reply("REST", "350 Restarting.")), twice: true},
	{id: "f-rest-ignored-blind", serve: ftpThen(v1, blind, ftptest.Reply("REST", "350 Restarting.")), twice: true},
	{id: "f-rest-502", serve: ftpThen(v1, ftptest.Without("REST")), twice: true},
	{id: "f-changed", serve: ftpThen(v2), twice: true, data: isV2},
	{id: "f-changed-nomdtm", serve: ftpThen(v2, ftptest.Without("MDTM", "MLST", "MLSD")), twice: true, data: isV2},
	{id: "f-smaller", serve: ftpThen(v4), twice: true, data: isV4},
	{id: "f-foreign", serve: ftp1(), want: mustBeRight},
}

// lists makes a server with a directory of ten files, the listing of which goes wrong in
// the middle of a line.
func lists(do ftptest.Action) func(*scene) string {
	return func(s *scene) string {
		files := fstest.MapFS{}
		for i := range 10 {
			files[fmt.Sprintf("d/file%d", i)] = &fstest.MapFile{ModTime: day}
		}
		server := ftptest.NewServer(files, ftptest.Without("MLSD", "MLST"), ftptest.Faults(ftptest.Fault{Command: "LIST", After: 200, Do: do}))
		s.Cleanup(server.Close)
		s.listed = true
		return server.URL + "/d/"
	}
}

var ftpListing = []trial{
	// A listing has no length: if the server says that this is all, it is.
	{id: "f-list-cut", serve: lists(ftptest.Lie226), entries: 10, want: mayBelieve},
	{id: "f-list-426", serve: lists(ftptest.Say426), entries: 10, want: mustFail},
}

// injected makes a server to which nobody should say DELE, and a URL for it.
func injected(before, after string) func(*scene) string {
	return func(s *scene) string {
		server := ftptest.NewServer(ftpTree(v1), ftptest.User("user", "pass"))
		s.Cleanup(func() {
			server.Close()
			for _, line := range server.Transcript() {
				if strings.HasPrefix(line, "DELE") || strings.ContainsAny(line, "\r\n\x00") {
					s.Errorf("the server was sent %q", line)
				}
			}
		})
		return "ftp://" + before + server.Addr + after
	}
}

var ftpInjection = []trial{
	{id: "f-inj-file", serve: injected("", "/f.bin%0d%0aDELE%20x"), want: mustFail},
	{id: "f-inj-file2", serve: injected("", "/%0d%0aDELE%20x%0d%0aRETR%20f.bin"), want: mustFail},
	{id: "f-inj-dir", serve: injected("", "/d%0d%0aDELE%20x/f.bin"), want: mustFail},
	{id: "f-inj-lf", serve: injected("", "/d%0aDELE%20x/f.bin"), want: mustFail},
	{id: "f-inj-cr", serve: injected("", "/d%0dDELE%20x/f.bin"), want: mustFail},
	{id: "f-inj-user", serve: injected("user%0d%0aDELE%20x@", "/f.bin"), want: mustFail},
	{id: "f-inj-pass", serve: injected("user:pass%0d%0aDELE%20x@", "/f.bin"), want: mustFail},
	{id: "f-inj-raw", serve: injected("", "/f.bin\r\nDELE x"), want: mustFail},
	{id: "f-inj-type", serve: injected("", "/f.bin;type=i%0d%0aDELE%20x"), want: mustFail},
	{id: "f-nul", serve: injected("", "/f.bin%00.evil"), want: mustFail},
}

// overTLS makes a server of ftps.
func overTLS(opts ...ftptest.Option) func(*scene) string {
	return func(s *scene) string {
		server := ftptest.NewServer(ftpTree(v1), append(opts, ftptest.ExplicitTLS())...)
		s.Cleanup(server.Close)
		s.trust, s.protect = &tls.Config{RootCAs: server.Roots()}, true
		return server.URL + "/f.bin"
	}
}

var ftps = []trial{
	{id: "x-strip", serve: func(s *scene) string {
		server := ftptest.NewServer(ftpTree(v1), ftptest.Reply("AUTH", "500 What?"))
		s.protect = true
		s.Cleanup(func() {
			server.Close()
			if sent := server.Transcript(); slices.ContainsFunc(sent, func(line string) bool { return !strings.HasPrefix(line, "AUTH") }) {
				s.Errorf("sent in clear: %q", sent)
			}
		})
		return server.URL + "/f.bin"
	}, want: mustFail},
	{id: "x-prot", serve: overTLS(ftptest.Reply("PROT", "536 No.")), want: mustFail},
	{id: "x-inject", serve: overTLS(ftptest.Inject(strings.Repeat("200 injected\r\n", 20)))},
	{id: "x-data-nonotify", serve: overTLS(blind, ever(ftptest.NoNotify, atHalf)), want: mustFail},
}
