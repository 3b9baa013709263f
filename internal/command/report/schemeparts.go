package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
)

// The parts of a URL in the words of its scheme. Their names are a promise to scripts; a
// part that the URL does not have is null.
type (
	ftpParts struct {
		CWD  []string `json:"cwd"`
		Name string   `json:"name"`
		Type string   `json:"type"`
	}
	httpParts struct {
		Target string `json:"target"`
	}
	fileParts struct {
		Path string `json:"path"`
	}
	geminiParts struct {
		Path  string  `json:"path"`
		Input *string `json:"input"`
	}
	s3Parts struct {
		Bucket  string  `json:"bucket"`
		Key     string  `json:"key"`
		Version *string `json:"version"`
	}
	sftpParts struct {
		Path string `json:"path"` // absolute, or relative to the home directory
	}
	gopherParts struct {
		Type     string  `json:"type"`
		Selector string  `json:"selector"`
		Search   *string `json:"search"`
		Plus     *string `json:"plus"`
	}
	newsParts struct {
		Group     *string `json:"group"`
		MessageID *string `json:"message_id"`
		Article   *string `json:"article"`
	}
	waisParts struct {
		Database string  `json:"database"`
		Search   *string `json:"search"`
		WType    *string `json:"wtype"`
		WPath    *string `json:"wpath"`
	}
	z3950Parts struct {
		Databases  []string `json:"databases"`
		DocID      *string  `json:"docid"`
		ElementSet *string  `json:"esn"`
		Syntaxes   []string `json:"rs"`
		Position   *int     `json:"pos"`
	}
	prosperoParts struct {
		HSOName string            `json:"hsoname"`
		Fields  map[string]string `json:"fields"`
	}
	telnetParts struct {
		Service string `json:"service"`
	}
	dictParts struct {
		Command  string  `json:"command"`
		Word     *string `json:"word"`
		Database *string `json:"database"`
		Strategy *string `json:"strategy"`
		N        *int    `json:"n"`
	}
	tftpParts struct {
		File string `json:"file"`
		Mode string `json:"mode"`
	}
	mailtoParts struct {
		To      []string          `json:"to"`
		Headers map[string]string `json:"headers"`
	}
	midParts struct {
		MessageID *string `json:"message_id"`
		ContentID *string `json:"content_id"`
	}
	urnParts struct {
		NID string `json:"nid"`
		NSS string `json:"nss"`
	}
	dataParts struct {
		MediaType string `json:"media_type"`
		Base64    bool   `json:"base64"`
		Size      int    `json:"size"`
	}
)

// ownParts returns the parts of u in the words of its scheme, or nil for a scheme that is
// unknown or known by name only. All texts of them are printable ASCII.
func ownParts(u *url.URL) (any, error) {
	switch u.Scheme {
	case "ftp", "ftps":
		return ftpPartsOf(u)
	case "http", "https":
		h, err := u.HTTP()
		return httpParts{h.Target}, err
	case "file":
		f, err := u.File()
		return fileParts{printable(f.Path)}, err
	case "s3":
		o, err := u.S3()
		return s3Parts{o.Bucket, printable(o.Key), printableOrNull(o.Version, o.Version != "")}, err
	case "sftp", "scp":
		f, err := u.SFTP()
		return sftpParts{printable(f.Path)}, err
	case "gopher", "gophers":
		return gopherPartsOf(u)
	case "gemini":
		g, err := u.Gemini()
		return geminiParts{Path: g.Path, Input: printableOrNull(g.Input, g.InputSet)}, err
	case "news", "snews", "nntp", "nntps":
		return newsPartsOf(u)
	case "wais":
		return waisPartsOf(u)
	case "z39.50r", "z39.50s":
		return z3950PartsOf(u)
	case "prospero":
		p, err := u.Prospero()
		return prosperoParts{HSOName: printable(p.HSOName), Fields: fieldsOf(p.Fields)}, err
	case "telnet", "telnets", "rlogin", "tn3270":
		t, err := u.Telnet()
		return telnetParts{t.Service}, err
	case "dict":
		return dictPartsOf(u)
	case "tftp":
		f, err := u.TFTP()
		mode := "octet"
		if f.NetASCII {
			mode = "netascii"
		}
		return tftpParts{printable(f.File), mode}, err
	case "mailto":
		m, err := u.Mailto()
		return mailtoParts{To: printables(m.To), Headers: fieldsOf(m.Headers)}, err
	case "mid":
		m, err := u.MID()
		return midParts{printableOrNull(m.MessageID, true), printableOrNull(m.ContentID, m.ContentID != "")}, err
	case "cid":
		c, err := u.CID()
		return midParts{ContentID: printableOrNull(c.ContentID, true)}, err
	case "urn":
		n, err := u.URN()
		return urnParts{n.NID, n.NSS}, err
	case "data":
		return dataPartsOf(u)
	}
	return nil, nil
}

func ftpPartsOf(u *url.URL) (any, error) {
	f, err := u.FTP()
	parts := ftpParts{CWD: printables(f.CWD), Name: printable(f.Name)}
	if f.Type != 0 {
		parts.Type = string(rune(f.Type))
	}
	return parts, err
}

func gopherPartsOf(u *url.URL) (any, error) {
	g, err := u.Gopher()
	parts := gopherParts{Type: printable(string([]byte{g.Type})), Selector: printable(g.Selector)}
	parts.Search = printableOrNull(g.Search, g.SearchSet)
	if g.Block != "" {
		g.Plus += "\r\n" + g.Block
	}
	parts.Plus = printableOrNull(g.Plus, g.PlusSet)
	return parts, err
}

func newsPartsOf(u *url.URL) (any, error) {
	n, err := u.News()
	group := n.Group + n.Wildmat // a URL has one of them at most
	parts := newsParts{Group: printableOrNull(group, group != ""), MessageID: printableOrNull(n.MessageID, n.MessageID != "")}
	if n.First != 0 {
		parts.Article = orNull(articles(n.First, n.Last))
	}
	return parts, err
}

// articles writes one number or a range of numbers, as an nntp URL does.
func articles(first, last uint64) string {
	text := strconv.FormatUint(first, 10)
	if last != first {
		text += "-"
		if last != 0 {
			text += strconv.FormatUint(last, 10)
		}
	}
	return text
}

func waisPartsOf(u *url.URL) (any, error) {
	w, err := u.WAIS()
	return waisParts{
		Database: printable(w.Database), Search: printableOrNull(w.Search, w.SearchSet),
		WType: printableOrNull(w.WType, w.WType != ""), WPath: printableOrNull(w.WPath, w.WPath != ""),
	}, err
}

func dictPartsOf(u *url.URL) (any, error) {
	d, err := u.Dict()
	parts := dictParts{
		Command: string(d.Command), Word: printableOrNull(d.Word, d.Word != ""),
		Database: printableOrNull(d.Database, d.Database != ""), Strategy: printableOrNull(d.Strategy, d.Strategy != ""),
	}
	if d.N != 0 {
		parts.N = &d.N
	}
	return parts, err
}

func z3950PartsOf(u *url.URL) (any, error) {
	z, err := u.Z3950()
	parts := z3950Parts{
		Databases: printables(z.Databases), DocID: printableOrNull(z.DocID, z.DocIDSet),
		ElementSet: printableOrNull(z.ElementSet, z.ElementSet != ""), Syntaxes: printables(z.Syntaxes),
	}
	if z.Position > 0 {
		parts.Position = &z.Position
	}
	return parts, err
}

func dataPartsOf(u *url.URL) (any, error) {
	d, err := u.Data()
	if err != nil {
		return nil, err
	}
	b, err := d.Bytes()
	return dataParts{d.MediaType, d.Base64, len(b)}, err
}

// fieldsOf returns fields by name. The values of one name are joined by commas.
func fieldsOf(fields []url.Field) map[string]string {
	m := make(map[string]string)
	for _, f := range fields {
		name, value := printable(f.Name), printable(f.Value)
		if before, ok := m[name]; ok {
			value = before + ", " + value
		}
		m[name] = value
	}
	return m
}

func printables(list []string) []string {
	shown := make([]string, len(list))
	for i, s := range list {
		shown[i] = printable(s)
	}
	return shown
}

func printableOrNull(s string, set bool) *string {
	if !set {
		return nil
	}
	s = printable(s)
	return &s
}

// printable shows octets that are not printable ASCII, and "%" itself, as %XX.
func printable(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
