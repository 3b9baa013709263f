package main

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

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/file"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
	"github.com/seed1ea3422f/fetch/url"
)

// newsFlags are what only news has.
type newsFlags struct {
	server  string // what --news-server says, and after apply what is used
	message string // what --in says

	reaching bool   // a network is about to be reached
	from     string // where server is from, if it was not given
	unread   error  // the error of reading the file that may name the server
	remark   func(format string, args ...any)
}

func (f *newsFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.server, "news-server", "", "ask `HOST[:PORT]` for news URLs that name no server")
	flags.StringVar(&f.message, "in", "", "`FILE|URL`: look in this message for the part that a cid URL names")
}

// apply writes the flags into set.
func (f *newsFlags) apply(ctx context.Context, a *app, set *fetch.Set, config *tls.Config) error {
	set.NNTP.TLS = config
	switch {
	case a.ftp.sslReqd:
		set.NNTP.StartTLS = nntp.Required
	case a.ftp.ssl:
		set.NNTP.StartTLS = nntp.IfOffered
	}
	if f.message != "" {
		u, err := url.Parse(url.Unwrap(f.message))
		if err != nil || url.Describe(u.Scheme) == "" { // as C:\mail
			path, err := filepath.Abs(f.message)
			if err != nil {
				return inputError{err}
			}
			if info, err := os.Stat(f.message); err != nil || !info.Mode().IsRegular() {
				return inputError{cmp.Or(err, fmt.Errorf("--in %s: no regular file", url.Redact(f.message)))}
			}
			u = url.File{Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")}.URL()
			set.MID.Fetcher = new(file.Fetcher) // a file name, not a URL that --public-only might refuse
		}
		if a.ftp.sslReqd && u.Scheme != "file" && !among(encrypted, u.Scheme) {
			return usageError{fmt.Errorf("--in %s: --ssl-reqd wants TLS", u.Redacted())}
		}
		set.MID.In = u
	}
	if f.server != "" {
		if u, err := url.Parse("nntp://" + f.server); err != nil || u.Path != "" || u.User != nil {
			return usageError{fmt.Errorf("--news-server wants HOST or HOST:PORT, not %q", url.Redact(f.server))}
		}
	} else {
		f.server, f.from = os.Getenv("NNTPSERVER"), "NNTPSERVER"
	}
	if f.server == "" {
		var err error
		f.server, err = opened(ctx, f.configured)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f.unread = err
	}
	set.NNTP.Server, f.reaching, f.remark = f.server, true, a.remark
	return nil
}

// configured returns the server that a file of the user or of the system names, or
// "". Debian's newsreaders read the second one.
func (f *newsFlags) configured() (string, error) {
	names := []string{"/etc/news/server"}
	if dir, err := configDir(); err == nil {
		names = []string{filepath.Join(dir, "news-server"), names[0]}
	}
	for _, name := range names {
		file, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		for lines.Scan() {
			if line := strings.TrimSpace(lines.Text()); line != "" && line[0] != '#' {
				f.from = tilde(name)
				return line, nil
			}
		}
		if err := lines.Err(); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	return "", nil
}

// ask says what to do about a URL that names no server, if none is known, or a part
// of no message. What else is wrong with a URL, the Fetcher says.
func (f *newsFlags) ask(req *fetchers.Request) error {
	u := req.URL
	var err error
	hint := "it names no server: use --news-server HOST, or set NNTPSERVER"
	switch {
	case !f.reaching:
		return nil
	case hostless(u.Scheme) && u.Host == "" && f.server == "":
		if u.Scheme == "mid" {
			_, err = u.MID()
		} else {
			_, err = u.News()
		}
	case u.Scheme == "cid" && f.message == "":
		_, err = u.CID()
		hint = "it names a part of a message: use --in FILE or --in URL"
	default:
		if hostless(u.Scheme) && u.Host == "" && f.from != "" {
			f.remark("news server %s from %s", url.Redact(f.server), f.from)
		}
		return nil
	}
	switch {
	case err != nil:
		return nil
	case hostless(u.Scheme) && f.unread != nil:
		return inputError{f.unread}
	}
	return fmt.Errorf("%s: %w: %s", u.Redacted(), fetchers.ErrNotRetrievable, hint)
}

// hostless reports whether URLs of a scheme may leave it to us which news server is
// meant.
func hostless(scheme string) bool { return scheme == "news" || scheme == "snews" || scheme == "mid" }

// keychain returns a Keychain that looks for the login of the news server where a
// URL names none.
func (f *newsFlags) keychain(chain fetchers.Keychain) fetchers.Keychain {
	return newsKeychain{chain, f.server}
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
