package option

var singleProtocols = []Flag{
	{
		Name: "ftp-method", Value: "multicwd|singlecwd|nocwd", Help: "change to a directory by a CWD for each segment, one, or none",
		Schemes: anyFTP, Scope: PerOrigin,
		bind: func(o *Options) value { return oneOf(&o.FTP.Method, "multicwd", "singlecwd", "nocwd") },
	}, {
		Name: "ftp-type", Value: "a|i", Help: "fetch files as text or as they are, if the URL has no type",
		Schemes: ftpFamily,
		bind:    func(o *Options) value { return oneOf(&o.FTP.Type, "a", "i") },
	}, {
		Name: "ftp-pasv", Help: "make the data connections",
		Schemes: anyFTP, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.FTP.Passive) },
	}, {
		Name: "ftp-port", Short: "P", Help: "let the server make the data connections",
		Schemes: anyFTP, Scope: PerOrigin,
		Not:  []Conflict{{Flags: "ftp-pasv", Why: "one side makes the data connections"}},
		bind: func(o *Options) value { return onOff(&o.FTP.Active) },
	}, {
		Name: "disable-epsv", Help: "request the port of a data connection by PASV only, not by EPSV",
		Schemes: anyFTP, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.FTP.NoEPSV) },
	}, {
		Name: "disable-eprt", Help: "with -P, tell the port of a data connection by PORT only, not by EPRT",
		Schemes: anyFTP, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.FTP.NoEPRT) },
	}, {
		Name: "ssh-key", Value: "FILE", Help: "log in with the private key in FILE, in place of those of ~/.ssh",
		Schemes: ssh, Scope: PerOrigin,
		bind: func(o *Options) value { return list(&o.SSH.Keys) },
	}, {
		Name: "ssh-config", Value: "FILE", Help: "take hosts, users, keys, jumps and host keys from FILE, in place of ~/.ssh/config",
		Schemes: ssh, Scope: PerOrigin,
		bind: func(o *Options) value { return text(&o.SSH.Config) },
	}, {
		Name: "knownhosts", Value: "FILE", Help: "take the keys of servers from FILE alone, in place of ~/.ssh/known_hosts",
		Schemes: ssh, Scope: PerOrigin,
		bind: func(o *Options) value { return text(&o.SSH.KnownHosts) },
	}, {
		Name: "accept-new-host-key", Help: "trust a server that is not known, and add its key to that file",
		Schemes: ssh, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.SSH.AcceptNew) },
	}, {
		Name: "hostpubsha256", Value: "SHA256", Help: "trust only a server whose key has this fingerprint",
		Schemes: ssh, Scope: PerOrigin,
		Not:  []Conflict{{Flags: "accept-new-host-key", Why: "one key is trusted, or any"}},
		bind: func(o *Options) value { return text(&o.SSH.HostKey) },
	}, {
		Name: "s3-endpoint", Value: "URL", Help: "use the S3 server at URL, in place of Amazon",
		Schemes: "s3", Scope: PerOrigin, Example: "http://127.0.0.1:1",
		bind: func(o *Options) value { return text(&o.S3.Endpoint) },
	}, {
		Name: "s3-region", Value: "NAME", Help: "look for buckets in the region NAME first (default us-east-1)",
		Schemes: "s3", Scope: PerOrigin, Example: "eu-west-1",
		bind: func(o *Options) value { return text(&o.S3.Region) },
	}, {
		Name: "s3-unsigned", Help: "sign no request, even with keys",
		Schemes: "s3", Scope: PerOrigin,
		Not:  []Conflict{{Flags: "user", Why: "a login is for signing"}},
		bind: func(o *Options) value { return onOff(&o.S3.Unsigned) },
	}, {
		Name: "news-server", Value: "HOST[:PORT]", Help: "use the server HOST[:PORT] for news URLs that name none",
		Verbs:   withServe,
		Schemes: "news snews mid cid", Empty: true,
		bind: func(o *Options) value { return text(&o.News.Server) },
	}, {
		Name: "in", Value: "FILE|URL", Help: "look in this message for the part that a cid URL names",
		Verbs:   oneByOne,
		Schemes: "cid", Scope: OneRun,
		bind: func(o *Options) value { return text(&o.News.In) },
	}, {
		Name: "view", Value: "TYPE[ LANG]", Help: "fetch the Gopher+ view TYPE[ LANG], as in \"text/plain De_DE\"",
		Verbs:   oneByOne,
		Schemes: Menus,
		Not:     []Conflict{{Flags: "form", Why: "a form has no other views"}},
		bind:    func(o *Options) value { return text(&o.Gopher.View) },
	}, {
		Name: "form", Value: "LABEL=VALUE", Help: "answer the field LABEL of a Gopher+ form",
		Verbs:   oneByOne,
		Schemes: Menus, Scope: OneRun, Secret: Answer, Example: "a=b",
		bind: func(o *Options) value { return list(&o.Gopher.Form) },
	}, {
		Name: "gemini-hosts", Value: "FILE", Help: "remember in FILE the certificates of Gemini servers",
		Schemes: "gemini " + Menus + " " + leading, WritesFile: true,
		bind: func(o *Options) value { return text(&o.Gemini.Hosts) },
	}, {
		Name: "like", Value: "URL", Help: "search for documents like that of the wais URL, too",
		Verbs:   oneByOne,
		Schemes: "wais",
		bind:    func(o *Options) value { return list(&o.WAIS.Like) },
	}, {
		Name: "max-hits", Value: "N", Help: "request at most N hits of a search",
		Verbs:   oneByOne,
		Schemes: "wais z39.50s", Example: "5",
		bind: func(o *Options) value { return &count{&o.WAIS.MaxHits, 1, 5000} },
	}, {
		Name: "tftp-blksize", Value: "BYTES", Help: "request a file in blocks of BYTES (default 1428)",
		Schemes: "tftp", Example: "512",
		bind: func(o *Options) value { return &count{&o.TFTP.BlockSize, 8, 65464} },
	}, {
		Name: "tftp-no-options", Help: "request files without options, for old servers",
		Schemes: "tftp",
		Not:     []Conflict{{Flags: "tftp-blksize", Why: "the size of a block is an option"}},
		bind:    func(o *Options) value { return onOff(&o.TFTP.NoOptions) },
	}, {
		Name: "urn", Value: "BEGINNING=URL", Help: "resolve names; {nss} or {urn} in URL is the name; * begins any",
		Verbs:   oneByOne,
		Schemes: "urn", Example: "x=http://127.0.0.1:1/{nss}",
		bind: func(o *Options) value { return table{&o.URN} },
	}, {
		Name: "connect", Help: "open the interactive service at this terminal; ^] leaves it",
		Verbs: "get", Schemes: sessions, Scope: OneRun, OneURL: Always,
		Not: []Conflict{
			{Flags: "banner", Why: "one is for people, the other for scripts"},
			{Flags: "output remote-name json", Why: "a session has no file and no record"},
		},
		bind: func(o *Options) value { return onOff(&o.Session.Connect) },
	}, {
		Name: "banner", Value: "N", Bare: "65536", Help: "write the first text of an interactive service, at most N bytes",
		Verbs: "get", Schemes: sessions, Example: "10",
		bind: func(o *Options) value { return atLeast(1, &o.Session.Banner) },
	}, {
		Name: "show-password", Help: "show the password that a URL suggests for an interactive service",
		Verbs:   oneByOne,
		Schemes: sessions,
		bind:    func(o *Options) value { return onOff(&o.Session.ShowPassword) },
	},
}
