package url

import "strings"

// Prospero holds the parts of a prospero URL (RFC 1738, section 3.11; RFC 4157):
// prospero://host:port/hsoname;field=value;field=value
type Prospero struct {
	Authority

	// HSOName is the host-specific object name. It is opaque: "/", "." and ".." have no special
	// meaning in it.
	HSOName string

	// Fields are further field=value pairs that identify the object, in order.
	Fields []Field
}

// A Field is a name and a value, both decoded.
type Field struct{ Name, Value string }

// Prospero reads u as a prospero URL. It splits the path before it decodes the parts, so that "%3B"
// and "%3D" are data. A field without the form name=value is an error, and so is CR, LF or NUL in
// any part. (In RFC 1630 a NUL preceded a version.)
func (u *URL) Prospero() (Prospero, error) {
	p := Prospero{Authority: u.Authority}
	if u.Scheme != "prospero" {
		return Prospero{}, errorf(-1, "not a prospero URL")
	}
	if err := checkLine("object name or a field", unescape(u.Path)); err != nil {
		return Prospero{}, err
	}
	name, fields, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), ";")
	p.HSOName = unescape(name)
	if p.HSOName == "" {
		return Prospero{}, errorf(-1, "no object name")
	}
	if !strings.Contains(u.Path, ";") {
		return p, nil
	}
	for f := range strings.SplitSeq(fields, ";") {
		name, value, ok := strings.Cut(f, "=")
		if !ok || name == "" || strings.Contains(value, "=") {
			return Prospero{}, errorf(-1, "bad field: not name=value")
		}
		p.Fields = append(p.Fields, Field{unescape(name), unescape(value)})
	}
	return p, nil
}

// URL returns the prospero URL for p.
func (p Prospero) URL() *URL {
	var b strings.Builder
	b.WriteString("/" + escape(p.HSOName, inPath))
	for _, f := range p.Fields {
		b.WriteString(";" + escape(f.Name, inUserinfo) + "=" + escape(f.Value, inUserinfo))
	}
	return &URL{Scheme: "prospero", Slashes: true, Authority: p.Authority, Path: b.String()}
}
