package transport

import (
	"crypto/tls"
	"sync"
)

// maxTickets is the largest number of TLS sessions that are kept.
const maxTickets = 256

// Tickets keeps TLS sessions for resumption, which saves a round trip in TLS 1.2, and the
// certificates in TLS 1.3 (RFC 8446, section 2.2). It belongs to one Fetcher, whose TLS
// configuration does not change. The zero value is ready to use.
type Tickets struct {
	once sync.Once
	kept tls.ClientSessionCache
}

// Resume makes a connection with config resume a session of the same key, and keeps its session for
// later connections. The key separates connections that the server must not associate with each
// other: host and port, the proxy, and the Namer. It contains the host because crypto/tls
// identifies a session by ServerName, which a user can set for all hosts. A cache in config is
// kept. No session is resumed if config has VerifyPeerCertificate, which crypto/tls calls in a full
// handshake only; VerifyConnection and all other settings apply to both.
func (t *Tickets) Resume(config *tls.Config, key string) {
	if config.ClientSessionCache != nil || config.VerifyPeerCertificate != nil {
		return
	}
	t.once.Do(func() { t.kept = tls.NewLRUClientSessionCache(maxTickets) })
	config.ClientSessionCache = &keyed{t.kept, key}
}

// A keyed is a cache whose keys have the prefix key: crypto/tls passes only the name of the server.
type keyed struct {
	kept tls.ClientSessionCache
	key  string
}

func (k *keyed) Get(name string) (*tls.ClientSessionState, bool) {
	return k.kept.Get(k.key + "\x00" + name)
}

func (k *keyed) Put(name string, s *tls.ClientSessionState) { k.kept.Put(k.key+"\x00"+name, s) }
