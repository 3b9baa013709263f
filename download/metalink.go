package download

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Described is one file that a Metalink describes.
type Described struct {
	Name   string   // made safe by SafeName, without directories
	Size   int64    // in bytes; -1 if not given
	Sum    Sum      // the strongest one given; zero if there is none
	Pieces *Pieces  // nil if not given, or out of order
	URLs   []string // as written, the best first

	// Unproven is true if the Metalink has checksums for the file, but only of unknown types, so
	// that none of them proves the content.
	Unproven bool
}

// Limits of a Metalink from a stranger. The Metalink of a distribution with all its mirrors has
// some hundred URLs for each file.
const (
	maxMetalink = 16 << 20 // bytes
	maxDepth    = 16       // nested elements; a hash of a file is at depth five
	maxFiles    = 100_000
	maxPlaces   = 1000 // URLs of one file
)

// The namespaces of Metalink 4 (RFC 5854) and Metalink 3.
const (
	metalink4 = "urn:ietf:params:xml:ns:metalink"
	metalink3 = "http://www.metalinker.org/"
)

// ErrMetalink means that a text is not a Metalink, or exceeds a limit.
var ErrMetalink = errors.New("not a readable Metalink")

// ReadMetalink reads the files that a Metalink of version 4 or 3 describes. An error with a Name is
// about that file, and further files may follow; after any other error the iteration ends.
func ReadMetalink(r io.Reader) iter.Seq2[Described, error] {
	return func(yield func(Described, error) bool) {
		limit := &io.LimitedReader{R: r, N: maxMetalink}
		m := metalink{in: xml.NewDecoder(limit)}
		for n := 1; ; n++ {
			file, err := m.next()
			switch {
			case err == io.EOF:
				return
			case limit.N == 0:
				file, err = Described{}, fmt.Errorf("it has more than %d bytes", maxMetalink)
			case n > maxFiles:
				file, err = Described{}, fmt.Errorf("it has more than %d files", maxFiles)
			}
			if err != nil {
				err = fmt.Errorf("%w: %w", ErrMetalink, err)
			}
			if !yield(file, err) || err != nil && file.Name == "" {
				return
			}
		}
	}
}

// A metalink is the state of reading a Metalink.
type metalink struct {
	in    *xml.Decoder
	space string   // the namespace of its root
	open  []string // the names of the elements that are open
}

// next returns the next file, and io.EOF after the last.
func (m *metalink) next() (Described, error) {
	for {
		token, err := m.token()
		if err != nil {
			return Described{}, err
		}
		start, ok := token.(xml.StartElement)
		switch where := strings.Join(m.open, "/"); {
		case !ok:
		case len(m.open) == 1 && (start.Name.Local != "metalink" || start.Name.Space != metalink4 && start.Name.Space != metalink3):
			return Described{}, fmt.Errorf("it is a %q", start.Name.Local)
		case len(m.open) == 1:
			m.space = start.Name.Space
		case where == "metalink/file" && m.space == metalink4, where == "metalink/files/file" && m.space == metalink3:
			return m.file(start)
		}
	}
}

// token returns the next token. It renames an element of another namespace to a name that no
// Metalink element has.
func (m *metalink) token() (xml.Token, error) {
	token, err := m.in.Token()
	if err == io.EOF && m.space == "" {
		err = io.ErrUnexpectedEOF
	}
	switch t := token.(type) {
	case xml.StartElement:
		if len(m.open) == maxDepth {
			return nil, fmt.Errorf("elements are nested more than %d deep", maxDepth)
		}
		name := t.Name.Local
		if m.space != "" && t.Name.Space != m.space {
			name = ""
		}
		m.open = append(m.open, name)
	case xml.EndElement:
		m.open = m.open[:len(m.open)-1]
	}
	return token, err
}

// file reads the element of a file, after its start tag.
func (m *metalink) file(start xml.StartElement) (Described, error) {
	base := path.Base(strings.TrimRight(attribute(start, "name"), "/"))
	if base == "." || base == "/" {
		base = ""
	}
	f := fileElement{file: Described{Name: SafeName(base), Size: -1}, nameless: base == ""}
	var (
		element xml.StartElement
		where   string // path of the element within the file, from the start tag to the end tag
		text    []byte
		depth   = len(m.open)
	)
	for len(m.open) >= depth {
		token, err := m.token()
		if err != nil {
			return Described{}, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			element, text, where = t, nil, strings.Join(m.open[depth:], "/")
			f.begin(where, t)
		case xml.CharData:
			text = append(text, t...)
		case xml.EndElement:
			f.add(where, element, strings.TrimSpace(string(text)))
			where = ""
		}
		if len(f.places) > maxPlaces {
			return Described{}, fmt.Errorf("%q has more than %d URLs", f.file.Name, maxPlaces)
		}
	}
	return f.end()
}

// A fileElement is the element of a file while it is read.
type fileElement struct {
	file     Described
	nameless bool
	sums     sums
	summed   bool // checksums are given
	places   []place
	wrong    error // of the file
}

// begin handles the start tag of an element within the file.
func (f *fileElement) begin(where string, element xml.StartElement) {
	switch where {
	case "pieces", "verification/pieces":
		f.file.Pieces, f.summed = piecesOf(element), true
	}
}

// add handles an element without children, and its text.
func (f *fileElement) add(where string, element xml.StartElement, text string) {
	switch where {
	case "size":
		if n, err := strconv.ParseInt(text, 10, 64); err != nil || n < 0 {
			f.wrong = fmt.Errorf("bad size %q", text)
		} else {
			f.file.Size = n
		}
	case "hash", "verification/hash":
		f.summed = true
		if s, err := hashOf(attribute(element, "type"), text); err != nil {
			f.wrong = err
		} else {
			f.sums.add(s)
		}
	case "pieces/hash", "verification/pieces/hash":
		f.file.Pieces = f.file.Pieces.add(attribute(element, "piece"), text)
	case "url", "resources/url":
		if p, ok := placeOf(element, text); ok {
			f.places = append(f.places, p)
		}
	}
}

// end returns the file, and an error if the file is unusable.
func (f *fileElement) end() (Described, error) {
	slices.SortStableFunc(f.places, func(a, b place) int { return cmp.Compare(a.rank, b.rank) })
	for _, p := range f.places {
		f.file.URLs = append(f.file.URLs, p.url)
	}
	f.file.Sum = f.sums.best
	f.file.Unproven = f.summed && f.file.Sum == (Sum{}) && f.file.Pieces == nil
	switch {
	case f.nameless:
		return f.file, errors.New("a file has no name")
	case f.wrong != nil:
		return f.file, f.wrong
	case f.sums.several:
		return f.file, errors.New("it has several checksums")
	case len(f.file.URLs) == 0:
		return f.file, errors.New("it has no URL")
	}
	return f.file, nil
}

// hashOf reads the checksum of a file. It is zero if its type is unknown.
func hashOf(kind, digits string) (Sum, error) {
	algorithm := strings.Replace(strings.ToLower(kind), "-", "", 1) // sha-256 in Metalink 4, sha256 in Metalink 3
	if _, known := algorithms[algorithm]; !known {
		return Sum{}, nil
	}
	return ParseSum(algorithm + ":" + digits)
}

// A place is a URL with its priority.
type place struct {
	url  string
	rank int // lower is better
}

// placeOf reads the element of a URL. It reports false if the URL is not of the file itself but,
// for instance, of a torrent.
func placeOf(element xml.StartElement, text string) (place, bool) {
	p := place{url: text, rank: 999_999} // RFC 5854, section 4.2.16.1
	if n, err := strconv.Atoi(attribute(element, "priority")); err == nil && n > 0 {
		p.rank = n
	} else if n, err := strconv.Atoi(attribute(element, "preference")); err == nil { // Metalink 3 counts up to 100
		p.rank = 100 - n
	}
	kind := attribute(element, "type")
	return p, text != "" && (kind == "" || strings.HasPrefix(strings.ToLower(text), strings.ToLower(kind)+":"))
}

// attribute returns an attribute without a namespace, or "".
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}
