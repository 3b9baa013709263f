package proxy

import (
	"errors"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/httpauth"
	"github.com/seed1ea3422f/fetch/url"
)

// maxHead bounds the head of the answer to a CONNECT, and those before it.
const maxHead = 64 << 10

// A challenged error is a refusal by an HTTP proxy that wants a login.
type challenged struct {
	error
	offered []httpauth.Challenge
}

func (c challenged) Unwrap() error { return c.error }

// connect asks an HTTP proxy for a tunnel (RFC 9110, section 9.3.6). A login is there if
// there is a scheme of one.
func connect(trace *fetchers.Trace, c io.ReadWriter, who *url.Userinfo, scheme httpauth.Scheme, to target) error {
	lines := []string{
		"CONNECT " + to.String() + " HTTP/1.1",
		"Host: " + to.String(),
		"User-Agent: fetch",
	}
	for _, line := range lines {
		trace.Sent(line)
	}
	if who != nil && scheme != nil {
		field := scheme.Answer(who.Name, who.Password, "CONNECT", to.String())
		if strings.ContainsFunc(field, func(r rune) bool { return r < ' ' || r == 0x7F }) {
			return errors.New("a login with control characters cannot be sent")
		}
		lines = append(lines, "Proxy-Authorization: "+field)
		name, _, _ := strings.Cut(field, " ")
		trace.Sent("Proxy-Authorization: " + name + " ***")
	}
	if _, err := io.WriteString(c, strings.Join(lines, "\r\n")+"\r\n\r\n"); err != nil {
		return err
	}
	left := maxHead
	for {
		status, asked, err := readHead(c, &left)
		if err != nil {
			return err
		}
		trace.Got(status)
		code, text, ok := cutStatus(status)
		switch {
		case !ok:
			return nonsense("%.60q in place of a status", status)
		case code/100 == 1: // RFC 9110, section 15.2: there is more to come
		case code/100 == 2:
			return nil
		case code == 407:
			return challenged{refusal(code, text, classOf(code)), httpauth.Challenges(asked)}
		default:
			return refusal(code, text, classOf(code))
		}
	}
}

// readHead reads the head of a response and returns its first line, and the fields by
// which a proxy asks for a login. It reads one
// octet at a time, because what comes after the head is not the proxy's: no
// octet of that may be read here, and there is nowhere to put it back.
func readHead(r io.Reader, left *int) (status string, asked []string, err error) {
	var line []byte
	var octet [1]byte
	for first := true; ; {
		if _, err := io.ReadFull(r, octet[:]); err != nil {
			return "", nil, err
		}
		if *left--; *left < 0 {
			return "", nil, nonsense("a head of more than %d octets", maxHead)
		}
		if octet[0] != '\n' {
			line = append(line, octet[0])
			continue
		}
		text := strings.TrimSuffix(string(line), "\r")
		line = line[:0]
		switch {
		case first:
			status, first = text, false
		case text == "":
			return status, asked, nil
		default:
			if name, value, _ := strings.Cut(text, ":"); strings.EqualFold(name, "Proxy-Authenticate") {
				asked = append(asked, value)
			}
		}
	}
}

// cutStatus slices a status line, such as "HTTP/1.1 403 Forbidden".
func cutStatus(line string) (code int, text string, ok bool) {
	version, rest, _ := strings.Cut(line, " ")
	digits, text, _ := strings.Cut(rest, " ")
	code, err := strconv.Atoi(digits)
	return code, text, err == nil && len(digits) == 3 && code >= 100 && strings.HasPrefix(version, "HTTP/1.")
}

// classOf says what sort of refusal a status is.
func classOf(status int) error {
	switch status {
	case 401, 403, 407:
		return fs.ErrPermission
	case 408, 425, 429, 500, 502, 503, 504:
		return fetchers.ErrTemporary
	}
	return nil
}
