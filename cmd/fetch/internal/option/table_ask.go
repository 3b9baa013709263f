package option

var howToAsk = []Flag{
	{
		Name: "header", Short: "H", Value: "NAME: VALUE", Help: "send the field NAME: VALUE; without a value, leave the field out",
		Verbs: networkVerb, Schemes: Web, Scope: PerOrigin, Secret: Field, Example: "X-Test: x",
		bind: func(o *Options) value { return list(&o.Ask.Headers) },
	}, {
		Name: "user-agent", Short: "A", Value: "NAME", Help: "call this program NAME",
		Verbs: networkVerb, Schemes: Web, Scope: PerOrigin, Empty: true,
		bind: func(o *Options) value { return text(&o.Ask.UserAgent) },
	}, {
		Name: "referer", Short: "e", Value: "URL", Help: "say that URL led here",
		Verbs: networkVerb, Schemes: Web, Scope: PerOrigin, Empty: true, Secret: FieldValue,
		bind: func(o *Options) value { return text(&o.Ask.Referer) },
	}, {
		Name: "cookie", Short: "b", Value: "NAME=VALUE|FILE", Help: "send the cookies NAME=VALUE; NAME2=VALUE2, or those of FILE",
		Verbs: networkVerb, Schemes: Web, Scope: OnlyOrigin, Empty: true, Secret: FieldValue, Example: "a=b",
		bind: func(o *Options) value { return text(&o.Ask.Cookie) },
	}, {
		Name: "cookie-jar", Short: "c", Value: "FILE", Help: "write all cookies to FILE at the end",
		Verbs: networkVerb, Schemes: weblike, WritesFile: true,
		bind: func(o *Options) value { return text(&o.Ask.CookieJar) },
	}, {
		Name: "hsts", Value: "FILE", Help: "keep in FILE which hosts want https, and go there by https",
		Verbs: networkVerb, Schemes: weblike, WritesFile: true,
		bind: func(o *Options) value { return text(&o.Ask.HSTS) },
	}, {
		Name: "compressed", Help: "let the server compress what it sends (default for what is shown)",
		Verbs: networkVerb, Schemes: Web,
		bind: func(o *Options) value { return onOff(&o.Ask.Compressed) },
	}, {
		Name: "fail", Short: "f", Help: "deliver no body of an HTTP error",
		Verbs: networkVerb, Schemes: Every,
		Not:  []Conflict{{Flags: "no-fail", Why: "the body of an error is delivered or not"}},
		bind: func(o *Options) value { return onOff(&o.Ask.Fail) },
	}, {
		Name: "no-fail", Help: "deliver the body of an HTTP error",
		Verbs: networkVerb, Schemes: Web,
		bind: func(o *Options) value { return onOff(&o.Ask.NoFail) },
	}, {
		Name: "http1.1", Help: "speak HTTP/1.1 only (default for files)",
		Verbs: networkVerb, Schemes: weblike, Scope: PerOrigin,
		Not:  []Conflict{{Flags: "http2", Why: "a connection has one version"}},
		bind: func(o *Options) value { return onOff(&o.Ask.HTTP1) },
	}, {
		Name: "http2", Help: "speak HTTP/2 where the server does (default but for files)",
		Verbs: networkVerb, Schemes: weblike, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Ask.HTTP2) },
	},
}

var logins = []Flag{
	{
		Name: "user", Short: "u", Value: "NAME[:PASSWORD]", Help: "log in as NAME[:PASSWORD]",
		Verbs: networkVerb, Schemes: withUser, Scope: OnlyOrigin, Empty: true, Secret: Login,
		bind: func(o *Options) value { return text(&o.Logins.User) },
	}, {
		Name: "basic", Help: "log in by Basic only",
		Verbs: networkVerb, Schemes: weblike, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Logins.Basic) },
	}, {
		Name: "digest", Help: "log in by Digest only",
		Verbs: networkVerb, Schemes: weblike, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Logins.Digest) },
	}, {
		Name: "anyauth", Help: "log in as the server asks for, by Digest rather than Basic (default)",
		Verbs: networkVerb, Schemes: weblike, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Logins.AnyAuth) },
	}, {
		Name: "netrc", Short: "n", Help: "take logins from ~/.netrc or $NETRC, which must be there",
		Verbs: networkVerb, Schemes: withUser + " " + leading,
		bind: func(o *Options) value { return onOff(&o.Logins.Netrc) },
	}, {
		Name: "netrc-file", Value: "FILE", Help: "take logins from FILE",
		Verbs: networkVerb, Schemes: withUser + " " + leading,
		bind: func(o *Options) value { return text(&o.Logins.NetrcFile) },
	}, {
		Name: "netrc-optional", Help: "take logins from that file if it is there",
		Verbs: networkVerb, Schemes: Every,
		bind: func(o *Options) value { return onOff(&o.Logins.NetrcOptional) },
	},
}

var security = []Flag{
	{
		Name: "ssl", Help: "use TLS where the server has it",
		Verbs: networkVerb, Schemes: "http https ftp prospero news nntp mid cid", Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.TLS.SSL) },
	}, {
		Name: "ssl-reqd", Help: "use TLS, or fetch nothing",
		Verbs: networkVerb, Schemes: Encrypted, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.TLS.SSLReqd) },
	}, {
		Name: "insecure", Short: "k", Help: "trust any certificate",
		Verbs: networkVerb, Schemes: secured, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.TLS.Insecure) },
	}, {
		Name: "cacert", Value: "FILE", Help: "trust the authorities in FILE (PEM), and no others",
		Verbs: networkVerb, Schemes: secured, Scope: PerOrigin,
		bind: func(o *Options) value { return text(&o.TLS.CACert) },
	}, {
		Name: "cert", Value: "FILE", Help: "show the certificate in FILE (PEM) to the origin of each URL, but to no other",
		Verbs: networkVerb, Schemes: secured, Scope: OnlyOrigin, Secret: Login,
		bind: func(o *Options) value { return text(&o.TLS.Cert) },
	}, {
		Name: "key", Value: "FILE", Help: "take its key from FILE (PEM), if it is not in that of --cert",
		Verbs: networkVerb, Schemes: secured, Scope: OnlyOrigin, Needs: "cert",
		bind: func(o *Options) value { return text(&o.TLS.Key) },
	}, {
		Name: "tlsv1.2", Help: "use TLS 1.2 or later (default)",
		Verbs: networkVerb, Schemes: secured, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.TLS.Min12) },
	}, {
		Name: "tlsv1.3", Help: "use TLS 1.3 or later",
		Verbs: networkVerb, Schemes: secured, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.TLS.Min13) },
	},
}

var singleProtocols = []Flag{
	{
		Name: "ftp-method", Value: "multicwd|singlecwd|nocwd", Help: "go to a directory by a CWD for each segment, one, or none",
		Verbs: networkVerb, Schemes: anyFTP, Scope: PerOrigin,
		bind: func(o *Options) value { return oneOf(&o.FTP.Method, "multicwd", "singlecwd", "nocwd") },
	}, {
		Name: "ftp-type", Value: "a|i", Help: "fetch files as text or as they are, where the URL does not say",
		Verbs: networkVerb, Schemes: ftpFamily,
		bind: func(o *Options) value { return oneOf(&o.FTP.Type, "a", "i") },
	}, {
		Name: "ftp-pasv", Help: "make the data connections",
		Verbs: networkVerb, Schemes: anyFTP, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.FTP.Passive) },
	}, {
		Name: "ftp-port", Short: "P", Help: "let the server make the data connections",
		Verbs: networkVerb, Schemes: anyFTP, Scope: PerOrigin,
		Not:  []Conflict{{Flags: "ftp-pasv", Why: "one side makes the data connections"}},
		bind: func(o *Options) value { return onOff(&o.FTP.Active) },
	}, {
		Name: "news-server", Value: "HOST[:PORT]", Help: "ask HOST[:PORT] for news URLs that name no server",
		Verbs: networkVerb, Schemes: "news snews mid cid", Empty: true,
		bind: func(o *Options) value { return text(&o.News.Server) },
	}, {
		Name: "in", Value: "FILE|URL", Help: "look in this message for the part that a cid URL names",
		Verbs: networkVerb, Schemes: "cid", Scope: OneRun,
		bind: func(o *Options) value { return text(&o.News.In) },
	}, {
		Name: "view", Value: "TYPE[ LANG]", Help: "fetch the Gopher+ view TYPE[ LANG], as in \"text/plain De_DE\"",
		Verbs: networkVerb, Schemes: Menus,
		Not:  []Conflict{{Flags: "form", Why: "a form has no other views"}},
		bind: func(o *Options) value { return text(&o.Gopher.View) },
	}, {
		Name: "form", Value: "LABEL=VALUE", Help: "answer the field LABEL of a Gopher+ form",
		Verbs: networkVerb, Schemes: Menus, Scope: OneRun, Secret: Answer, Example: "a=b",
		bind: func(o *Options) value { return list(&o.Gopher.Form) },
	}, {
		Name: "like", Value: "URL", Help: "search for documents like that of the wais URL, too",
		Verbs: networkVerb, Schemes: "wais",
		bind: func(o *Options) value { return list(&o.WAIS.Like) },
	}, {
		Name: "max-hits", Value: "N", Help: "ask a search for at most N hits",
		Verbs: networkVerb, Schemes: "wais", Example: "5",
		bind: func(o *Options) value { return &count{&o.WAIS.MaxHits, 1, 5000} },
	}, {
		Name: "urn", Value: "BEGINNING=URL", Help: "resolve names; {nss} or {urn} in URL is the name; * begins any",
		Verbs: networkVerb, Schemes: "urn", Example: "x=http://127.0.0.1:1/{nss}",
		bind: func(o *Options) value { return table{&o.URN} },
	}, {
		Name: "connect", Help: "open the interactive service at this terminal; ^] leaves it",
		Verbs: "get", Schemes: sessions, Scope: OneRun, OneURL: Always,
		Not: []Conflict{
			{Flags: "banner", Why: "one is for people, the other for scripts"},
			{Flags: "output remote-name json", Why: "a conversation leaves nothing for a file or a record"},
		},
		bind: func(o *Options) value { return onOff(&o.Session.Connect) },
	}, {
		Name: "banner", Value: "N", Bare: "65536", Help: "write what an interactive service says first, at most N bytes",
		Verbs: "get", Schemes: sessions, Example: "10",
		bind: func(o *Options) value { return atLeast(1, &o.Session.Banner) },
	}, {
		Name: "show-password", Help: "say the password that a URL suggests for an interactive service",
		Verbs: networkVerb, Schemes: sessions,
		bind: func(o *Options) value { return onOff(&o.Session.ShowPassword) },
	},
}
