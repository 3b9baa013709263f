package tunnel_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/tunnel"
)

const longest = 256 << 10 // bytes of a response with its interim responses

// A recited is a connection to a proxy that sends a fixed text, whatever it reads.
type recited struct {
	*strings.Reader
	heard bytes.Buffer
}

func (c *recited) Write(p []byte) (int, error) { return c.heard.Write(p) }

// connect sends r to a proxy that answers with text, and returns how many bytes of text were read.
func connect(r tunnel.Request, trace *fetchers.Trace, text string) (read int, sent string, err error) {
	c := &recited{Reader: strings.NewReader(text)}
	ctx := fetchers.WithTrace(context.Background(), trace)
	err = r.Connect(fetchers.ContextTrace(ctx), c)
	return len(text) - c.Len(), c.heard.String(), err
}

// traced returns a Trace that records lines; sent lines begin with "> ".
func traced(lines *[]string) *fetchers.Trace {
	add := func(mark string) func(context.Context, string) {
		return func(_ context.Context, s string) { *lines = append(*lines, mark+s) }
	}
	return &fetchers.Trace{Sent: add("> "), Got: add("< "), Note: add("* ")}
}

// A request is sent in one write, and its login is masked in the Trace.
func TestRequest(t *testing.T) {
	for name, c := range map[string]struct {
		request tunnel.Request
		fields  string
		shown   []string
	}{
		"without a login": {tunnel.Request{}, "User-Agent: fetch\r\n", []string{"> User-Agent: fetch"}},
		"a user agent":    {tunnel.Request{Agent: "x/1"}, "User-Agent: x/1\r\n", []string{"> User-Agent: x/1"}},
		"a login": {
			tunnel.Request{Login: "Basic am9lOnMzY3JldA=="}, "User-Agent: fetch\r\nProxy-Authorization: Basic am9lOnMzY3JldA==\r\n",
			[]string{"> User-Agent: fetch", "> Proxy-Authorization: Basic ***"},
		},
		"a login without a scheme": {
			tunnel.Request{Login: "s3cret"}, "User-Agent: fetch\r\nProxy-Authorization: s3cret\r\n",
			[]string{"> User-Agent: fetch", "> Proxy-Authorization: ***"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			c.request.Target = "[2001:db8::7]:21"
			_, sent, err := connect(c.request, traced(&lines), "HTTP/1.1 200 ok\r\n\r\n")
			if err != nil {
				t.Fatal(err)
			}
			const begin = "CONNECT [2001:db8::7]:21 HTTP/1.1\r\nHost: [2001:db8::7]:21\r\n"
			if want := begin + c.fields + "\r\n"; sent != want {
				t.Errorf("sent %q, want %q", sent, want)
			}
			want := slices.Concat([]string{"> CONNECT [2001:db8::7]:21 HTTP/1.1", "> Host: [2001:db8::7]:21"}, c.shown, []string{"< HTTP/1.1 200 ok"})
			if !slices.Equal(lines, want) {
				t.Errorf("the trace is %q, want %q", lines, want)
			}
		})
	}
}

// A request that could be more than one, or could be misinterpreted, is not sent.
func TestUnsendable(t *testing.T) {
	for _, r := range []tunnel.Request{
		{}, {Target: "h\r\nX: y:1"}, {Target: "h h:1"}, {Target: "h/x:1"}, {Target: "joe@h:1"}, {Target: "h\x00:1"}, {Target: "h\x7f:1"}, {Target: "hé:1"}, {Target: "[fe80::1%eth 0]:1"},
		{Target: "h:1", Agent: "x\r\nX: y"}, {Target: "h:1", Agent: "x\x00"}, {Target: "h:1", Login: "Basic x\r\nX: y"}, {Target: "h:1", Login: "Basic s3cret\n"},
	} {
		var lines []string
		_, sent, err := connect(r, traced(&lines), "HTTP/1.1 200 ok\r\n\r\n")
		if !errors.Is(err, tunnel.ErrUnsendable) || strings.Contains(err.Error(), "s3cret") || sent != "" || lines != nil {
			t.Errorf("%+v: %v; sent %q, traced %q", r, err, sent, lines)
		}
	}
}

// The class, text, trace and effect of each response.
func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		trace  []string
		words  string // of the error; "" means no error
		class  error  // may be nil
		wait   time.Duration
		logins []string
	}{
		"a tunnel":    {answer: "HTTP/1.1 200 Connection established\r\n\r\n", trace: []string{"< HTTP/1.1 200 Connection established"}},
		"version 1.0": {answer: "HTTP/1.0 200 ok\r\nVia: x\r\n\r\n", trace: []string{"< HTTP/1.0 200 ok", "< Via: x"}},
		"bare LF":     {answer: "HTTP/1.1 204\n\n", trace: []string{"< HTTP/1.1 204"}},
		"a framing to ignore (RFC 9110, section 9.3.6)": {answer: "HTTP/1.1 200 ok\r\nContent-Length: 9\r\ntransfer-encoding: chunked\r\n\r\n"},
		"secrets": {
			answer: "HTTP/1.1 200 ok\r\nX-Api-Key: s3cret\r\nSet-Cookie: a=s3cret; Path=/\r\n\r\n",
			trace:  []string{"< HTTP/1.1 200 ok", "< Set-Cookie: a=***; Path=/", "< X-Api-Key: ***"},
		},
		"interim responses": {
			answer: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 ok\r\n\r\n",
			trace:  []string{"* interim response: 100 Continue", "* interim response: 103 Early Hints", "< HTTP/1.1 200 ok"},
		},
		"a CR in the reason": {answer: "HTTP/1.1 403 N\ro\r\n\r\n", trace: []string{"< HTTP/1.1 403 N o"}, words: "403 N o", class: fs.ErrPermission},
		"a CR in a field":    {answer: "HTTP/1.1 200 ok\r\nX: a\rY: b\r\n\r\n", trace: []string{"< HTTP/1.1 200 ok", "< X: a Y: b"}},

		"a login is wanted": {
			answer: "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"p\"\r\nproxy-authenticate: Digest realm=\"p\"\r\n\r\n",
			trace:  []string{"< HTTP/1.1 407 Who", `< Proxy-Authenticate: Basic realm="p"`, `< Proxy-Authenticate: Digest realm="p"`},
			words:  "407 Who", class: fs.ErrPermission, logins: []string{`Basic realm="p"`, `Digest realm="p"`},
		},
		"a login for a server":    {answer: "HTTP/1.1 401 Who\r\nProxy-Authenticate: Basic\r\n\r\n", words: "401 Who", class: fs.ErrPermission},
		"forbidden":               {answer: "HTTP/1.1 403 No\r\nContent-Length: 3\r\n\r\nno\n", words: "403 No", class: fs.ErrPermission},
		"no class: not found":     {answer: "HTTP/1.1 404 Not Found\r\n\r\n", words: "404 Not Found"},
		"no class: gone":          {answer: "HTTP/1.1 410 Gone\r\n\r\n", words: "410 Gone"},
		"no class: a range":       {answer: "HTTP/1.1 416 Range\r\n\r\n", words: "416 Range"},
		"no class: a redirection": {answer: "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n", words: "302 Found"},
		"no class: a number":      {answer: "HTTP/1.1 999\r\n\r\n", words: "999"},
		"busy":                    {answer: "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\n\r\n", words: "503 Busy", class: fetchers.ErrTemporary, wait: 7 * time.Second},
		"a gateway's failure":     {answer: "HTTP/1.1 502 Bad Gateway\r\n\r\n", words: "502 Bad Gateway", class: fetchers.ErrTemporary},
		"too many":                {answer: "HTTP/1.1 429 Slow down\r\n\r\n", words: "429 Slow down", class: fetchers.ErrTemporary},

		"an upgrade":           {answer: "HTTP/1.1 101 Switching Protocols\r\n\r\n", words: "101 Switching Protocols, which was not requested", class: fetchers.ErrProtocol},
		"another protocol":     {answer: "SSH-2.0-x\r\n\r\n", words: `"SSH-2.0-x" in place of a status`, class: fetchers.ErrProtocol},
		"a reply of FTP":       {answer: "220 ready\r\n", words: "malformed HTTP: \"220 ready\" in place of a status", class: fetchers.ErrProtocol},
		"an empty line":        {answer: "\r\n\r\n", words: "in place of a status", class: fetchers.ErrProtocol},
		"HTTP/2":               {answer: "HTTP/2 200 ok\r\n\r\n", words: "in place of a status", class: fetchers.ErrProtocol},
		"HTTP/2.0":             {answer: "HTTP/2.0 200 ok\r\n\r\n", words: "in place of a status", class: fetchers.ErrProtocol},
		"two digits":           {answer: "HTTP/1.1 20 ok\r\n\r\n", words: "in place of a status", class: fetchers.ErrProtocol},
		"a sign":               {answer: "HTTP/1.1 +20 ok\r\n\r\n", words: "in place of a status", class: fetchers.ErrProtocol},
		"four digits":          {answer: "HTTP/1.1 2000 ok\r\n\r\n", words: "in place of a status", class: fetchers.ErrProtocol},
		"below 100":            {answer: "HTTP/1.1 099 ok\r\n\r\n", words: "in place of a status", class: fetchers.ErrProtocol},
		"a line without colon": {answer: "HTTP/1.1 200 ok\r\nhello\r\n\r\n", words: "malformed header", class: fetchers.ErrProtocol},
		"a NUL in the reason":  {answer: "HTTP/1.1 200 o\x00k\r\n\r\n", words: "in place of a status", class: fetchers.ErrProtocol},
		"a NUL in a field":     {answer: "HTTP/1.1 200 ok\r\nX: a\x00b\r\n\r\n", words: "malformed header", class: fetchers.ErrProtocol},
		"a NUL in a name":      {answer: "HTTP/1.1 200 ok\r\nX\x00: ab\r\n\r\n", words: "malformed header", class: fetchers.ErrProtocol},

		"nothing":             {answer: "", words: "it closed the connection before it answered", class: fetchers.ErrTemporary},
		"half an answer":      {answer: "HTTP/1.1 200 ok\r\nVia: x\r\n", words: "it closed the connection before it answered", class: fetchers.ErrTemporary},
		"an interim response": {answer: "HTTP/1.1 100 Continue\r\n\r\n", words: "it closed the connection before it answered", class: fetchers.ErrTemporary},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			head := c.answer
			if i := strings.LastIndex(head, "\n\r\n"); i >= 0 {
				head = head[:i+3] // without its body
			}
			if strings.Contains(c.words, "in place of a status") {
				head = head[:strings.Index(head, "\n")+1] // a server that is no proxy may send no empty line
			}
			read, _, err := connect(tunnel.Request{Target: "h:1"}, traced(&lines), c.answer)
			if read != len(head) {
				t.Errorf("%d octets are read, want %d", read, len(head))
			}
			if lines = lines[3:]; c.trace != nil && !slices.Equal(lines, c.trace) {
				t.Errorf("the trace is %q, want %q", lines, c.trace)
			}
			if c.words == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.words) {
				t.Fatalf("error %v, want %q", err, c.words)
			}
			for _, class := range []error{fs.ErrPermission, fs.ErrNotExist, fetchers.ErrTemporary, fetchers.ErrProtocol, fetchers.ErrLogin, fetchers.ErrRange} {
				if errors.Is(err, class) != (class == c.class) {
					t.Errorf("error %v is of class %v: %v", err, class, errors.Is(err, class))
				}
			}
			var refused *tunnel.Refusal
			var status *fetchers.StatusError
			isRefusal := c.class != fetchers.ErrProtocol && !strings.HasPrefix(c.words, "it closed")
			if errors.As(err, &refused) != isRefusal || errors.As(err, &status) != isRefusal {
				t.Fatalf("error %v is a refusal: %v, want %v", err, refused, isRefusal)
			}
			if isRefusal && (refused.Wait != c.wait || !slices.Equal(refused.Challenges(), c.logins)) {
				t.Errorf("a wait of %v, the header is %q", refused.Wait, refused.Header)
			}
		})
	}
}

// The total size of a response and its interim responses is limited.
func TestAnswerIsBounded(t *testing.T) {
	const status = "HTTP/1.1 200 ok\r\n"
	for _, c := range []struct {
		first, line string
		most        int
		read        int
		words       string
	}{
		{"", "x", 0, longest + 1, "a header of more than 262144 bytes"},
		{"", "\r", 0, longest + 1, "a header of more than 262144 bytes"},
		{status, "x", 0, longest + 1, "a header of more than 262144 bytes"},
		{status, "X: y\r\n", 0, longest + 1, "a header of more than 262144 bytes"},
		{status, "Proxy-Authenticate: Basic\r\n", 0, longest + 1, "a header of more than 262144 bytes"},
		{status, "X: y\r\n", 100, 101, "a header of more than 100 bytes"},
		{"", "HTTP/1.1 100 Continue\r\n\r\n", 0, 17 * 25, "more than 16 interim responses"},
		{"", "HTTP/1.1 100 " + strings.Repeat("x", 100<<10) + "\r\n\r\n", 0, longest + 1, "a header of more than 262144 bytes"},
	} {
		r := tunnel.Request{Target: "h:1", MaxHead: c.most}
		read, _, err := connect(r, &fetchers.Trace{}, c.first+strings.Repeat(c.line, longest/len(c.line)+100))
		if !errors.Is(err, fetchers.ErrProtocol) || !strings.Contains(err.Error(), c.words) || read != c.read {
			t.Errorf("%.30q and then %.30q without an end: %d octets are read, want %d; %v", c.first, c.line, read, c.read, err)
		}
	}
}

// The error for a malformed field quotes only its beginning.
func TestLongMalformedField(t *testing.T) {
	_, _, err := connect(tunnel.Request{Target: "h:1"}, &fetchers.Trace{}, "HTTP/1.1 200 ok\r\n"+strings.Repeat("x", 10_000)+"\r\n\r\n")
	if err == nil || len(err.Error()) > 200 {
		t.Errorf("error %v", err)
	}
}

// If the server sends first, its greeting, in the same write as the proxy's response, is not read.
func TestGreetingIsLeft(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	go func() {
		server.Read(make([]byte, 1000))
		io.WriteString(server, "HTTP/1.1 200 ok\r\nVia: x\r\n\r\n220 ready\r\n")
		server.Close()
	}()
	if err := (tunnel.Request{Target: "h:21"}).Connect(fetchers.ContextTrace(t.Context()), client); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(client); string(rest) != "220 ready\r\n" || err != nil {
		t.Errorf("the server says %q, %v", rest, err)
	}
}

// A broken is a connection whose reads and writes fail.
type broken struct{ write, read error }

func (c broken) Write([]byte) (int, error) { return 0, c.write }
func (c broken) Read([]byte) (int, error)  { return 0, c.read }

// A TLS alert is reported as the reason of a failed write. A failure of the connection keeps its
// class.
func TestBrokenConnection(t *testing.T) {
	alert := errors.New("remote error: tls: certificate required")
	reset := fetchers.Temporary(syscall.ECONNRESET)
	for name, c := range map[string]struct {
		broken
		want error
	}{
		"written to":          {broken{reset, reset}, reset},
		"an alert":            {broken{reset, alert}, alert},
		"an end":              {broken{syscall.EPIPE, io.EOF}, syscall.EPIPE},
		"silent when written": {broken{fetchers.ErrStalled, alert}, fetchers.ErrStalled},
		"silent when read":    {broken{nil, fetchers.ErrStalled}, fetchers.ErrStalled},
		"reset when read":     {broken{nil, reset}, reset},
		"a cut of TLS":        {broken{nil, io.ErrUnexpectedEOF}, fetchers.ErrTemporary},
	} {
		err := tunnel.Request{Target: "h:1"}.Connect(fetchers.ContextTrace(t.Context()), c.broken)
		if !errors.Is(err, c.want) || errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// The trusted authorities of servers apply to a proxy, but their client certificate does not.
func TestTLS(t *testing.T) {
	servers := &tls.Config{
		RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS13, Time: time.Now,
		ServerName: "server.example", NextProtos: []string{"h2"}, InsecureSkipVerify: true, Certificates: []tls.Certificate{{}},
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return nil, nil },
		ClientSessionCache:   tls.NewLRUClientSessionCache(1),
	}
	got := tunnel.TLSConfig(tunnel.Trust(servers), "proxy.example")
	if got.RootCAs != servers.RootCAs || got.MinVersion != servers.MinVersion || got.MaxVersion != servers.MaxVersion || got.Time == nil {
		t.Error("the proxy is not trusted like the servers")
	}
	if got.Certificates != nil || got.GetClientCertificate != nil || got.ClientSessionCache != nil || got.InsecureSkipVerify {
		t.Error("settings that are for servers only are used for the proxy")
	}
	own := &tls.Config{ServerName: "x", NextProtos: []string{"h2"}, Certificates: []tls.Certificate{{}}}
	for _, c := range []*tls.Config{got, tunnel.TLSConfig(tunnel.Trust(nil), "proxy.example"), tunnel.TLSConfig(own, "proxy.example")} {
		if c.ServerName != "proxy.example" || !slices.Equal(c.NextProtos, []string{"http/1.1"}) {
			t.Errorf("%q with %q", c.ServerName, c.NextProtos)
		}
	}
	if own.ServerName != "x" || len(tunnel.TLSConfig(own, "h").Certificates) != 1 {
		t.Error("the proxy's own settings are changed, or not used")
	}
}
