package gateway

import (
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"iter"
	"mime"
	"net/http"
	neturl "net/url"
	"path"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// copyPolicy is the policy of the files of a Copy. Each is in an opaque origin, without scripts; its
// pictures, styles, fonts and frames are those of the Copy, and it sends no requests elsewhere.
const copyPolicy = "sandbox; default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
	"media-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'"

// indexName is the page of a directory, as mirror names it.
const indexName = "index.html"

// copy answers with a file or a directory of the Copy.
//
// The requests of a page in an opaque origin, for its pictures and styles, look as those of another
// site do. Therefore each file has an address with a token in it, /copy-TOKEN/PATH, which no
// other site knows, and which is answered whoever asks. /copy/PATH leads there, if the user asks.
func (x *exchange) copy() {
	given, escaped, found := strings.Cut(strings.TrimPrefix(x.r.URL.EscapedPath(), "/copy"), "/")
	given, tokened := strings.CutPrefix(given, "-")
	if !found || !tokened && given != "" {
		x.refuse(&problem{status: http.StatusNotFound, reason: "There is no such page. The copy is below /copy/."})
		return
	}
	if !tokened || !x.token.is(given) { // it may be that of a gateway that has ended
		if problem := x.crossing("/copy/" + escaped); problem != nil {
			x.refuse(problem)
			return
		}
		x.lead("/copy-" + x.token.String() + "/" + escaped)
		return
	}
	name, ok := copyName(escaped)
	if !ok {
		x.refuse(notInCopy)
		return
	}
	leave := x.admit("")
	if leave == nil {
		return
	}
	defer leave()
	x.copyFile(name, escaped == "" || strings.HasSuffix(escaped, "/"))
}

// notInCopy is the problem of a name that the Copy does not have, whatever the reason.
var notInCopy = &problem{status: http.StatusNotFound, reason: "The copy has no such file.", class: "not-found"}

// copyName returns the name of a file in the Copy by the path of its address. An escaped slash is
// part of no name.
func copyName(escaped string) (name string, ok bool) {
	escaped = strings.TrimSuffix(escaped, "/")
	if escaped == "" {
		return ".", true
	}
	elements := strings.Split(escaped, "/")
	for i, e := range elements {
		text, err := neturl.PathUnescape(e)
		if err != nil || strings.ContainsAny(text, "/\\\x00") {
			return "", false
		}
		elements[i] = text
	}
	name = strings.Join(elements, "/")
	return name, fs.ValidPath(name)
}

// copyFile answers with the file of a name. folder says that the address is one of a directory.
func (x *exchange) copyFile(name string, folder bool) {
	file, err := x.Copy.Open(name)
	if err != nil {
		x.refuseCopy(err)
		return
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		x.refuseCopy(err)
	case info.IsDir() && !folder:
		x.lead(x.copyAddress(name) + "/") // relative links of its index need the slash
	case info.IsDir():
		if index, err := fs.Stat(x.Copy, path.Join(name, indexName)); err == nil && index.Mode().IsRegular() {
			x.copyFile(path.Join(name, indexName), false)
			return
		}
		x.copyFolder(name, file)
	case folder || !info.Mode().IsRegular():
		x.refuse(notInCopy)
	default:
		x.copyBytes(name, file, info)
	}
}

// refuseCopy answers that a file cannot be read. The error has names of this machine, and is not
// shown.
func (x *exchange) refuseCopy(err error) {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		x.refuse(notInCopy)
		return
	}
	x.refuse(&problem{status: http.StatusForbidden, reason: "The file of the copy cannot be read.", class: "read"})
}

// lead answers with an address of the gateway to go on by.
func (x *exchange) lead(address string) {
	x.w.Header().Set("Cache-Control", "no-store")
	x.w.Header().Set("Location", address)
	x.w.WriteHeader(http.StatusSeeOther)
}

// copyAddress returns the address of a file of the Copy, with its token.
func (x *exchange) copyAddress(name string) string {
	address := "/copy-" + x.token.String()
	if name == "." {
		return address
	}
	for e := range strings.SplitSeq(name, "/") {
		address += "/" + neturl.PathEscape(e)
	}
	return address
}

// copyBytes answers with the bytes of a file, by its ranges and conditions.
func (x *exchange) copyBytes(name string, file fs.File, info fs.FileInfo) {
	content, ok := file.(io.ReadSeeker)
	if !ok {
		x.refuseCopy(errors.ErrUnsupported)
		return
	}
	first, err := beginning(content)
	if err != nil && err != io.EOF {
		x.refuseCopy(err)
		return
	}
	h := x.w.Header()
	x.bytesHeader(x.copyType(name, first), fileName(path.Base(name), nil))
	h.Set("Content-Security-Policy", copyPolicy)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // of a page in an opaque origin; see copy
	h.Set("Access-Control-Allow-Origin", "*")             // fonts are asked for by CORS
	h.Set("X-DNS-Prefetch-Control", "off")
	h.Del("Cross-Origin-Opener-Policy") // HTML: a response with that and a sandbox is an error
	h.Del("Vary")
	// A converted page has the time of the page that came, and so the size is part of the tag.
	h.Set("ETag", fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size()))
	http.ServeContent(x.paced(), x.r, "", info.ModTime(), content)
}

// copyType returns the media type of a file: the one that was noted, or else that of its name, or
// else a text or octets.
func (x *exchange) copyType(name string, first []byte) string {
	res := &fetchers.Resource{Kind: fetchers.Document}
	if noted, ok := x.Copy.(interface{ MediaType(name string) string }); ok {
		res.MediaType = noted.MediaType(name)
	}
	if res.MediaType == "" {
		res.MediaType, _, _ = mime.ParseMediaType(mime.TypeByExtension(path.Ext(name)))
	}
	return mediaType(res, first)
}

// copyFolder answers with a page about a directory without an index.
func (x *exchange) copyFolder(name string, dir fs.File) {
	title := "The copy"
	p := page{}
	if name != "." {
		title += ": " + name
		p.Up = template.URL(x.copyAddress(path.Dir(name)) + "/")
	}
	p.Title = title
	l := listing{Proxied: true} // it has no form
	p.Body = l
	x.pageHeader()
	if x.r.Method == http.MethodHead {
		return
	}
	out := x.stream()
	defer out.Close()
	if render(out, "head", p) != nil || render(out, "listing-head", p) != nil {
		return
	}
	count, failure := 0, ""
	for e, err := range sorted(entriesOf(dir), "name", false, mostSorted) {
		if err != nil {
			failure = "it cannot be read"
			break
		}
		r := x.row(l, e, 0)
		if e.text == "" {
			count++
			r.Text = false
			r.Href = template.URL(x.copyAddress(path.Join(name, strings.TrimSuffix(e.Name, "/"))))
			if e.Kind == fetchers.Listing {
				r.Href += "/"
			}
		}
		if render(out, "listing-row", r) != nil {
			return
		}
	}
	p.Body = map[string]any{"Menu": false, "Count": count, "Failure": failure}
	if render(out, "listing-foot", p) == nil {
		render(out, "foot", p)
	}
}

// entriesOf yields the entries of a directory.
func entriesOf(dir fs.File) iter.Seq2[fetchers.Entry, error] {
	return func(yield func(fetchers.Entry, error) bool) {
		d, ok := dir.(fs.ReadDirFile)
		if !ok {
			yield(fetchers.Entry{}, errors.ErrUnsupported)
			return
		}
		for {
			list, err := d.ReadDir(100)
			for _, e := range list {
				info, err := e.Info()
				if err != nil {
					continue // it was removed meanwhile
				}
				entry := fetchers.Entry{Name: e.Name(), Kind: fetchers.Document, Size: info.Size(), ModTime: info.ModTime()}
				if e.IsDir() {
					entry.Name, entry.Kind, entry.Size = e.Name()+"/", fetchers.Listing, -1
				}
				if !yield(entry, nil) {
					return
				}
			}
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(fetchers.Entry{}, err)
				return
			}
		}
	}
}
