package url

import "strings"

// TFTP is what a tftp URL means (RFC 3617): tftp://host:port/file;mode=netascii.
type TFTP struct {
	Authority

	// File is the name that is asked for, octet for octet. A URL with two slashes has a name
	// that begins with one. It has no CR, LF or NUL.
	File string

	// NetASCII says that the file is a text, whose line ends are to be translated
	// (mode=netascii). Otherwise it comes as it is (mode=octet).
	NetASCII bool
}

const modeField = ";mode="

// TFTP reads u as a tftp URL. The file is decoded as a whole. No file is an error, and so is
// another mode.
func (u *URL) TFTP() (TFTP, error) {
	t := TFTP{Authority: u.Authority}
	if u.Scheme != "tftp" {
		return TFTP{}, errorf(-1, "not a tftp URL")
	}
	file := strings.TrimPrefix(u.Path, "/")
	if i := strings.LastIndex(strings.ToLower(file), modeField); i >= 0 {
		switch mode := file[i+len(modeField):]; strings.ToLower(mode) {
		case "octet":
		case "netascii":
			t.NetASCII = true
		default:
			return TFTP{}, errorf(-1, "bad mode %q: neither octet nor netascii", mode)
		}
		file = file[:i]
	}
	t.File = unescape(file)
	if t.File == "" {
		return TFTP{}, errorf(-1, "no file name")
	}
	return t, checkLine("file name", t.File)
}

// URL returns the tftp URL that means t.
func (t TFTP) URL() *URL {
	u := &URL{Scheme: "tftp", Slashes: true, Authority: t.Authority, Path: "/" + escape(t.File, inPath)}
	if t.NetASCII {
		u.Path += modeField + "netascii"
	}
	return u
}
