package fault_test

import (
	"fmt"
	"io"
	"strings"
)

// indexPage is the page that a server writes in place of a directory of 100 files.
var indexPage = func() string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><head><title>Index of /d/</title></head>\r\n<body><h1>Index of /d/</h1><hr><pre><a href=\"../\">../</a>\r\n")
	for n := range 100 {
		fmt.Fprintf(&b, "<a href=\"file%d\">file%d</a>   03-Feb-2001 04:05   262144\r\n", n, n)
	}
	b.WriteString("</pre><hr></body></html>\r\n")
	return b.String()
}()

// multistatus is the WebDAV response for a directory of 100 files.
var multistatus = func() string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:multistatus xmlns:D=\"DAV:\">\n")
	for n := range 101 {
		name, kind := fmt.Sprintf("file%d", n), ""
		if n == 0 {
			name, kind = "", "<D:collection/>"
		}
		fmt.Fprintf(&b, "<D:response><D:href>/d/%s</D:href><D:propstat><D:prop><D:resourcetype>%s</D:resourcetype><D:getcontentlength>5</D:getcontentlength></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>\n", name, kind)
	}
	b.WriteString("</D:multistatus>\n")
	return b.String()
}()

// inDirectory makes a server with a directory, which the command lists.
func inDirectory(answer func(v *visit), args ...string) func(*scene) string {
	return invoked(invocation{rows: true, args: args}, func(s *scene) string {
		return strings.TrimSuffix(s.http(answer), "f.bin") + "d/"
	})
}

// indexed answers every request with the beginning of the page, and then calls then.
func indexed(until int, framed bool, then func(v *visit), args ...string) func(*scene) string {
	return inDirectory(func(v *visit) {
		v.cut(indexPage, until, framed, "200 OK", "text/html", then)
	}, args...)
}

// propfound is indexed for WebDAV: it has no page and answers PROPFIND.
func propfound(until int, framed bool, then func(v *visit), args ...string) func(*scene) string {
	return inDirectory(func(v *visit) {
		if v.req.Method != "PROPFIND" {
			v.say([]byte(page), "HTTP/1.1 405 No", "Allow: PROPFIND", fmt.Sprintf("Content-Length: %d", len(page)))
			return
		}
		v.cut(multistatus, until, framed, "207 Multi-Status", "application/xml", then)
	}, args...)
}

// cut sends the beginning of a text, framed by its length or else in chunks, and then
// calls then.
func (v *visit) cut(text string, until int, framed bool, status, mediaType string, then func(v *visit)) {
	begun := text[:min(until, len(text))]
	if framed {
		v.say([]byte(begun), "HTTP/1.1 "+status, "Content-Type: "+mediaType, fmt.Sprintf("Content-Length: %d", len(text)))
	} else {
		v.say([]byte(chunks([]byte(begun), "")), "HTTP/1.1 "+status, "Content-Type: "+mediaType, "Transfer-Encoding: chunked")
		if len(begun) == len(text) {
			io.WriteString(v, "0\r\n\r\n")
		}
	}
	then(v)
}

// Ways to go on after the beginning.
var (
	ending   = func(*visit) {}
	slowly   = func(v *visit) { drip(v, "x") }
	inMiddle = len(indexPage) / 2
	inTitle  = strings.Index(indexPage, "Index") + 3
	lastFile = strings.Index(indexPage, "file99")
	middleOf = len(multistatus) / 2
)

var indexTrials = []trial{
	{name: "an index page", does: "a page with 100 files", serve: indexed(all, true, ending), entries: 100, want: mustBeRight},
	{name: "an index page in chunks", does: "a page with 100 files, in chunks", serve: indexed(all, false, ending), entries: 100, want: mustBeRight},
	{name: "an index page ends after 20 octets", does: "20 octets of the page, and the end", serve: indexed(20, true, ending), entries: 100, want: mustFail},
	{name: "an index page in chunks ends after 20 octets", does: "20 octets of the page in chunks, and the end", serve: indexed(20, false, ending), entries: 100, want: mustFail},
	{name: "an index page ends without an octet", does: "a header with a length, and the end", serve: indexed(0, true, ending), entries: 100, want: mustFail},
	{name: "an index page ends within its title", does: "the page up to the title, and the end", serve: indexed(inTitle, true, ending), entries: 100, want: mustFail},
	{name: "an index page ends at half", does: "half of the page, and the end", serve: indexed(inMiddle, true, ending), entries: 100, want: mustFail},
	{name: "an index page in chunks ends at half", does: "half of the page in chunks, and the end", serve: indexed(inMiddle, false, ending), entries: 100, want: mustFail},
	{name: "an index page ends before its last file", does: "the page up to the last link, and the end", serve: indexed(lastFile, true, ending), entries: 100, want: mustFail},
	{name: "an index page is reset after 20 octets", does: "20 octets of the page, and a reset", serve: indexed(20, true, (*visit).reset), entries: 100, want: mustFail},
	{name: "an index page is reset at half", does: "half of the page, and a reset", serve: indexed(inMiddle, true, (*visit).reset), entries: 100, want: mustFail},
	{name: "an index page stops after 20 octets", does: "20 octets of the page, and silence", serve: indexed(20, true, (*visit).wait), entries: 100, want: mustFail},
	{name: "an index page in chunks stops after 20 octets", does: "20 octets of the page in chunks, and silence", serve: indexed(20, false, (*visit).wait), entries: 100, want: mustFail},
	{name: "an index page stops at half", does: "half of the page, and silence", serve: indexed(inMiddle, true, (*visit).wait), entries: 100, want: mustFail},
	{name: "an index page drips after 20 octets", does: "20 octets of the page, and then 20 a second", serve: indexed(20, true, slowly, "-Y", "1000", "-y", "1"), entries: 100, want: needsFlag, flag: "--speed-limit"},
	{name: "an index page drips at half", does: "half of the page, and then 20 octets a second", serve: indexed(inMiddle, true, slowly, "-Y", "1000", "-y", "1"), entries: 100, want: needsFlag, flag: "--speed-limit"},
	{name: "a multistatus", does: "207 with 100 files", serve: propfound(all, true, ending), entries: 100, want: mustBeRight},
	{name: "a multistatus ends after 20 octets", does: "20 octets of 207, and the end", serve: propfound(20, true, ending), entries: 100, want: mustFail},
	{name: "a multistatus ends at half", does: "half of 207, and the end", serve: propfound(middleOf, true, ending), entries: 100, want: mustFail},
	{name: "a multistatus in chunks ends at half", does: "half of 207 in chunks, and the end", serve: propfound(middleOf, false, ending), entries: 100, want: mustFail},
	{name: "a multistatus is reset at half", does: "half of 207, and a reset", serve: propfound(middleOf, true, (*visit).reset), entries: 100, want: mustFail},
	{name: "a multistatus stops at half", does: "half of 207, and silence", serve: propfound(middleOf, true, (*visit).wait), entries: 100, want: mustFail},
	{name: "a multistatus is half of one", does: "a length of half, and half of 207", serve: inDirectory(func(v *visit) {
		if v.req.Method != "PROPFIND" {
			v.say([]byte(page), "HTTP/1.1 405 No", "Content-Length: 27")
			return
		}
		v.say([]byte(multistatus[:middleOf]), "HTTP/1.1 207 Multi-Status", "Content-Type: application/xml", fmt.Sprintf("Content-Length: %d", middleOf))
	}), entries: 100, want: mustFail},
}
