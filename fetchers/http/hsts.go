package http

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// The numbers of hosts in an HSTS store, in all and per registered domain. The second limit keeps a
// single domain from evicting all others.
const (
	maxHosts     = 1000
	maxSiteHosts = 100
)

// An HSTS store records the hosts that accept requests by https only (RFC 6797). Its zero value is
// empty and ready to use; a nil *HSTS has no hosts. It is safe for concurrent use.
type HSTS struct {
	mu    sync.Mutex
	hosts []strictHost // oldest first
}

type strictHost struct {
	name  string
	below bool      // includes its subdomains
	until time.Time // zero means no end
}

func (h *strictHost) expired(now time.Time) bool { return !h.until.IsZero() && !h.until.After(now) }

// Receive stores the Strict-Transport-Security field of a response from u. The caller must have
// verified the certificate of the connection. If u is nil, Receive does nothing.
func (s *HSTS) Receive(u *url.URL, field string) {
	if u == nil {
		return
	}
	host := hostOf(u)
	if _, err := netip.ParseAddr(host); u.Scheme != "https" || host == "" || err == nil {
		return // section 8.1.1 excludes addresses
	}
	age, below, ok := readStrict(field)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(strictHost{host, below, time.Now().Add(age)})
}

// Upgrade returns the https URL to request in place of u, or nil if u needs no upgrade or is nil.
// Port 80 becomes 443; any other port stays (section 8.3).
func (s *HSTS) Upgrade(u *url.URL) *url.URL {
	if s == nil || u == nil || u.Scheme != "http" || !s.knows(hostOf(u)) {
		return nil
	}
	secure := *u
	secure.Scheme = "https"
	if u.Port == 80 {
		secure.Port = 443
	}
	return &secure
}

func (s *HSTS) knows(host string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	return slices.ContainsFunc(s.hosts, func(h strictHost) bool {
		return !h.expired(now) && (host == h.name || h.below && within(host, h.name))
	})
}

// put replaces the entry of a host. An expired h removes it.
func (s *HSTS) put(h strictHost) {
	now := time.Now()
	s.hosts = slices.DeleteFunc(s.hosts, func(old strictHost) bool { return old.name == h.name || old.expired(now) })
	if h.expired(now) {
		return
	}
	s.hosts = append(s.hosts, h)
	site, count := site(h.name), 0
	for _, old := range s.hosts {
		if within(old.name, site) {
			count++
		}
	}
	switch {
	case count > maxSiteHosts:
		oldest := slices.IndexFunc(s.hosts, func(old strictHost) bool { return within(old.name, site) })
		s.hosts = slices.Delete(s.hosts, oldest, oldest+1)
	case len(s.hosts) > maxHosts:
		s.hosts = slices.Delete(s.hosts, 0, 1)
	}
}

// readStrict parses a Strict-Transport-Security field (section 6.1). A repeated directive makes the
// field invalid; an unknown one is ignored.
func readStrict(field string) (age time.Duration, below, ok bool) {
	seen := make(map[string]bool)
	for directive := range strings.SplitSeq(field, ";") {
		key, value, _ := strings.Cut(directive, "=")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		if key == "" {
			continue
		}
		if seen[key] {
			return 0, false, false
		}
		seen[key] = true
		switch key {
		case "max-age":
			if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
				value = value[1 : len(value)-1]
			}
			if value == "" || strings.Trim(value, "0123456789") != "" {
				return 0, false, false
			}
			const longest = 100 * 365 * 24 * 60 * 60 // a century
			seconds, err := strconv.ParseInt(value, 10, 64)
			if err != nil || seconds > longest {
				seconds = longest
			}
			age = time.Duration(seconds) * time.Second
		case "includesubdomains":
			below = true
		}
	}
	return age, below, seen["max-age"]
}

// The format of times in a file, in UTC, and its word for an entry without end.
const (
	strictTime = "20060102 15:04:05"
	forEver    = "unlimited"
)

// Load adds the hosts of a file in the format of curl: a line each, with a leading dot if
// subdomains are included:
//
//	.example.com "20261120 12:00:00"
//
// A line that begins with # is a comment. Load skips lines that it cannot parse, and returns a
// *LinesError for them; the hosts of all other lines are added.
func (s *HSTS) Load(r io.Reader) error {
	return eachLine(r, func(line string) error {
		if strings.HasPrefix(line, "#") {
			return nil
		}
		name, quoted, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, below := strings.CutPrefix(name, ".")
		host, err := hostField(name)
		if err != nil {
			return err
		}
		if _, err := netip.ParseAddr(host); err == nil {
			return errors.New("an address")
		}
		h := strictHost{name: host, below: below}
		text, opened := strings.CutPrefix(strings.TrimSpace(quoted), `"`)
		text, closed := strings.CutSuffix(text, `"`)
		if !opened || !closed {
			return errors.New("no time in quotes")
		}
		if text != forEver {
			if h.until, err = time.Parse(strictTime, text); err != nil {
				return errors.New("bad time")
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.put(h)
		return nil
	})
}

// Save writes the hosts as Load reads them.
func (s *HSTS) Save(w io.Writer) error {
	s.mu.Lock()
	hosts := slices.Clone(s.hosts)
	s.mu.Unlock()
	out := bufio.NewWriter(w)
	out.WriteString("# HSTS hosts. Written by fetch. Edit at your own risk.\n")
	now := time.Now()
	for _, h := range hosts {
		if h.expired(now) {
			continue
		}
		if h.below {
			out.WriteByte('.')
		}
		until := forEver
		if !h.until.IsZero() {
			until = h.until.UTC().Format(strictTime)
		}
		fmt.Fprintf(out, "%s \"%s\"\n", h.name, until)
	}
	return out.Flush()
}

// learn stores the first Strict-Transport-Security field of resp (section 8.1), if the certificate
// was verified.
func (s *HSTS) learn(resp *nethttp.Response) {
	if s == nil || resp.TLS == nil || len(resp.TLS.VerifiedChains) == 0 {
		return
	}
	if fields := resp.Header["Strict-Transport-Security"]; len(fields) > 0 {
		s.Receive(requestURL(resp.Request), fields[0])
	}
}

// upgraded returns the Redirect that the store makes for req, without a request to any server.
func upgraded(req *fetchers.Request, to *url.URL) *fetchers.Resource {
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Redirect, Location: to, Upgrade: true, Size: -1}
	res.SetBody(nil)
	return res
}
