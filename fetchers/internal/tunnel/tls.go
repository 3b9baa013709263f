package tunnel

import "crypto/tls"

// TLSConfig returns the settings for TLS with an https proxy at host. own are the settings for
// the proxy, and are not changed; nil means the usual ones. The proxy is asked for HTTP/1.1,
// the version of a [Request].
func TLSConfig(own *tls.Config, host string) *tls.Config {
	config := new(tls.Config)
	if own != nil {
		config = own.Clone()
	}
	config.ServerName = host
	config.NextProtos = []string{"http/1.1"}
	return config
}

// Trust returns the part of the settings for servers that holds for a proxy too: the trusted
// authorities, the versions and the time. The client certificate is for servers, and so is the
// leave to skip the verification.
func Trust(servers *tls.Config) *tls.Config {
	if servers == nil {
		return nil
	}
	return &tls.Config{RootCAs: servers.RootCAs, MinVersion: servers.MinVersion, MaxVersion: servers.MaxVersion, Time: servers.Time}
}
