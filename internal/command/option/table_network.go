package option

var whichWay = []Flag{
	{
		Name: "location", Short: "L", Help: "follow redirections",
		Verbs: oneByOne,
		bind:  func(o *Options) value { return onOff(&o.Follow.Location) },
	}, {
		Name: "location-trusted", Help: "follow redirections, and send the login and the header fields to each host on the way: dangerous",
		Verbs: oneByOne,
		Scope: OneRun,
		bind:  func(o *Options) value { return onOff(&o.Follow.Trusted) },
	}, {
		Name: "max-redirs", Value: "N", Help: "follow at most N redirections; 0 keeps the first one",
		Verbs:   oneByOne,
		Example: "2",
		bind:    func(o *Options) value { return atLeast(0, &o.Follow.MaxRedirs) },
	}, {
		Name: "proto", Value: "LIST", Help: "fetch from the schemes in LIST only, as http,https; +ftp adds one, -ftp removes it",
		Verbs:    withServe,
		Complete: SchemeNames, Example: "http",
		bind: func(o *Options) value { return &o.Follow.Proto },
	}, {
		Name: "proto-redir", Value: "LIST", Help: "follow redirections to the schemes in LIST only, which is as for --proto",
		Verbs:    oneByOne,
		Complete: SchemeNames, Example: "http",
		bind: func(o *Options) value { return &o.Follow.ProtoRedir },
	}, {
		Name: "proxy", Short: "x", Value: "URL", Help: "go through the proxy URL: http, https, socks4, socks4a, socks5 or socks5h",
		Schemes: remote, Scope: PerOrigin, Empty: true,
		Complete: "http:// https:// socks4:// socks4a:// socks5:// socks5h://", Example: "http://127.0.0.1:1",
		bind: func(o *Options) value { return text(&o.Proxy.URL) },
	}, {
		Name: "proxy1.0", Value: "URL", Help: "as --proxy, for an HTTP proxy with tunnels by HTTP/1.0",
		Schemes: remote, Scope: OneRun, Complete: "http:// https://", Example: "http://127.0.0.1:1",
		Not:  []Conflict{{Flags: "proxy", Why: "a URL has one proxy"}},
		bind: func(o *Options) value { return text(&o.Proxy.URL10) },
	}, {
		Name: "noproxy", Value: "LIST", Help: "use no proxy for the hosts in LIST; * is all",
		Scope: PerOrigin, Empty: true,
		bind: func(o *Options) value { return text(&o.Proxy.NoProxy) },
	}, {
		Name: "proxy-user", Short: "U", Value: "NAME:PASSWORD", Help: "log in at the proxy as NAME:PASSWORD",
		Schemes: remote, Scope: PerOrigin, Empty: true, Secret: Login, Owner: "proxy proxy1.0",
		bind: func(o *Options) value { return text(&o.Proxy.User) },
	}, {
		Name: "proxy-basic", Help: "log in at an HTTP proxy by Basic, which is sent before it asks (default)",
		Schemes: remote, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Proxy.Basic) },
	}, {
		Name: "proxy-digest", Help: "log in at an HTTP proxy by Digest only",
		Schemes: remote, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Proxy.Digest) },
	}, {
		Name: "proxy-ntlm", Help: "log in at an HTTP proxy by NTLM only, which is weak",
		Schemes: remote, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Proxy.NTLM) },
	}, {
		Name: "proxy-anyauth", Help: "log in at an HTTP proxy by Digest if it has that, or else by Basic",
		Schemes: remote, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Proxy.AnyAuth) },
	}, {
		Name: "proxytunnel", Short: "p", Help: "use tunnels of an HTTP proxy only, and send it no URLs",
		Schemes: remote, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Proxy.Tunnel) },
	}, {
		Name: "preproxy", Value: "URL", Help: "reach the proxy, or servers without one, by the SOCKS proxy URL",
		Schemes: remote, Scope: PerOrigin, Empty: true,
		Complete: "socks4:// socks4a:// socks5:// socks5h://", Example: "socks5://127.0.0.1:1",
		bind: func(o *Options) value { return text(&o.Proxy.First) },
	}, {
		Name: "proxy-cacert", Value: "FILE", Help: "trust the authorities in FILE (PEM) for https proxies, and no others (default as --cacert)",
		Schemes: remote, Scope: PerOrigin,
		bind: func(o *Options) value { return text(&o.Proxy.CACert) },
	}, {
		Name: "proxy-cert", Value: "FILE", Help: "show the certificate in FILE (PEM) to https proxies",
		Schemes: remote, Scope: PerOrigin, Secret: Login, Owner: "proxy proxy1.0",
		bind: func(o *Options) value { return text(&o.Proxy.Cert) },
	}, {
		Name: "proxy-key", Value: "FILE", Help: "take its key from FILE (PEM), if it is not in that of --proxy-cert",
		Schemes: remote, Scope: PerOrigin, Needs: "proxy-cert", Owner: "proxy proxy1.0",
		bind: func(o *Options) value { return text(&o.Proxy.Key) },
	}, {
		Name: "proxy-insecure", Help: "trust any certificate of an https proxy",
		Schemes: remote, Scope: PerOrigin, Owner: "proxy proxy1.0",
		bind: func(o *Options) value { return onOff(&o.Proxy.Insecure) },
	}, {
		Name: "resolve", Value: "HOST:PORT:ADDR", Help: "take ADDR for the address of HOST for PORT; HOST may be *, ADDR a list with commas",
		Example: "h.example:80:127.0.0.1",
		bind:    func(o *Options) value { return list(&o.Route.Resolve) },
	}, {
		Name: "connect-to", Value: "H:P:H2:P2", Help: "connect to H2:P2 instead of the server H:P; an empty part is any, or the same",
		Example: "::127.0.0.1:1",
		bind:    func(o *Options) value { return list(&o.Route.ConnectTo) },
	}, {
		Name: "interface", Value: "NAME", Help: "connect from NAME: a network interface, or an address of this machine",
		Schemes: remote, Empty: true, Example: "127.0.0.1",
		bind: func(o *Options) value { return text(&o.Route.Interface) },
	}, {
		Name: "ipv4", Short: "4", Help: "use IPv4 addresses only",
		Scope: PerOrigin,
		Not:   []Conflict{{Flags: "ipv6", Why: "no address is both"}},
		bind:  func(o *Options) value { return onOff(&o.Route.IPv4) },
	}, {
		Name: "ipv6", Short: "6", Help: "use IPv6 addresses only",
		Scope: PerOrigin,
		bind:  func(o *Options) value { return onOff(&o.Route.IPv6) },
	}, {
		Name: "happy-eyeballs-timeout-ms", Value: "MS", Help: "try IPv4 too if IPv6 takes longer than MS milliseconds",
		Schemes: remote, Scope: PerOrigin, Example: "100",
		bind: func(o *Options) value { return atLeast(0, &o.Route.HappyEyeballs) },
	}, {
		Name: "dns-servers", Value: "LIST", Help: "use the name servers in LIST, ADDRESS[:PORT] with commas between them, one after another",
		Schemes: remote, Scope: PerOrigin, Empty: true, Example: "127.0.0.1",
		bind: func(o *Options) value { return text(&o.Route.DNSServers) },
	}, {
		Name: "unix-socket", Value: "PATH", Help: "connect to the Unix socket PATH in place of the host of the URL",
		Schemes: bySocket, Scope: PerOrigin, Empty: true,
		Not:  []Conflict{{If: "!=", Flags: "proxy!= proxy1.0 preproxy!= resolve connect-to interface!= ipv4 ipv6 dns-servers!= public-only", Why: "a socket of this machine has no address"}},
		bind: func(o *Options) value { return text(&o.Route.UnixSocket) },
	}, {
		Name: "keepalive-time", Value: "SECONDS", Help: "probe a connection that is silent for SECONDS, by TCP (default 15)",
		Schemes: remote, Scope: PerOrigin, Example: "60",
		Not:  []Conflict{{Flags: "no-keepalive", Why: "there are probes, or none"}},
		bind: func(o *Options) value { return atLeast(1, &o.Route.KeepAliveTime) },
	}, {
		Name: "no-keepalive", Help: "send no probes of TCP",
		Schemes: remote, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Route.NoKeepAlive) },
	}, {
		Name: "public-only", Help: "connect to public addresses only, after redirections too; refuse file URLs",
		Verbs: withServe,
		bind:  func(o *Options) value { return onOff(&o.Route.PublicOnly) },
	}, {
		Name: "any-port", Help: "connect to ports of other protocols, too",
		bind: func(o *Options) value { return onOff(&o.Route.AnyPort) },
	},
}
