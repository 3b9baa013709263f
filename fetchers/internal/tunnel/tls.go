package tunnel

import "crypto/tls"

// TLSConfig returns the TLS configuration for an https proxy at host. own is the configuration for
// the proxy, which is not changed; nil means the defaults. ALPN offers HTTP/1.1, the version of a
// [Request].
func TLSConfig(own *tls.Config, host string) *tls.Config {
	config := new(tls.Config)
	if own != nil {
		config = own.Clone()
	}
	config.ServerName = host
	config.NextProtos = []string{"http/1.1"}
	return config
}

// Trust returns the part of the servers' TLS configuration that applies to proxies too: the trusted
// authorities, the versions and the time. Client certificates, and disabled verification, apply to
// servers only.
func Trust(servers *tls.Config) *tls.Config {
	if servers == nil {
		return nil
	}
	return &tls.Config{RootCAs: servers.RootCAs, MinVersion: servers.MinVersion, MaxVersion: servers.MaxVersion, Time: servers.Time}
}
