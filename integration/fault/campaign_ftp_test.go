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

// blind is the option of a server that does not tell the size of a file.
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

// ever is a fault of every transfer, after a number of octets.
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
		before := ftptest.NewServer(ftpTree(v1), always(ftptest.Cut, atHalf))
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

// passive makes a server without EPSV that answers PASV with a reply.
func passive(reply string) func(*scene) string {
	return ftp1(ftptest.Reply("EPSV", "502 No."), ftptest.Reply("PASV", reply))
}

var ftpTrials = []trial{
	{name: "FTP with SIZE", serve: ftp1(), want: mustBeRight},
	{name: "226 at half of SIZE, every time", serve: ftp1(always(ftptest.Lie226, atHalf)), want: mustFail},
	{name: "226 at half of SIZE, once", serve: ftp1(ftptest.Faults(ftptest.Fault{After: atHalf, Once: true})), want: mustBeRight},
	// 226 means that the transfer succeeded, and only a size could contradict it. To get the size
	// from LIST, each file would need a second data connection.
	{name: "226 at half of the size in LIST", serve: ftp1(ftptest.Without("SIZE", "MLST", "MLSD"), ever(ftptest.Lie226, atHalf)), want: mayBelieve},
	{name: "226 at half, no size known", serve: ftp1(blind, ever(ftptest.Lie226, atHalf)), want: mayBelieve},
	{name: "226 at half of the size in 150", serve: ftp1(ftptest.Without("MLST", "MLSD"), ftptest.Reply("SIZE", "502 No."), always(ftptest.Lie226, atHalf)), want: mustFail},
	{name: "451 at half, no size known", serve: ftp1(blind, ever(ftptest.Say451, atHalf)), want: mustFail},
	{name: "426 after all of SIZE", serve: ftp1(ever(ftptest.Say426, atEnd))},
	{name: "451 after all, no size known", serve: ftp1(blind, ever(ftptest.Say451, atEnd)), want: mustFail},
	// A client that reads one final reply does not see another one, unless it has arrived already.
	{name: "226 before the data, 426 after half", serve: ftp1(blind, ever(ftptest.Early226, atHalf)), want: mayBelieve},
	{name: "no reply after all of SIZE", serve: ftp1(ever(ftptest.SayNone, atEnd))},
	{name: "both connections end at half", serve: ftp1(blind, ever(ftptest.Cut, atHalf)), want: mustFail},
	{name: "the control connection is reset at half", serve: ftp1(blind, ever(ftptest.CutReset, atHalf)), want: mustFail},
	{name: "the control connection ends after all of SIZE", serve: ftp1(ever(ftptest.Cut, atEnd))},
	{name: "the data connection is reset at half, then 226", serve: ftp1(blind, ever(ftptest.Reset, atHalf)), want: mustFail},
	{name: "silence at half of the data", serve: ftp1(always(ftptest.Stall, atHalf)), want: mustFail},
	{name: "data that drip", serve: ftp1(ftptest.Rate(20)), want: mustFail},
	{name: "no reply to RETR", serve: ftp1(ftptest.Reply("RETR", "")), want: mustFail},
	{name: "no FTP greeting", serve: greets(func(c *net.TCPConn) { io.Copy(io.Discard, c) }), want: mustFail},
	{name: "no reply to EPSV and PASV", serve: ftp1(ftptest.Reply("EPSV", ""), ftptest.Reply("PASV", "")), want: mustFail},
	{name: "PASV names port 25", serve: passive("227 Entering Passive Mode (127,0,0,1,0,25)."), want: mustFail},
	{name: "PASV without an address", serve: passive("227 ok"), want: mustFail},
	{name: "PASV with numbers out of range", serve: passive("227 Entering Passive Mode (300,-1,1,1,999,1)"), want: mustFail},
	{name: "PASV with port 0", serve: passive("227 Entering Passive Mode (203,0,113,10,0,0)"), want: mustFail},
	{name: "EPSV with a port out of range", serve: ftp1(ftptest.Reply("EPSV", "229 Entering Extended Passive Mode (|||99999|)"))},
	{name: "EPSV is refused", serve: ftp1(ftptest.Reply("EPSV", "500 What?")), want: mustBeRight},
	{name: "an FTP greeting of 100,000 lines", serve: ftp1(ftptest.Greeting(strings.Repeat("hello\n", 100_000) + "ready"))},
	{name: "an FTP greeting without end", serve: greets(func(c *net.TCPConn) { flood(c, "220-hello\r\n") }), want: mustFail},
	{name: "an FTP greeting in one endless line", serve: greets(func(c *net.TCPConn) { io.WriteString(c, "220 "); flood(c, "hello ") }), want: mustFail},
	{name: "six megabytes in the reply to RETR", serve: ftp1(ftptest.Reply("RETR", "150 "+strings.Repeat("hello ", 1<<20))), want: mustFail},
	{name: "an FTP greeting with other replies in it", serve: ftp1(ftptest.Greeting("hi\n230 fake\n 220 indented\nend")), want: mustBeRight},
	{name: "421 for a greeting, then good", serve: func(s *scene) string {
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
	{name: "425 for RETR, then good", serve: ftp1(ftptest.Faults(ftptest.Fault{Do: ftptest.Say425, Once: true})), want: mustBeRight},
	{name: "the FTP login is refused", serve: ftp1(ftptest.NoAnonymous()), want: mustFail},
	{name: "550 for a missing file", serve: func(s *scene) string { return strings.Replace(ftp1()(s), "f.bin", "missing", 1) }, want: mustFail},
	{name: "550 for RETR after SIZE", serve: ftp1(ftptest.Reply("RETR", "550 permission denied")), want: mustFail},
	{name: "550 with a terminal sequence", serve: ftp1(ftptest.Reply("RETR", "550 \x1b]0;PWN\ano such file")), want: mustFail},
	{name: "SIZE is twice the file", serve: ftp1(ftptest.Without("MLST"), ftptest.Reply("SIZE", "213 524288")), want: mustFail},
	{name: "a negative SIZE", serve: ftp1(ftptest.Reply("SIZE", "213 -1"))},
	{name: "a SIZE of 23 digits", serve: ftp1(ftptest.Reply("SIZE", "213 99999999999999999999999"))},
	{name: "a SIZE in words", serve: ftp1(ftptest.Reply("SIZE", "213 about 5 MB"))},
	{name: "FTP taken up in a second run", serve: ftpThen(v1), twice: true, want: mustBeRight},
	{name: "REST is accepted and ignored", serve: ftpThen(v1, ftptest.Reply("REST", "350 Restarting.")), twice: true},
	{name: "REST is accepted and ignored, no size known", serve: ftpThen(v1, blind, ftptest.Reply("REST", "350 Restarting.")), twice: true},
	{name: "REST is refused", serve: ftpThen(v1, ftptest.Without("REST")), twice: true},
	{name: "the file has changed on the FTP server", serve: ftpThen(v2), twice: true, data: isV2},
	{name: "the file has changed on an FTP server without MDTM", serve: ftpThen(v2, ftptest.Without("MDTM", "MLST", "MLSD")), twice: true, data: isV2},
	{name: "the file has become smaller on the FTP server", serve: ftpThen(v4), twice: true, data: isV4},
	{name: "a file of that name exists, over FTP", foreign: true, serve: ftp1(), want: mustBeRight},
}

// lists makes a server with a directory of ten files, whose listing has a fault in the middle of a
// line.
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
	// A listing has no length: the end that the server reports is the end.
	{name: "LIST ends within a line, then 226", serve: lists(ftptest.Lie226), entries: 10, want: mayBelieve},
	{name: "LIST ends within a line, then 426", serve: lists(ftptest.Say426), entries: 10, want: mustFail},
}

// injected makes a server that must not receive DELE, and a URL for it.
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
	{name: "DELE behind the file name", serve: injected("", "/f.bin%0d%0aDELE%20x"), want: mustFail},
	{name: "DELE before the file name", serve: injected("", "/%0d%0aDELE%20x%0d%0aRETR%20f.bin"), want: mustFail},
	{name: "DELE in a directory name", serve: injected("", "/d%0d%0aDELE%20x/f.bin"), want: mustFail},
	{name: "DELE behind a bare LF", serve: injected("", "/d%0aDELE%20x/f.bin"), want: mustFail},
	{name: "DELE behind a bare CR", serve: injected("", "/d%0dDELE%20x/f.bin"), want: mustFail},
	{name: "DELE in the user name", serve: injected("user%0d%0aDELE%20x@", "/f.bin"), want: mustFail},
	{name: "DELE in the password", serve: injected("user:pass%0d%0aDELE%20x@", "/f.bin"), want: mustFail},
	{name: "DELE behind a raw line end", serve: injected("", "/f.bin\r\nDELE x"), want: mustFail},
	{name: "DELE in the type", serve: injected("", "/f.bin;type=i%0d%0aDELE%20x"), want: mustFail},
	{name: "NUL in the FTP file name", serve: injected("", "/f.bin%00.evil"), want: mustFail},
}

// overTLS makes a server of ftps.
func overTLS(opts ...ftptest.Option) func(*scene) string {
	return func(s *scene) string {
		server := ftptest.NewServer(ftpTree(v1), append(opts, ftptest.StartTLS())...)
		s.Cleanup(server.Close)
		s.trust, s.protect = &tls.Config{RootCAs: server.Roots()}, true
		return server.URL + "/f.bin"
	}
}

var ftps = []trial{
	{name: "AUTH is refused, and TLS is wanted", serve: func(s *scene) string {
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
	{name: "PROT is refused, and TLS is wanted", serve: overTLS(ftptest.Reply("PROT", "536 No.")), want: mustFail},
	{name: "replies in clear before the handshake", serve: overTLS(ftptest.Inject(strings.Repeat("200 injected\r\n", 20)))},
	{name: "half the data over TLS, no close_notify, then 226", serve: overTLS(blind, ever(ftptest.NoNotify, atHalf)), want: mustFail},
}
