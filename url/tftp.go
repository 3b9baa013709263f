package url

import "strings"

// TFTP holds the parts of a tftp URL (RFC 3617): tftp://host:port/file;mode=netascii.
type TFTP struct {
	Authority

	// File is the requested file name, byte for byte. It begins with a slash if the URL has two
	// slashes after the host. It has no CR, LF or NUL.
	File string

	// NetASCII means that the file is text, and that its line ends are translated (mode=netascii).
	// If it is false, the bytes are unchanged (mode=octet).
	NetASCII bool
}

const modeField = ";mode="

// TFTP reads u as a tftp URL. It decodes the file name as a whole. An empty file name or an unknown
// mode is an error.
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

// URL returns the tftp URL for t.
func (t TFTP) URL() *URL {
	u := &URL{Scheme: "tftp", Slashes: true, Authority: t.Authority, Path: "/" + escape(t.File, inPath)}
	if t.NetASCII {
		u.Path += modeField + "netascii"
	}
	return u
}
