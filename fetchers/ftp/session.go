package ftp

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"strconv"
	"time"

	"github.com/jlaffaye/ftp"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/wire"
)

// A session is a control connection after its login. The library speaks on it;
// what the library does not tell, such as the code of a reply, is read off the
// connection underneath.
type session struct {
	ctx  context.Context
	nw   *fetchers.Network
	lib  *ftp.ServerConn
	ctl  *control
	data net.Conn // of the last transfer
}

// open connects to the server of req and logs in.
func (f *Fetcher) open(ctx context.Context, req *fetchers.Request) (*session, error) {
	s := &session{ctx: ctx, nw: f.Network}
	err := s.do(func() (err error) {
		s.lib, err = ftp.Dial(req.URL.Addr(), ftp.DialWithDialFunc(s.dial))
		return err
	})
	if err != nil {
		s.drop()
		return nil, fetchers.NewError("connect", req.URL, err)
	}
	if err := s.login(f.credential(req)); err != nil {
		s.drop()
		return nil, fetchers.NewError("login", req.URL, err)
	}
	return s, nil
}

// credential returns who logs in. Without a user in the URL that is anonymous
// (RFC 1738, section 3.2.1); an empty user is a user.
func (f *Fetcher) credential(req *fetchers.Request) (who *fetchers.Credential, passwordSet bool) {
	if who, set := req.Credential(); who != nil {
		return who, set
	}
	mail := f.Mail
	if mail == "" {
		mail = "ftp@example.com"
	}
	return &fetchers.Credential{User: "anonymous", Password: mail}, true
}

func (s *session) login(who *fetchers.Credential, passwordSet bool) error {
	s.ctl.noPassword = !passwordSet
	err := s.do(func() error { return s.lib.Login(who.User, who.Password) })
	if err != nil && s.ctl.verb == "OPTS" && s.refused() {
		return nil // the login is over; only OPTS UTF8 ON was not liked
	}
	return err
}

// cwd goes to a directory. An empty name is sent as it is (RFC 1738, section
// 3.2.2); where that is refused, it means the root if it comes first and nothing
// further on, as custom has it.
func (s *session) cwd(name string, first bool) error {
	err := s.do(func() error { return s.lib.ChangeDir(name) })
	if err == nil || name != "" || !s.refused() {
		return err
	}
	if !first {
		s.ctl.trace.Note("an empty CWD is refused, so it is left out")
		return nil
	}
	s.ctl.trace.Note("an empty CWD is refused, so CWD / is tried")
	return s.do(func() error { return s.lib.ChangeDir("/") })
}

func (s *session) typeA() error {
	return s.do(func() error { return s.lib.Type(ftp.TransferTypeASCII) })
}

// size asks for the size of a file, -1 if it is not told, and whether the
// server knows the file.
func (s *session) size(name string) (n int64, known bool) {
	err := s.do(func() (err error) {
		n, err = s.lib.FileSize(name)
		return err
	})
	if err != nil || n < 0 {
		return -1, s.ctl.last.Code == 213
	}
	return n, true
}

// modTime asks when a file was changed; the answer may be the zero Time.
func (s *session) modTime(name string) (t time.Time) {
	s.do(func() (err error) {
		t, err = s.lib.GetTime(name)
		return err
	})
	return t
}

// retrieve begins a transfer over a data connection. The library has a stream
// for RETR only, so command is written in its place.
func (s *session) retrieve(command string, offset int64) (*transfer, error) {
	s.ctl.instead = command
	t := &transfer{s: s, size: -1}
	err := s.do(func() (err error) {
		t.resp, err = s.lib.RetrFrom("", uint64(offset))
		return err
	})
	s.ctl.instead = ""
	if err != nil {
		return nil, err
	}
	if t.resp == nil {
		return nil, fmt.Errorf("%w: %d %s", fetchers.ErrProtocol, s.ctl.last.Code, s.ctl.last.Text)
	}
	return t, nil
}

// done ends the conversation in good manners and makes res one without a Body.
func (s *session) done(res *fetchers.Resource) *fetchers.Resource {
	res.Reply = s.ctl.last
	res.SetBody(nil)
	s.quit()
	return res
}

// quit takes leave; the answer is not waited for.
func (s *session) quit() {
	s.do(func() error { return s.lib.Quit() })
	s.drop()
}

// drop closes the control connection, in whatever state it is.
func (s *session) drop() {
	if s.ctl != nil {
		s.ctl.Close()
	}
}

// alive reports whether the connection can carry another command.
func (s *session) alive() bool { return s.ctl.broken == nil }

// refused reports whether the server's last word was that it will not.
func (s *session) refused() bool { return s.alive() && s.ctl.last.Code >= 500 }

// do runs one call of the library and says what became of it. The library wants
// one exact code where RFC 959 allows several, loses codes, and can be made to
// panic by a reply (dependency on v0.2.4), so the server's last reply decides.
func (s *session) do(call func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", fetchers.ErrProtocol, r)
		}
	}()
	if s.ctl != nil {
		s.ctl.last = fetchers.Reply{}
	}
	err = call()
	switch {
	case err == nil:
		return nil
	case s.ctl == nil:
		return err // not connected
	case s.ctl.last.Code >= 400:
		return &fetchers.StatusError{Reply: s.ctl.last, Class: classOf(s.ctl.last)}
	case s.ctl.broken != nil:
		return s.ctl.broken
	case s.ctl.settled():
		return nil
	case s.ctl.last.Code == 332:
		return fmt.Errorf("%w: %d %s: an account is needed, and a URL has none", fs.ErrPermission, s.ctl.last.Code, s.ctl.last.Text)
	}
	return fmt.Errorf("%w: %v", fetchers.ErrProtocol, err)
}

// dial is how the library connects: first to the server, then for data. A data
// connection goes to the machine the control connection is with, whatever the
// server says, and not to the port of some other service there.
func (s *session) dial(_, addr string) (net.Conn, error) {
	if s.ctl == nil {
		c, err := s.connect(addr)
		if err != nil {
			return nil, err
		}
		s.ctl = newControl(s.ctx, c)
		return s.ctl, nil
	}
	_, text, _ := net.SplitHostPort(addr)
	port, err := strconv.Atoi(text)
	switch {
	case err != nil || port < 1 || port > 65535:
		return nil, s.ctl.breaks(fmt.Errorf("%w: data port %s", fetchers.ErrProtocol, text))
	case port < 1024:
		return nil, s.ctl.breaks(fmt.Errorf("%w: data port %d belongs to another service", fetchers.ErrBlocked, port))
	}
	c, err := s.connect(addr)
	if err != nil {
		return nil, s.ctl.breaks(err)
	}
	s.data = c
	return c, nil
}

func (s *session) connect(addr string) (*wire.Conn, error) {
	c, err := wire.Dial(s.ctx, s.nw, addr)
	if err == nil {
		c.Bind(s.ctx)
	}
	return c, err
}
