package sftp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

const (
	// ahead is the number of outstanding READDIRs. Each returns some hundred names.
	ahead = 8

	// maxLine limits a line of a listing in bytes. Its name is from one packet, and each byte may
	// be escaped.
	maxLine = 4 * maxPacket

	mediaType = "text/x-sftp-listing"
)

// directory opens a directory.
func (s *session) directory(req *fetchers.Request, what url.SFTP) (*fetchers.Resource, error) {
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Listing, Size: -1, MediaType: mediaType, Parse: parser(req.URL)}
	if req.Describe {
		return s.done(res), nil
	}
	handle, err := s.open(newPacket(fxOpendir, 0).text(what.Path), fmt.Sprintf("OPENDIR %q", what.Path))
	if err != nil {
		return nil, err
	}
	l := &list{s: s, lease: s.lease, handle: handle, dir: what.Path}
	l.fill()
	res.SetBody(l)
	return res, nil
}

// A list reads an open directory: a line for each entry, as the entries arrive.
type list struct {
	s       *session
	lease   *lease
	handle  string
	dir     string
	calls   []*call  // READDIRs
	entries []listed // of the last NAME, without a line yet
	asked   int      // how many of them have been checked for links
	links   int      // how many of those are links
	lines   bytes.Buffer
	begun   bool // names have arrived
	over    error

	closed sync.Once // the directory, on the server
}

// A listed is an entry of a NAME, with the requests about a symbolic link.
type listed struct {
	name       string
	attributes Attributes
	target     *call // READLINK
	behind     *call // STAT, which follows the link
}

func (l *list) fill() {
	most := min(ahead, l.s.link.share())
	if !l.begun {
		most = 2 // for a few names, and the end
	}
	for len(l.calls) < most {
		l.calls = append(l.calls, l.s.send(newPacket(fxReaddir, 0).text(l.handle), 0, "READDIR"))
	}
}

func (l *list) Read(p []byte) (int, error) {
	for l.lines.Len() == 0 {
		if l.over != nil {
			return 0, l.over
		}
		if err := l.s.ctx.Err(); err != nil {
			return 0, err
		}
		if err := l.advance(); err != nil {
			return 0, err
		}
	}
	return l.lines.Read(p)
}

// advance writes lines for received names, or waits for more.
func (l *list) advance() error {
	if len(l.entries) > 0 {
		return l.write()
	}
	l.fill()
	a, err := l.s.wait(l.calls[0], 0)
	switch {
	case isEOF(err):
		l.over = io.EOF
		l.release()
		l.s.link.abandon(l.s)
		l.lease.Done()
		return l.over
	case err != nil:
		return err
	case a.kind != fxName:
		return unexpected(fxReaddir, a.kind)
	}
	l.calls, l.begun = l.calls[1:], true
	return l.add(a)
}

// add parses the entries of a NAME.
func (l *list) add(a answer) error {
	in := cursor{rest: a.body}
	count := in.number()
	if l.s.trace.Lines() {
		l.s.trace.Got(fmt.Sprintf("NAME %d", count))
	}
	if count == 0 {
		return fmt.Errorf("%w: a NAME without names", fetchers.ErrProtocol)
	}
	l.entries, l.asked = l.entries[:0], 0
	for range count {
		e := listed{name: in.text()}
		in.text() // the line of ls -l
		e.attributes = in.attributes()
		if err := in.err(fxName); err != nil {
			return err
		}
		l.entries = append(l.entries, e)
	}
	return nil
}

// look requests information about the next symbolic links, a limited number at once: a packet may
// have thousands of links, and the answers about one may take half a megabyte.
func (l *list) look() {
	most := max(l.s.link.share()/2, 1) // two requests for each
	for ; l.asked < len(l.entries) && l.links < most; l.asked++ {
		e := &l.entries[l.asked]
		if e.attributes.Mode&fs.ModeSymlink == 0 || !isName(e.name) {
			continue
		}
		name := path.Join(l.dir, e.name)
		e.target = l.s.send(newPacket(fxReadlink, 0).text(name), 0, fmt.Sprintf("READLINK %q", name))
		e.behind = l.s.send(newPacket(fxStat, 0).text(name), 0, fmt.Sprintf("STAT %q", name))
		l.links++
	}
}

// write writes the lines of some entries.
func (l *list) write() error {
	for len(l.entries) > 0 && l.lines.Len() < chunk {
		l.look()
		e := l.entries[0]
		if e.target != nil {
			l.links--
		}
		l.entries = l.entries[1:]
		l.asked--
		if err := l.line(e); err != nil {
			return err
		}
	}
	return nil
}

// isName reports whether a name is the name of an entry, and neither the directory itself nor a
// path.
func isName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00")
}

// line writes the line of an entry: facts as in MLSD of FTP (RFC 3659, section 7), and the name.
// Characters that would end a fact or the line are escaped.
func (l *list) line(e listed) error {
	if e.name == "." || e.name == ".." {
		return nil
	}
	a, link := e.attributes, ""
	if e.target != nil {
		target, err := l.link(e.target)
		if err == nil {
			a, err = l.behind(e.behind, a)
		}
		if err != nil {
			return err
		}
		link = "link=" + strings.ReplaceAll(escape(target), " ", "%20") + ";" // a space ends the facts
	}
	fmt.Fprintf(&l.lines, "%s%s %s\r\n", a.facts(), link, escape(e.name))
	return nil
}

// behind returns the attributes in the answer to STAT of a symbolic link, or those of the link
// itself if its target does not exist or forms a loop.
func (l *list) behind(c *call, link Attributes) (Attributes, error) {
	a, err := l.s.wait(c, l.s.f.Network.ResponseLimit())
	switch {
	case err != nil && l.fatal():
		return link, err
	case err != nil || a.kind != fxAttrs:
		return link, nil
	}
	return l.s.attributes(fxStat, a)
}

// fatal reports whether the rest of the directory is not available.
func (l *list) fatal() bool { return l.s.ctx.Err() != nil || l.s.link.failed() != nil }

// link returns the target in an answer to READLINK, or "" if the server refuses it.
func (l *list) link(c *call) (string, error) {
	a, err := l.s.wait(c, l.s.f.Network.ResponseLimit())
	switch {
	case err != nil && l.fatal():
		return "", err
	case err != nil || a.kind != fxName:
		return "", nil
	}
	in := cursor{rest: a.body}
	in.number()
	return in.text(), nil
}

// release closes the directory on the server once: the next opened file may have the same handle.
func (l *list) release() {
	l.closed.Do(func() { l.s.forget(newPacket(fxClose, 0).text(l.handle)) })
}

// Close ends the transfer. A link that other sessions use stays.
func (l *list) Close() error {
	if !l.lease.Over() && !l.s.link.lonely() {
		l.release()
	}
	return l.lease.Close()
}

// facts formats the attributes of an entry.
func (a Attributes) facts() string {
	var b strings.Builder
	kind := ""
	switch {
	case !a.Moded:
	case a.Mode.IsRegular():
		kind = "file"
	case a.Mode.IsDir():
		kind = "dir"
	case a.Mode&fs.ModeSymlink != 0:
		kind = "link"
	default:
		kind = "special"
	}
	if kind != "" {
		b.WriteString("type=" + kind + ";")
	}
	if a.Size >= 0 {
		b.WriteString("size=" + strconv.FormatInt(a.Size, 10) + ";")
	}
	if !a.ModTime.IsZero() {
		b.WriteString("modify=" + a.ModTime.Format(timeFormat) + ";")
	}
	if a.Moded {
		b.WriteString("unix.mode=" + octal(a.Mode) + ";")
	}
	if a.Owned {
		fmt.Fprintf(&b, "unix.owner=%d;unix.group=%d;", a.UID, a.GID)
	}
	return b.String()
}

const timeFormat = "20060102150405"

// escape writes control characters, "%" and ";" as %XX.
func escape(s string) string {
	if !strings.ContainsFunc(s, special) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if special(rune(s[i])) {
			fmt.Fprintf(&b, "%%%02X", s[i])
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func special(r rune) bool { return r < ' ' || r == 0x7f || r == '%' || r == ';' }

// parser returns a Parse for the listing of a directory.
func parser(dir *url.URL) func(io.Reader) iter.Seq2[fetchers.Entry, error] {
	return func(body io.Reader) iter.Seq2[fetchers.Entry, error] {
		return func(yield func(fetchers.Entry, error) bool) {
			lines := bufio.NewScanner(body)
			lines.Buffer(make([]byte, 4096), maxLine)
			for lines.Scan() {
				if !yield(entry(dir, lines.Text()), nil) {
					return
				}
			}
			if err := lines.Err(); err != nil {
				yield(fetchers.Entry{}, err)
			}
		}
	}
}

// entry parses a line of a listing. An empty name, or a path, is Unparsed and has no URL.
func entry(dir *url.URL, line string) fetchers.Entry {
	facts, name, _ := strings.Cut(line, " ")
	e := fetchers.Entry{Name: url.Unescape(name), Size: -1, Attributes: make(map[string]string)}
	for fact := range strings.SplitSeq(facts, ";") {
		switch key, value, _ := strings.Cut(fact, "="); key {
		case "":
		case "type":
			switch value {
			case "file":
				e.Kind = fetchers.Document
			case "dir":
				e.Kind = fetchers.Listing
			case "special":
				e.Attributes["sftp.type"] = value
			}
		case "size":
			e.Size, _ = strconv.ParseInt(value, 10, 64)
		case "modify":
			e.ModTime, _ = time.Parse(timeFormat, value)
		case "link":
			e.Attributes["unix.link"] = url.Unescape(value)
		default:
			e.Attributes[key] = value
		}
	}
	switch e.Kind {
	case fetchers.Document:
		e.MediaType = fetchers.TypeByName(e.Name)
	default:
		e.Size = -1 // the size of the link, or of the directory itself
	}
	var err error
	if e.URL, err = dir.Child(e.Name); err != nil {
		return fetchers.Entry{Name: e.Name, Kind: fetchers.Unparsed, Size: -1}
	}
	if e.Kind == fetchers.Listing {
		e.URL = e.URL.Directory()
	}
	return e
}
