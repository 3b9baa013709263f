package s3

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A place is the region of a bucket and the clock of its server.
type place struct {
	region string
	skew   time.Duration // how much the clock of the server is ahead
}

// maxPlaces limits the remembered buckets. A forgotten one costs an extra request.
const maxPlaces = 256

// places remembers the places of buckets.
type places struct {
	mu  sync.Mutex
	all map[string]place
}

func (p *places) of(bucket string) place {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all[bucket]
}

func (p *places) set(bucket string, at place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = make(map[string]place)
	}
	for other := range p.all {
		if len(p.all) < maxPlaces {
			break
		}
		delete(p.all, other)
	}
	p.all[bucket] = at
}

// place returns the place of the bucket, as far as it is known.
func (x *exchange) place() (place, error) {
	at := x.fetcher.known.of(x.bucket)
	at.region = cmp.Or(at.region, x.account.Region, "us-east-1")
	if !isRegion(at.region) {
		return at, fmt.Errorf("bad region %q: it has to consist of lower-case letters, digits and hyphens", at.region)
	}
	return at, nil
}

// locate returns the URL of a key in the bucket. The key "" is the bucket itself.
func (x *exchange) locate(region, key, query string) (*url.URL, error) {
	u := &url.URL{Scheme: "https", Slashes: true, Path: "/" + escape(key, "/")}
	styled, endpoint := "/"+x.bucket, x.account.Endpoint
	if key != "" {
		styled += u.Path
	}
	switch domain := "s3." + region + ".amazonaws.com"; {
	case endpoint != nil:
		if !isEndpoint(endpoint) {
			return nil, fmt.Errorf("%w: the endpoint is not an http or https URL of a server", fetchers.ErrNotRetrievable)
		}
		u.Scheme, u.Authority = endpoint.Scheme, endpoint.Authority
		u.Path = strings.TrimSuffix(endpoint.Path, "/") + styled
	case strings.HasPrefix(region, "cn-"):
		u.Host, u.Path = domain+".cn", styled
	case strings.Contains(x.bucket, "."): // the certificate covers only one label
		u.Host, u.Path = domain, styled
	default:
		u.Host = x.bucket + "." + domain
	}
	if query != "" {
		u.Query = "?" + query
	}
	return u, nil
}

// isEndpoint reports whether u is a server, without a login or query that would be lost.
func isEndpoint(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.Query == "" && u.Fragment == ""
}

// isRegion reports whether name is a valid label of a host and part of a signature.
func isRegion(name string) bool {
	if name == "" || len(name) > 32 || strings.Trim(name, "-") != name {
		return false
	}
	return !strings.ContainsFunc(name, func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' })
}
