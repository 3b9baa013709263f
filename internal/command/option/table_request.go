package option

var howToAsk = []Flag{
	{
		Name: "header", Short: "H", Value: "NAME: VALUE|@FILE", Help: "send the field NAME: VALUE; NAME: leaves it out, NAME; sends it empty",
		Schemes: Web, Scope: PerOrigin, Secret: Field, NotForStrangers: true, Example: "X-Test: x",
		bind: func(o *Options) value { return list(&o.Ask.Headers) },
	}, {
		Name: "user-agent", Short: "A", Value: "NAME", Help: "set the field User-Agent to NAME",
		Schemes: Web, Scope: PerOrigin, Empty: true, Field: "User-Agent",
		bind: func(o *Options) value { return text(&o.Ask.UserAgent) },
	}, {
		Name: "referer", Short: "e", Value: "URL", Help: "set the field Referer to URL",
		Schemes: Web, Scope: PerOrigin, Empty: true, Field: "Referer", Secret: FieldValue,
		bind: func(o *Options) value { return text(&o.Ask.Referer) },
	}, {
		Name: "cookie", Short: "b", Value: "NAME=VALUE|FILE", Help: "send NAME=VALUE; NAME2=VALUE2 or the cookies of FILE, and those set on the way",
		Schemes: Web, Scope: OnlyOrigin, Empty: true, Field: "Cookie", Secret: FieldValue, NotForStrangers: true, Example: "a=b",
		bind: func(o *Options) value { return list(&o.Ask.Cookies) },
	}, {
		Name: "cookie-jar", Short: "c", Value: "FILE", Help: "write all cookies to FILE at the end",
		Schemes: weblike, WritesFile: true,
		bind: func(o *Options) value { return text(&o.Ask.CookieJar) },
	}, {
		Name: "hsts", Value: "FILE", Help: "remember in FILE the hosts that require https, and use https for them",
		Schemes: weblike, WritesFile: true,
		bind: func(o *Options) value { return text(&o.Ask.HSTS) },
	}, {
		Name: "url-query", Value: "DATA", Help: "add DATA to the query: NAME=TEXT, TEXT or NAME@FILE is escaped, +QUERY is not",
		Verbs: "get info", Schemes: Web, Scope: OneRun, NotForStrangers: true, Example: "a=b",
		bind: func(o *Options) value { return list(&o.Ask.Queries) },
	}, {
		Name: "path-as-is", Help: "leave . and .. in the path of the URL that is given",
		Schemes: Web,
		bind:    func(o *Options) value { return onOff(&o.Ask.PathAsIs) },
	}, {
		Name: "request-target", Value: "TARGET", Help: "request TARGET in place of the path and query of the URL, after redirections too",
		Verbs: "get info", Schemes: Web, Scope: OneRun, NotForStrangers: true, Example: "/x",
		Not:  []Conflict{{Flags: "mirror-url", Why: "a mirror has a path of its own"}},
		bind: func(o *Options) value { return text(&o.Ask.Target) },
	}, {
		Name: "compressed", Help: "let the server compress the body (default at a terminal)",
		Verbs:   oneByOne,
		Schemes: Web,
		bind:    func(o *Options) value { return onOff(&o.Ask.Compressed) },
	}, {
		Name: "fail", Short: "f", Help: "deliver no body of an HTTP error",
		Verbs: oneByOne,
		Not:   []Conflict{{Flags: "no-fail", Why: "the body of an error is delivered or not"}},
		bind:  func(o *Options) value { return onOff(&o.Ask.Fail) },
	}, {
		Name: "no-fail", Help: "deliver the body of an HTTP error, and of a redirection that is not followed",
		Verbs:   oneByOne,
		Schemes: Web,
		bind:    func(o *Options) value { return onOff(&o.Ask.NoFail) },
	}, {
		Name: "http1.0", Short: "0", Help: "use HTTP/1.0 only",
		Schemes: weblike, Scope: PerOrigin,
		Not:  []Conflict{{Flags: "http1.1 http2", Why: "a connection has one version"}},
		bind: func(o *Options) value { return onOff(&o.Ask.HTTP10) },
	}, {
		Name: "ignore-content-length", Help: "read to the end of the connection, and ignore Content-Length",
		Schemes: weblike, Scope: PerOrigin,
		Not:  []Conflict{{Flags: "http2", Why: "frames tell where a body ends"}},
		bind: func(o *Options) value { return onOff(&o.Ask.NoLength) },
	}, {
		Name: "http1.1", Help: "use HTTP/1.1 only (default for a few files)",
		Schemes: weblike, Scope: PerOrigin,
		Not:  []Conflict{{Flags: "http2", Why: "a connection has one version"}},
		bind: func(o *Options) value { return onOff(&o.Ask.HTTP1) },
	}, {
		Name: "http2", Help: "use HTTP/2 if the server has it (default for many files of a host, and for none)",
		Schemes: weblike, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Ask.HTTP2) },
	},
}
