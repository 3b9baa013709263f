package ftp

import (
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// An errand is a fetch as FTP commands: the directories to change to, and the name to request
// there.
type errand struct {
	req  *fetchers.Request
	what url.FTP
	dirs []string // arguments of CWD
	name string   // argument of RETR or NLST

	regular bool // the server receives more than one fetch
}

// lists reports whether e requests a directory or a list of names.
func (e errand) lists() bool { return e.what.Type == url.Directory || e.what.Name == "" }

// wantsUTF8 reports whether the encoding of names may matter: of those in the URL, or in a listing.
func (e errand) wantsUTF8() bool {
	names := strings.Join(e.dirs, "") + e.name
	return e.lists() || strings.ContainsFunc(names, func(r rune) bool { return r > '~' })
}

// small is the size up to which a file is fetched again rather than resumed, so that its time is
// not requested. Nor is that of a file of unknown size: it cannot be resumed.
const small = 1 << 20

// wantsTime reports whether req needs the time of a file of any size.
func wantsTime(req *fetchers.Request) bool {
	return req.ModTime || req.Describe || !req.Have.IsZero() || req.Range != (fetchers.Range{})
}

// planLogin plans the login of e, and the commands after it.
func (s *session) planLogin(e errand, who *fetchers.Credential) {
	if given, _ := e.req.Credential(); given == nil && s.f.Mail == "" {
		s.ctl.plan("USER "+who.User, "PASS "+who.Password)
	}
	lines := []string{"FEAT", "TYPE I"}
	if s.lib.noFEAT {
		lines = lines[1:]
	}
	if s.tls != nil {
		lines = append(lines, "PBSZ 0", "PROT P")
	}
	if s.tls == nil || !s.mustProtect() { // else PROT may be refused, which ends the session
		lines = append(lines, s.ahead(e, false)...)
	}
	s.ctl.plan(lines...)
}

// plan plans the commands of e that were not sent with the login.
func (s *session) plan(e errand) {
	lines := s.ahead(e, true)
	s.ctl.plan(lines[min(s.ctl.planned(), len(lines)):]...)
}

// ahead returns the first commands of e that depend on no reply. known says whether the reply to
// FEAT has arrived. If not, the result is a prefix of that with the reply.
func (s *session) ahead(e errand, known bool) (lines []string) {
	if e.wantsUTF8() && !s.utf8 {
		if !known {
			return nil
		}
		if s.ctl.features["UTF8"] {
			lines = append(lines, optsUTF8)
		}
	}
	at := s.at
	if !under(e.dirs, at) {
		lines, at = append(lines, "CWD "+s.home), nil
	}
	if s.asksHome(at, e.dirs) {
		lines = append(lines, "PWD")
	}
	for _, dir := range e.dirs[len(at):] {
		if dir == "" || len(spellings(dir)) > 1 {
			return lines // it may be sent in several spellings
		}
		lines = append(lines, "CWD "+dir)
	}
	more, whole := s.aheadOf(e, known)
	lines = append(lines, more...)
	if whole && s.lib.offer == nil && !s.ctl.features["PRET"] {
		lines = append(lines, s.lib.passive())
	}
	return lines
}

// aheadOf is ahead within the directory of e. whole says that a transfer follows.
func (s *session) aheadOf(e errand, known bool) (lines []string, whole bool) {
	ascii := e.lists() || e.what.Type == url.ASCII
	switch {
	case e.lists() && e.req.Describe:
		return nil, false
	case ascii && !s.ascii:
		lines = append(lines, "TYPE A")
	case !ascii && s.ascii:
		lines = append(lines, "TYPE I")
	}
	switch {
	case e.lists():
		return lines, true
	case len(spellings(e.name)) > 1:
		return lines, false
	case e.req.Describe && !known:
		return lines, false
	case e.req.Describe && !ascii && s.ctl.features["MLST"]:
		return append(lines, "MLST "+e.name), false
	case !ascii:
		lines = append(lines, "SIZE "+e.name)
	}
	if wantsTime(e.req) {
		if !known {
			return lines, false
		}
		if s.asksTime(e.name) {
			lines = append(lines, "MDTM "+e.name)
		}
	}
	// Without a transfer the server would open a port in vain.
	return lines, !e.req.Describe && e.req.Have.IsZero() && e.req.Header.Get("Want-Repr-Digest") == ""
}

const optsUTF8 = "OPTS UTF8 ON"

// spell makes the server use UTF-8 for names (RFC 2640), if e has names that need it. A refusal is
// ignored.
func (s *session) spell(e errand) error {
	if s.utf8 || !e.wantsUTF8() || !s.ctl.features["UTF8"] {
		return nil
	}
	s.utf8 = true
	_, err := s.ctl.ask(optsUTF8)
	return err
}
