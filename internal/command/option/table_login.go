package option

var logins = []Flag{
	{
		Name: "user", Short: "u", Value: "NAME[:PASSWORD]", Help: "log in as NAME[:PASSWORD]",
		Schemes: withUser, Scope: OnlyOrigin, Empty: true, Secret: Login, NotForStrangers: true,
		bind: func(o *Options) value { return text(&o.Logins.User) },
	}, {
		Name: "basic", Help: "log in by Basic only",
		Schemes: weblike, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Logins.Basic) },
	}, {
		Name: "digest", Help: "log in by Digest only",
		Schemes: weblike, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Logins.Digest) },
	}, {
		Name: "ntlm", Help: "log in by NTLM only, which is weak",
		Schemes: weblike, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Logins.NTLM) },
	}, {
		Name: "anyauth", Help: "log in by Digest if the server has it, or else by Basic (default)",
		Schemes: weblike, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Logins.AnyAuth) },
	}, {
		Name: "netrc", Short: "n", Help: "take logins from ~/.netrc or $NETRC, which must be there",
		Verbs:   withServe,
		Schemes: withUser + " " + leading,
		bind:    func(o *Options) value { return onOff(&o.Logins.Netrc) },
	}, {
		Name: "netrc-file", Value: "FILE", Help: "take logins from FILE",
		Verbs:   withServe,
		Schemes: withUser + " " + leading,
		bind:    func(o *Options) value { return text(&o.Logins.NetrcFile) },
	}, {
		Name: "netrc-optional", Help: "take logins from that file if it is there",
		Verbs: withServe,
		bind:  func(o *Options) value { return onOff(&o.Logins.NetrcOptional) },
	},
}

var security = []Flag{
	{
		Name: "ssl", Help: "use TLS where the server has it",
		Schemes: "http https ftp prospero news nntp mid cid", Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.TLS.SSL) },
	}, {
		Name: "ssl-reqd", Help: "use TLS, or fetch nothing",
		Schemes: Encrypted, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.TLS.SSLReqd) },
	}, {
		Name: "insecure", Short: "k", Help: "trust any certificate",
		Schemes: secured, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.TLS.Insecure) },
	}, {
		Name: "cacert", Value: "FILE", Help: "trust the authorities in FILE (PEM), and no others",
		Schemes: secured, Scope: PerOrigin,
		bind: func(o *Options) value { return text(&o.TLS.CACert) },
	}, {
		Name: "cert", Value: "FILE", Help: "show the certificate in FILE (PEM) to the origin of each URL, but to no other",
		Schemes: secured, Scope: OnlyOrigin, Secret: Login,
		bind: func(o *Options) value { return text(&o.TLS.Cert) },
	}, {
		Name: "key", Value: "FILE", Help: "take its key from FILE (PEM), if it is not in that of --cert",
		Schemes: secured, Scope: OnlyOrigin, Needs: "cert",
		bind: func(o *Options) value { return text(&o.TLS.Key) },
	}, {
		Name: "tlsv1.2", Help: "use TLS 1.2 or later (default)",
		Schemes: secured, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.TLS.Min12) },
	}, {
		Name: "tlsv1.3", Help: "use TLS 1.3 or later",
		Schemes: secured, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.TLS.Min13) },
	}, {
		Name: "tls-max", Value: "VERSION", Help: "use TLS up to VERSION: 1.2, 1.3 or default; there is none before 1.2",
		Schemes: secured, Scope: PerOrigin, Complete: "1.2 1.3 default", Example: "1.2",
		bind: func(o *Options) value { return text(&o.TLS.Max) },
	}, {
		Name: "ciphers", Value: "LIST", Help: "offer for TLS 1.2 the ciphers in LIST only, as ECDHE-RSA-AES128-GCM-SHA256:…",
		Schemes: secured, Scope: PerOrigin, Example: "AES128-SHA",
		Not:  []Conflict{{Flags: "tlsv1.3", Why: "TLS 1.3 has ciphers of its own, and all of them are offered"}},
		bind: func(o *Options) value { return text(&o.TLS.Ciphers) },
	}, {
		Name: "curves", Value: "LIST", Help: "offer the key exchanges in LIST only, as X25519:P-256",
		Schemes: secured, Scope: PerOrigin, Example: "P-256",
		bind: func(o *Options) value { return text(&o.TLS.Curves) },
	}, {
		Name: "pinnedpubkey", Value: "HASHES|FILE", Help: "accept only servers whose key is in HASHES, as sha256//BASE64;…, or in FILE (PEM or DER)",
		Schemes: secured, Scope: PerOrigin,
		bind: func(o *Options) value { return text(&o.TLS.Pinned) },
	}, {
		Name: "crlfile", Value: "FILE", Help: "refuse certificates that the lists in FILE (PEM) revoke; each authority needs a list",
		Schemes: secured, Scope: PerOrigin,
		Not:  []Conflict{{Flags: "insecure", Why: "any certificate is trusted, or those that are not revoked"}},
		bind: func(o *Options) value { return text(&o.TLS.CRLFile) },
	},
}
