package ftp

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A session is a control connection and the state that the server keeps for it. It sends some
// commands itself, and others by the library.
type session struct {
	f     *Fetcher
	ctx   context.Context
	host  string // host of the URL, which the certificate must name
	key   key
	lease *lease
	ctl   *control
	lib   *library
	tls   *tls.Config // for data connections; nil means without TLS

	machine   string           // host of data connections
	opening   string           // command that begins the next transfer, or the first of several such commands
	hasty     bool             // opening was sent before the data connection was established
	unreached bool             // the port of EPSV was then not reached, too late for PASV
	listener  *net.TCPListener // for the next data connection, in active mode
	data      io.Closer        // last data connection
	bare      *transport.Conn  // the same, if nothing wraps it

	at      []string // CWDs since the login
	home    string   // path of the login directory, if known
	ascii   bool     // TYPE A, not TYPE I
	utf8    bool     // OPTS UTF8 ON was sent
	regular bool     // the server receives more than one fetch
	lost    bool     // the state is unknown, so the session is not kept
}

// enter connects to the server of e and logs in. With an error, the session is closed.
func (f *Fetcher) enter(ctx context.Context, e errand) (*session, error) {
	req := e.req
	who, passwordSet := f.credential(req)
	s := &session{f: f, ctx: ctx, host: req.URL.Host, key: keyOf(req, who), regular: e.regular}
	if err := s.connect(e); err != nil {
		s.Close()
		return s, fetchers.NewError("connect", req.URL, err)
	}
	s.planLogin(e, who)
	err := s.lib.login(who.User, who.Password, passwordSet)
	if err == nil {
		err = s.protect()
	}
	if err != nil {
		s.Close()
		return s, fetchers.NewError("login", req.URL, err)
	}
	return s, nil
}

// credential returns the login. Without a user in the URL it is anonymous (RFC 1738, section
// 3.2.1); an empty user is a user.
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

// cwd changes to a directory. An empty name is sent unchanged (RFC 1738, section 3.2.2). If the
// server refuses it, it conventionally means the root as the first element, and is skipped as a
// later one.
func (s *session) cwd(name string) (err error) {
	for _, spelled := range spellings(name) {
		if err = s.lib.changeDir(spelled); err == nil || !s.refused() {
			break
		}
	}
	if err != nil && name == "" && s.refused() {
		if len(s.at) == 0 {
			s.ctl.trace.Note("an empty CWD is refused, so CWD / is tried")
			err = s.lib.changeDir("/")
		} else {
			s.ctl.trace.Note("an empty CWD is refused, so it is left out")
			err = nil
		}
	}
	if err == nil {
		s.at = append(s.at[:len(s.at):len(s.at)], name)
	}
	return err
}

// spellings returns the ways to send a name. RFC 959 uses a Telnet connection, where the byte 0xFF
// is doubled; some servers do not undo that.
func spellings(name string) []string {
	if !strings.Contains(name, "\xff") {
		return []string{name}
	}
	return []string{strings.ReplaceAll(name, "\xff", "\xff\xff"), name}
}

// setType sets the type of transfers.
func (s *session) setType(ascii bool) error {
	if s.ascii == ascii {
		return nil
	}
	err := s.lib.setType(ascii)
	if err == nil {
		s.ascii = ascii
	}
	return err
}

// size requests the size of a file. It returns -1 if there is none, and whether the server knows
// the file.
func (s *session) size(name string) (n int64, known bool) {
	n, err := s.lib.size(name)
	if err != nil || n < 0 {
		return -1, s.ctl.last.Code == 213
	}
	return n, true
}

// asksTime reports whether MDTM can be sent for a name. If the name begins with a time and a space,
// some servers would set this time for the file whose name follows.
func (s *session) asksTime(name string) bool {
	return s.ctl.offers("MDTM") && !timed.MatchString(name)
}

// modTime requests the modification time of a file; the result may be the zero Time.
func (s *session) modTime(name string) time.Time {
	if !s.asksTime(name) {
		return time.Time{}
	}
	r, err := s.ctl.ask("MDTM " + name)
	if err != nil || r.Code != 213 {
		return time.Time{}
	}
	return parseTimeVal(r.Text)
}

var timed = regexp.MustCompile(`^[0-9]{14}(\.[0-9]+)? `)

// facts describes a file by MLST (RFC 3659, section 7.2). It is used only for Request.Describe:
// only SIZE guarantees the number of bytes of a transfer.
func (s *session) facts(req *fetchers.Request, name string) (fetchers.Entry, bool) {
	if !req.Describe || s.ascii || !s.ctl.features["MLST"] {
		return fetchers.Entry{}, false
	}
	x, err := s.ctl.exchange("MLST " + name)
	if err != nil || x.reply.Code/100 != 2 {
		return fetchers.Entry{}, false
	}
	for line := range strings.Lines(string(x.text)) {
		if facts, ok := strings.CutPrefix(line, " "); ok {
			e, ok := parseFacts(strings.TrimRight(facts, "\r\n"))
			return e, ok && e.Kind == fetchers.Document
		}
	}
	return fetchers.Entry{}, false
}

// stretch returns the range to request for res: from its offset to the end of the file, unless the
// request has an end and the server supports RANG (draft-bryan-ftp-range).
func (s *session) stretch(asked fetchers.Range, res *fetchers.Resource) fetchers.Range {
	r := res.Range
	if r.Offset == 0 || asked.Open() || !s.ctl.features["RANG"] {
		r.Length = 0
	}
	return r
}

// retrieve begins a transfer by command over a data connection: of the whole file, from an offset
// on, or of the range part.
func (s *session) retrieve(command string, part fetchers.Range) (*transfer, error) {
	restart := ""
	switch {
	case part.Length > 0:
		restart = fmt.Sprintf("RANG %d %d", part.Offset, part.Offset+part.Length-1)
	case part.Offset > 0:
		restart = fmt.Sprintf("REST %d", part.Offset)
	}
	s.opening = cmp.Or(restart, command)
	in, err := s.lib.retrieve(restart, command)
	if err != nil {
		return nil, err
	}
	return &transfer{s: s, lease: s.lease, in: in, data: s.data, bare: s.bare, size: -1, exact: part.Length > 0}, nil
}

// done ends the exchange and makes res a Resource without a Body.
func (s *session) done(res *fetchers.Resource) *fetchers.Resource {
	res.Reply = s.ctl.last
	res.SetBody(nil)
	s.lease.Done()
	return res
}

// alive reports whether the connection can be used for another command.
func (s *session) alive() bool { return s.ctl.broken == nil }

// refused reports whether the last reply was a permanent refusal.
func (s *session) refused() bool { return s.alive() && s.ctl.last.Code >= 500 }
