package transport

import (
	"crypto/tls"
	"sync"
)

// maxTickets is how many TLS sessions are kept.
const maxTickets = 256

// Tickets keeps TLS sessions, by which further connections to a server save a round trip in
// TLS 1.2, and the certificates in TLS 1.3 (RFC 8446, section 2.2). It belongs to one Fetcher,
// whose settings for TLS do not change. The zero value is ready to use.
type Tickets struct {
	once sync.Once
	kept tls.ClientSessionCache
}

// Resume has a connection with config resume a session of the same key, and keeps its session
// for the next one. The key says which connections may be known to the server as of one
// client: the host and port, the proxy, and who named the server. The host belongs there
// because crypto/tls knows a session by ServerName, which a user can set for all hosts. A
// cache that config has already stays. No session is resumed if config has VerifyPeerCertificate, which crypto/tls
// calls for a full handshake only; VerifyConnection and the rest of the settings hold for
// both.
func (t *Tickets) Resume(config *tls.Config, key string) {
	if config.ClientSessionCache != nil || config.VerifyPeerCertificate != nil {
		return
	}
	t.once.Do(func() { t.kept = tls.NewLRUClientSessionCache(maxTickets) })
	config.ClientSessionCache = &keyed{t.kept, key}
}

// A keyed is a cache whose keys begin with key: crypto/tls has the name of the server only.
type keyed struct {
	kept tls.ClientSessionCache
	key  string
}

func (k *keyed) Get(name string) (*tls.ClientSessionState, bool) {
	return k.kept.Get(k.key + "\x00" + name)
}

func (k *keyed) Put(name string, s *tls.ClientSessionState) { k.kept.Put(k.key+"\x00"+name, s) }
