package stack

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/file"
	"github.com/seed1ea3422f/fetch/fetchers/mid"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/pipe"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// A newsServer is the server for news URLs that name none.
type newsServer struct {
	addr   string // HOST or HOST:PORT; "" if none is known
	from   string // the variable or the file that names it; "" if it was given
	unread error  // the error of reading a file that may name it
}

// findNewsServer returns the server that was given, or else that of the environment, of the
// user's file or of the system's. The error is a record.UsageError, or that of ctx.
func findNewsServer(ctx context.Context, given string) (newsServer, error) {
	if given != "" {
		u, err := idn.Parse("nntp://" + given)
		if err != nil || u.Path != "" || u.User != nil {
			return newsServer{}, record.UsageError{Err: fmt.Errorf("--news-server wants HOST or HOST:PORT, not %q", url.Redact(given))}
		}
		return newsServer{addr: strings.TrimPrefix(u.String(), "nntp://")}, nil
	}
	if addr := os.Getenv("NNTPSERVER"); addr != "" {
		return newsServer{addr: addr, from: "NNTPSERVER"}, nil
	}
	s, err := pipe.Open(ctx, configuredServer)
	s.unread = err
	return s, ctx.Err()
}

// configuredServer returns the server that a file of the user or of the system names.
// Debian's newsreaders read the second one.
func configuredServer() (newsServer, error) {
	names := []string{"/etc/news/server"}
	if dir, err := option.ConfigDir(); err == nil {
		names = []string{filepath.Join(dir, "news-server"), names[0]}
	}
	for _, name := range names {
		addr, err := firstLine(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return newsServer{}, err
		}
		if addr != "" {
			return newsServer{addr: addr, from: option.Tilde(name)}, nil
		}
	}
	return newsServer{}, nil
}

// firstLine returns the first line of a file that is neither empty nor a remark.
func firstLine(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" && line[0] != '#' {
			return line, nil
		}
	}
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return "", nil
}

// setNews writes the flags into client.
func setNews(client *nntp.Fetcher, config *tls.Config, o option.TLS, server newsServer) {
	client.TLS, client.Server = config, server.addr
	switch {
	case o.SSLReqd:
		client.StartTLS = nntp.Required
	case o.SSL:
		client.StartTLS = nntp.IfOffered
	}
}

// An enclosing is the message of --in, for the parts that cid URLs name.
type enclosing struct {
	url   *url.URL // nil if there is none
	named bool     // a file name, not a URL that --public-only may refuse
}

// findEnclosing returns the message of --in, which is a URL or the name of a regular file.
func findEnclosing(o *option.Options) (enclosing, error) {
	name := o.News.In
	if name == "" {
		return enclosing{}, nil
	}
	u, err := url.Parse(url.Unwrap(name))
	if err != nil || url.Describe(u.Scheme) == "" { // as C:\mail
		path, err := filepath.Abs(name)
		if err != nil {
			return enclosing{}, record.InputError{Err: err}
		}
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			return enclosing{}, record.InputError{Err: cmp.Or(err, fmt.Errorf("--in %s: no regular file", url.Redact(name)))}
		}
		u = url.FileOf(filepath.ToSlash(path)).URL()
		return enclosing{u, true}, nil
	}
	if o.TLS.SSLReqd && u.Scheme != "file" && !option.In(option.Encrypted, u.Scheme) {
		return enclosing{}, record.UsageError{Err: fmt.Errorf("--in %s: --ssl-reqd wants TLS", u.Redacted())}
	}
	return enclosing{u, false}, nil
}

// setMessage gives the message to client.
func setMessage(client *mid.Fetcher, m enclosing) {
	client.In = m.url
	if m.named {
		client.Fetcher = new(file.Fetcher)
	}
}

// checkNews returns an error for a URL without a server if no server is known, and for a URL that
// names a part without a message. The Fetcher reports other errors in a URL.
func (st *Stack) checkNews(u *url.URL) error {
	server, hint := st.shared.news, "it names no server: use --news-server HOST, or set NNTPSERVER"
	var err error
	switch {
	case LeavesServer(u) && server.addr == "":
		if u.Scheme == "mid" {
			_, err = u.MID()
		} else {
			_, err = u.News()
		}
	case u.Scheme == "cid" && st.options.News.In == "":
		_, err = u.CID()
		hint = "it names a part of a message: use --in FILE or --in URL"
	default:
		if LeavesServer(u) && server.from != "" {
			st.streams.Remark("news server %s from %s", url.Redact(server.addr), server.from)
		}
		return nil
	}
	switch {
	case err != nil:
		return nil
	case hostless(u.Scheme) && server.unread != nil:
		return record.InputError{Err: server.unread}
	}
	return fmt.Errorf("%s: %w: %s", u.Redacted(), fetchers.ErrNotRetrievable, hint)
}

// LeavesServer reports whether u is a news URL without a server.
func LeavesServer(u *url.URL) bool { return hostless(u.Scheme) && u.Host == "" }

// hostless reports whether URLs of a scheme may name no server.
func hostless(scheme string) bool { return scheme == "news" || scheme == "snews" || scheme == "mid" }

// keychain returns a Keychain that looks up the login of the news server for a URL without a
// server.
func (s newsServer) keychain(chain fetchers.Keychain) fetchers.Keychain {
	return newsKeychain{chain, s.addr}
}

type newsKeychain struct {
	fetchers.Keychain
	server string
}

// Lookup looks for the login of o, or for that of the news server.
func (k newsKeychain) Lookup(ctx context.Context, o fetchers.Origin) (fetchers.Credential, error) {
	if o.Host == "" && hostless(o.Scheme) {
		if o.Host = k.server; strings.Contains(k.server, ":") {
			if host, port, err := net.SplitHostPort(k.server); err == nil {
				o.Host, o.Port = host, port
			}
		}
	}
	return k.Keychain.Lookup(ctx, o)
}
