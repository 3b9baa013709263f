package option

var singleProtocols = []Flag{
	{
		Name: "ftp-method", Value: "multicwd|singlecwd|nocwd", Help: "go to a directory by a CWD for each segment, one, or none",
		Schemes: anyFTP, Scope: PerOrigin,
		bind: func(o *Options) value { return oneOf(&o.FTP.Method, "multicwd", "singlecwd", "nocwd") },
	}, {
		Name: "ftp-type", Value: "a|i", Help: "fetch files as text or as they are, where the URL does not say",
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
		Name: "disable-epsv", Help: "ask for the port of a data connection by PASV only, not by EPSV",
		Schemes: anyFTP, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.FTP.NoEPSV) },
	}, {
		Name: "disable-eprt", Help: "with -P, tell the port of a data connection by PORT only, not by EPRT",
		Schemes: anyFTP, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.FTP.NoEPRT) },
	}, {
		Name: "news-server", Value: "HOST[:PORT]", Help: "ask HOST[:PORT] for news URLs that name no server",
		Schemes: "news snews mid cid", Empty: true,
		bind: func(o *Options) value { return text(&o.News.Server) },
	}, {
		Name: "in", Value: "FILE|URL", Help: "look in this message for the part that a cid URL names",
		Schemes: "cid", Scope: OneRun,
		bind: func(o *Options) value { return text(&o.News.In) },
	}, {
		Name: "view", Value: "TYPE[ LANG]", Help: "fetch the Gopher+ view TYPE[ LANG], as in \"text/plain De_DE\"",
		Schemes: Menus,
		Not:     []Conflict{{Flags: "form", Why: "a form has no other views"}},
		bind:    func(o *Options) value { return text(&o.Gopher.View) },
	}, {
		Name: "form", Value: "LABEL=VALUE", Help: "answer the field LABEL of a Gopher+ form",
		Schemes: Menus, Scope: OneRun, Secret: Answer, Example: "a=b",
		bind: func(o *Options) value { return list(&o.Gopher.Form) },
	}, {
		Name: "like", Value: "URL", Help: "search for documents like that of the wais URL, too",
		Schemes: "wais",
		bind:    func(o *Options) value { return list(&o.WAIS.Like) },
	}, {
		Name: "max-hits", Value: "N", Help: "ask a search for at most N hits",
		Schemes: "wais", Example: "5",
		bind: func(o *Options) value { return &count{&o.WAIS.MaxHits, 1, 5000} },
	}, {
		Name: "urn", Value: "BEGINNING=URL", Help: "resolve names; {nss} or {urn} in URL is the name; * begins any",
		Schemes: "urn", Example: "x=http://127.0.0.1:1/{nss}",
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
		Schemes: sessions,
		bind:    func(o *Options) value { return onOff(&o.Session.ShowPassword) },
	},
}
