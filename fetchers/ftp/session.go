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

// A session is a control connection and the state that the server keeps for it.
// It asks for some commands itself, and has the library ask for others.
type session struct {
	f     *Fetcher
	ctx   context.Context
	host  string // the host of the URL, which a certificate has to name
	key   key
	lease *lease
	ctl   *control
	lib   *library
	tls   *tls.Config // for data connections; nil if they are in clear

	machine   string           // the host for data connections
	opening   string           // the command that begins the next transfer, or comes first of those that do
	hasty     bool             // that command was sent before the data connection was there
	unreached bool             // the port that EPSV told was not reached after that, too late for PASV
	listener  *net.TCPListener // for the next data connection, in active mode
	data      io.Closer        // the last data connection
	bare      *transport.Conn  // that is it, if nothing is between

	at      []string // the CWDs since the login
	home    string   // the login directory, if it was asked for
	ascii   bool     // TYPE A, not TYPE I
	utf8    bool     // OPTS UTF8 ON was sent
	regular bool     // the server is one that is asked more than once
	lost    bool     // something is in doubt, so it is not kept
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

// cwd goes to a directory. An empty name is sent as it is (RFC 1738, section
// 3.2.2); where that is refused, it means the root if it comes first and nothing
// further on, as custom has it.
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

// spellings returns the ways to send a name. RFC 959 puts it on a Telnet
// connection, where the octet 0xFF is doubled; some servers do not undo that.
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

// size asks for the size of a file, -1 if it is not told, and whether the
// server knows the file.
func (s *session) size(name string) (n int64, known bool) {
	n, err := s.lib.size(name)
	if err != nil || n < 0 {
		return -1, s.ctl.last.Code == 213
	}
	return n, true
}

// asksTime reports whether MDTM can be asked about a name. If the name begins with a time
// and a space, some servers would set that time for the file named after it.
func (s *session) asksTime(name string) bool {
	return s.ctl.offers("MDTM") && !timed.MatchString(name)
}

// modTime asks for the modification time of a file; the result may be the zero Time.
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

// facts asks by MLST for what describes a file (RFC 3659, section 7.2). It is
// not asked otherwise: only SIZE promises how much will come.
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

// stretch returns what the server is to send of the part that res will hold: from there
// to the end of the file, unless an end was asked for and the server can be told it, by
// the extension that draft-bryan-ftp-range describes.
func (s *session) stretch(asked fetchers.Range, res *fetchers.Resource) fetchers.Range {
	r := res.Range
	if r.Offset == 0 || asked.Open() || !s.ctl.features["RANG"] {
		r.Length = 0
	}
	return r
}

// retrieve begins a transfer by command over a data connection: of all, or from an offset
// on, or of just that part.
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

// done ends the exchange and makes res one without a Body.
func (s *session) done(res *fetchers.Resource) *fetchers.Resource {
	res.Reply = s.ctl.last
	res.SetBody(nil)
	s.lease.Done()
	return res
}

// alive reports whether the connection can carry another command.
func (s *session) alive() bool { return s.ctl.broken == nil }

// refused reports whether the server's last word was that it will not.
func (s *session) refused() bool { return s.alive() && s.ctl.last.Code >= 500 }
