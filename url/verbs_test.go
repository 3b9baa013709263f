package url_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
)

// A check returns a description of the fault, or "".
type check func(args []string) string

var verbs = map[string]check{
	"parse":     func(a []string) string { return compareParts(url.Parse, parts, a) },
	"strict":    func(a []string) string { return compareParts(url.ParseStrict, parts, a) },
	"view":      func(a []string) string { return compareParts(url.Parse, view, a) },
	"accepts":   checkAccepts,
	"string":    func(a []string) string { return compareText(a, (*url.URL).String) },
	"redacted":  func(a []string) string { return compareText(a, (*url.URL).Redacted) },
	"addr":      func(a []string) string { return compareText(a, (*url.URL).Addr) },
	"canonical": checkCanonical,
	"equal":     func(a []string) string { return checkEqual(a, true) },
	"differ":    func(a []string) string { return checkEqual(a, false) },
	"resolve":   checkResolve,
	"unwrap": func(a []string) string {
		if got := url.Unwrap(a[0]); got != a[1] {
			return "got " + got
		}
		return ""
	},
	"find":         checkFind,
	"build-ftp":    checkBuildFTP,
	"build-file":   checkBuildFile,
	"build-mailto": checkBuildMailto,
	"words":        checkWords,
	"describe":     checkDescribe,
	"characters":   checkCharacters,
}

// compareParts checks parse INPUT PART... or INPUT error=WORDS [at=BYTE].
func compareParts(parse func(string) (*url.URL, error), read func(*url.URL) ([]string, error), args []string) string {
	u, err := parse(args[0])
	var got []string
	if err == nil {
		got, err = read(u)
	}
	want := args[1:]
	if len(want) == 0 || !strings.HasPrefix(want[0], "error=") {
		if err != nil {
			return err.Error()
		}
		if !slices.Equal(got, want) {
			return "got  " + strings.Join(got, " ") + "\nwant " + strings.Join(want, " ")
		}
		return ""
	}
	malformed, ok := err.(*url.Error)
	switch {
	case !ok:
		return fmt.Sprintf("got %s, error %v", strings.Join(got, " "), err)
	case !strings.Contains(malformed.Reason, want[0][len("error="):]):
		return malformed.Error()
	case len(want) > 1 && want[1] != fmt.Sprint("at=", malformed.Pos):
		return malformed.Error()
	}
	return ""
}

// parts returns the parts of a URL that are present.
func parts(u *url.URL) ([]string, error) {
	p := append([]string{"scheme=" + u.Scheme}, authority(u.Authority)...)
	return append(p, present("path", u.Path, "query", u.Query, "fragment", u.Fragment)...), nil
}

func authority(a url.Authority) (p []string) {
	if a.User != nil {
		p = append(p, "user="+a.User.Name)
		if a.User.PasswordSet {
			p = append(p, "password="+a.User.Password)
		}
	}
	p = append(p, present("host", a.Host)...)
	if a.Port != 0 {
		p = append(p, fmt.Sprint("port=", a.Port))
	}
	return p
}

// present returns name=value for each pair whose value is not empty.
func present(pairs ...string) (p []string) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			p = append(p, pairs[i]+"="+pairs[i+1])
		}
	}
	return p
}

// each returns name=value for each value.
func each(name string, values []string) (p []string) {
	for _, v := range values {
		p = append(p, name+"="+v)
	}
	return p
}

// view returns the parts that the method for u's scheme finds. It fails if the URL built from them
// has other parts.
func view(u *url.URL) ([]string, error) {
	got, rebuilt, err := read(u)
	if err != nil {
		return nil, err
	}
	again, err := url.Parse(rebuilt.String())
	if err != nil {
		return nil, fmt.Errorf("rebuilt as %s: %v", rebuilt, err)
	}
	same, _, err := read(again)
	if err != nil || !slices.Equal(got, same) {
		return nil, fmt.Errorf("rebuilt as %s, which means %s, %v", rebuilt, same, err)
	}
	return got, nil
}

// read returns the parts that the method for u's scheme finds, and the URL built from them.
func read(u *url.URL) (p []string, rebuilt *url.URL, err error) {
	switch u.Scheme {
	case "ftp", "ftps":
		f, err := u.FTP()
		p = append(authority(f.Authority), each("cwd", f.CWD)...)
		p = append(p, "name="+f.Name)
		if f.Type != 0 {
			p = append(p, "type="+string(f.Type))
		}
		return p, f.URL(), err
	case "http", "https":
		h, err := u.HTTP()
		return append(authority(h.Authority), "target="+h.Target), h.URL(), err
	case "gemini":
		g, err := u.Gemini()
		p = append(authority(g.Authority), "path="+g.Path)
		if g.InputSet {
			p = append(p, "input="+g.Input)
		}
		return p, g.URL(), err
	case "gopher", "gophers":
		g, err := u.Gopher()
		p = append(authority(g.Authority), "type="+string([]byte{g.Type}), "selector="+g.Selector)
		if g.SearchSet {
			p = append(p, "search="+g.Search)
		}
		if g.PlusSet {
			p = append(p, "plus="+g.Plus)
		}
		return append(p, present("block", g.Block)...), g.URL(), err
	case "news", "snews", "nntp", "nntps":
		n, err := u.News()
		p = append(authority(n.Authority), present("group", n.Group, "wildmat", n.Wildmat, "message-id", n.MessageID)...)
		if n.First != 0 {
			p = append(p, fmt.Sprint("first=", n.First), fmt.Sprint("last=", n.Last))
		}
		return p, n.URL(), err
	case "telnet", "telnets", "rlogin", "tn3270":
		t, err := u.Telnet()
		return append(authority(t.Authority), "service="+t.Service), t.URL(), err
	case "wais":
		w, err := u.WAIS()
		p = append(authority(w.Authority), "database="+w.Database)
		if w.SearchSet {
			p = append(p, "search="+w.Search)
		}
		p = append(p, present("wtype", w.WType, "wpath", w.WPath)...)
		for _, f := range w.Fields() {
			p = append(p, fmt.Sprintf("field=%d:%s", f.Tag, f.Value))
		}
		if w.Length != 0 {
			p = append(p, fmt.Sprint("length=", w.Length))
		}
		return p, w.URL(), err
	case "z39.50r", "z39.50s":
		z, err := u.Z3950()
		p = append(authority(z.Authority), each("database", z.Databases)...)
		if z.DocIDSet {
			p = append(p, "docid="+z.DocID)
		}
		p = append(append(p, present("esn", z.ElementSet)...), each("rs", z.Syntaxes)...)
		if z.Position != 0 {
			p = append(p, fmt.Sprint("pos=", z.Position))
		}
		return p, z.URL(), err
	case "prospero":
		r, err := u.Prospero()
		p = append(authority(r.Authority), "hsoname="+r.HSOName)
		return append(p, fields(r.Fields)...), r.URL(), err
	case "tftp":
		f, err := u.TFTP()
		p = append(authority(f.Authority), "file="+f.File)
		if f.NetASCII {
			p = append(p, "mode=netascii")
		}
		return p, f.URL(), err
	case "dict":
		d, err := u.Dict()
		p = append(authority(d.Authority), present("mechanism", d.Mechanism, "command", string(d.Command), "word", d.Word, "database", d.Database, "strategy", d.Strategy)...)
		if d.N != 0 {
			p = append(p, fmt.Sprint("n=", d.N))
		}
		return p, d.URL(), err
	case "file":
		f, err := u.File()
		return append(present("host", f.Host), "path="+f.Path), f.URL(), err
	case "s3":
		o, err := u.S3()
		return []string{"bucket=" + o.Bucket, "key=" + o.Key, "version=" + o.Version}, o.URL(), err
	case "sftp", "scp":
		f, err := u.SFTP()
		return append(authority(f.Authority), "path="+f.Path, fmt.Sprint("slash=", f.Slash)), f.URL(), err
	case "mailto":
		m, err := u.Mailto()
		return append(each("to", m.To), fields(m.Headers)...), m.URL(), err
	case "mid":
		m, err := u.MID()
		return present("message-id", m.MessageID, "content-id", m.ContentID), m.URL(), err
	case "cid":
		c, err := u.CID()
		return present("content-id", c.ContentID), c.URL(), err
	case "urn":
		n, err := u.URN()
		return present("nid", n.NID, "nss", n.NSS, "r", n.R, "q", n.Q), n.URL(), err
	case "data":
		d, err := u.Data()
		if err != nil {
			return nil, nil, err
		}
		b, err := d.Bytes()
		return []string{"media-type=" + d.MediaType, "bytes=" + string(b)}, d.URL(), err
	}
	return nil, nil, fmt.Errorf("no method for %s", u.Scheme)
}

func fields(f []url.Field) (p []string) {
	for _, f := range f {
		p = append(p, "field="+f.Name+":"+f.Value)
	}
	return p
}

// checkAccepts checks accepts INPUT...: ParseStrict accepts each.
func checkAccepts(args []string) string {
	for _, a := range args {
		if _, err := url.ParseStrict(a); err != nil {
			return a + ": " + err.Error()
		}
	}
	return ""
}

// compareText checks INPUT OUTPUT.
func compareText(args []string, text func(*url.URL) string) string {
	u, err := url.Parse(args[0])
	if err != nil {
		return err.Error()
	}
	if got := text(u); got != args[1] {
		return "got " + got
	}
	return ""
}

// checkCanonical checks canonical INPUT OUTPUT, and that OUTPUT is its own canonical form.
func checkCanonical(args []string) string {
	canonical := func(u *url.URL) string { return u.Canonical().String() }
	if problem := compareText(args, canonical); problem != "" {
		return problem
	}
	return compareText([]string{args[1], args[1]}, canonical)
}

// checkEqual checks A B in both orders.
func checkEqual(args []string, want bool) string {
	a, err := url.Parse(args[0])
	if err != nil {
		return err.Error()
	}
	b, err := url.Parse(args[1])
	if err != nil {
		return err.Error()
	}
	if a.Equal(b) != want || b.Equal(a) != want || !a.Equal(a) || !b.Equal(b) {
		return fmt.Sprintf("canonical forms %s and %s", a.Canonical(), b.Canonical())
	}
	return ""
}

// checkResolve checks resolve BASE REF RESULT or BASE REF error=WORDS.
func checkResolve(args []string) string {
	base, err := url.Parse(args[0])
	if err != nil {
		return err.Error()
	}
	got, err := base.Resolve(args[1])
	words, refused := strings.CutPrefix(args[2], "error=")
	switch {
	case refused && err == nil:
		return "got " + got.String()
	case refused && !strings.Contains(err.Error(), words):
		return err.Error()
	case refused:
		return ""
	case err != nil:
		return err.Error()
	case got.String() != args[2]:
		return "got " + got.String()
	}
	return ""
}

// checkFind checks find TEXT URL...; a URL with the prefix "or=" is the Other of the preceding one.
func checkFind(args []string) string {
	var got []string
	for _, f := range url.FromText(args[0]) {
		got = append(got, f.URL.String())
		if f.Other != nil {
			got = append(got, "or="+f.Other.String())
		}
		if w := args[0][f.Start:f.End]; w[0] != '<' || w[len(w)-1] != '>' {
			return "found at " + w
		}
	}
	if !slices.Equal(got, args[1:]) {
		return "got " + strings.Join(got, " ")
	}
	return ""
}

// checkBuildFTP checks build-ftp ELEMENT... URL, with the host h.dom.
func checkBuildFTP(args []string) string {
	last := len(args) - 2
	f := url.FTP{Authority: url.Authority{Host: "h.dom"}, CWD: args[:last], Name: args[last]}
	return compareString(f.URL(), args[last+1])
}

func checkBuildFile(args []string) string {
	return compareString(url.File{Path: args[0]}.URL(), args[1])
}

func checkBuildMailto(args []string) string {
	return compareString(url.Mailto{To: args[:1]}.URL(), args[1])
}

func compareString(u *url.URL, want string) string {
	if u.String() != want {
		return "got " + u.String()
	}
	return ""
}

// checkWords checks words WORDS QUERY, in both directions.
func checkWords(args []string) string {
	if got := url.EscapeWords(args[0]); got != args[1] {
		return "got " + got
	}
	if got := url.UnescapeWords(args[1]); got != args[0] {
		return "got back " + got
	}
	return ""
}

// checkDescribe checks describe SCHEME known|reserved|unknown.
func checkDescribe(args []string) string {
	got := "unknown"
	switch {
	case url.Reserved(args[0]):
		got = "reserved"
	case url.Describe(args[0]) != "":
		got = "known"
	}
	if got != args[1] {
		return "it is " + got
	}
	return ""
}

// checkCharacters checks characters CLASS LIST: LIST contains exactly the graphic ASCII characters
// of the class, without letters and digits.
func checkCharacters(args []string) string {
	var got strings.Builder
	for c := byte('!'); c <= '~'; c++ {
		if '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
			continue
		}
		if class(c) == args[0] {
			got.WriteByte(c)
		}
	}
	if got.String() != args[1] {
		return "got " + got.String()
	}
	return ""
}

// class returns the class of a character: unsafe if it may not stand in a URL, reserved if it may
// and differs from its escape, and else unreserved. "#" may stand in a URL but ends the path, and
// "*" and "!" are the exception of W-RES-1.
func class(c byte) string {
	raw := "http://h.dom/a" + string([]byte{c}) + "b"
	u, err := url.ParseStrict(raw)
	if err != nil || c == '#' {
		return "unsafe"
	}
	escaped, err := url.Parse(fmt.Sprintf("http://h.dom/a%%%02Xb", c))
	if err == nil && !u.Equal(escaped) && c != '*' && c != '!' {
		return "reserved"
	}
	return "unreserved"
}
