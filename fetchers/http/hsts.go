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

// How many hosts an HSTS store keeps, in all and of one registered domain, so
// that nobody fills it with names of his own to make it forget the others.
const (
	maxHosts     = 1000
	maxSiteHosts = 100
)

// An HSTS store knows the hosts that have asked to be spoken to by https only
// (RFC 6797). Its zero value is empty and ready to use; a nil *HSTS knows none. It
// may be used by many goroutines at once.
type HSTS struct {
	mu    sync.Mutex
	hosts []strictHost // the oldest first
}

type strictHost struct {
	name  string
	below bool      // for the hosts below it too
	until time.Time // zero for ever
}

func (h *strictHost) expired(now time.Time) bool { return !h.until.IsZero() && !h.until.After(now) }

// Receive takes the Strict-Transport-Security field of an answer from u. It is
// for the caller to know that the connection was secure without a doubt. For a nil URL Receive
// does nothing.
func (s *HSTS) Receive(u *url.URL, field string) {
	if u == nil {
		return
	}
	host := hostOf(u)
	if _, err := netip.ParseAddr(host); u.Scheme != "https" || host == "" || err == nil {
		return // section 8.1.1: not for addresses
	}
	age, below, ok := readStrict(field)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(strictHost{host, below, time.Now().Add(age)})
}

// Upgrade returns the URL to ask in place of u, or nil if u is good as it is, or nil. Port
// 80 becomes 443, any other stays (section 8.3).
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

// put replaces what is known of a host. To be known until now is not to be known.
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

// readStrict reads a Strict-Transport-Security field (section 6.1). A directive
// that is there twice spoils it, one that is unknown does not.
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
			const longest = 100 * 365 * 24 * 60 * 60 // a century will do
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

// The file's times, in UTC, and its word for ever.
const (
	strictTime = "20060102 15:04:05"
	forEver    = "unlimited"
)

// Load adds the hosts in a file of curl's format, a line each, with a dot if the
// hosts below are meant too:
//
//	.example.com "20261120 12:00:00"
//
// A line that begins with # is a remark. The error tells of the lines that are
// not like that, by number; what the others say is added all the same.
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

// learn takes the field of resp, of which only the first counts (section 8.1). A
// certificate that nobody has verified proves nothing.
func (s *HSTS) learn(resp *nethttp.Response) {
	if s == nil || resp.TLS == nil || len(resp.TLS.VerifiedChains) == 0 {
		return
	}
	if fields := resp.Header["Strict-Transport-Security"]; len(fields) > 0 {
		s.Receive(asked(resp.Request), fields[0])
	}
}

// upgraded is the answer to req if the store says that to is to be asked instead.
// No server has said anything.
func upgraded(req *fetchers.Request, to *url.URL) *fetchers.Resource {
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Redirect, Location: to, Upgrade: true, Size: -1}
	res.SetBody(nil)
	return res
}
