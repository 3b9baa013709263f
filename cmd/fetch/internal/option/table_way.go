package option

var whichWay = []Flag{
	{
		Name: "location", Short: "L", Help: "follow redirections",
		Verbs: networkVerb, Schemes: Every,
		bind: func(o *Options) value { return onOff(&o.Follow.Location) },
	}, {
		Name: "max-redirs", Value: "N", Help: "follow at most N redirections; 0 keeps the first one",
		Verbs: networkVerb, Schemes: Every, Example: "2",
		bind: func(o *Options) value { return atLeast(0, &o.Follow.MaxRedirs) },
	}, {
		Name: "proto", Value: "LIST", Help: "fetch from the schemes in LIST only, as http,https; +ftp adds one, -ftp removes it",
		Verbs: networkVerb, Schemes: Every, Complete: SchemeNames, Example: "http",
		bind: func(o *Options) value { return &o.Follow.Proto },
	}, {
		Name: "proto-redir", Value: "LIST", Help: "follow redirections to the schemes in LIST only, which is as for --proto",
		Verbs: networkVerb, Schemes: Every, Complete: SchemeNames, Example: "http",
		bind: func(o *Options) value { return &o.Follow.ProtoRedir },
	}, {
		Name: "proxy", Short: "x", Value: "URL", Help: "go through the proxy URL: http, https, socks4, socks4a, socks5 or socks5h",
		Verbs: networkVerb, Schemes: remote, Scope: PerOrigin, Empty: true,
		Complete: "http:// https:// socks4:// socks4a:// socks5:// socks5h://", Example: "http://127.0.0.1:1",
		bind: func(o *Options) value { return text(&o.Proxy.URL) },
	}, {
		Name: "noproxy", Value: "LIST", Help: "use no proxy for the hosts in LIST; * is all",
		Verbs: networkVerb, Schemes: Every, Scope: PerOrigin, Empty: true,
		bind: func(o *Options) value { return text(&o.Proxy.NoProxy) },
	}, {
		Name: "proxy-user", Short: "U", Value: "NAME:PASSWORD", Help: "log in at the proxy as NAME:PASSWORD",
		Verbs: networkVerb, Schemes: remote, Scope: PerOrigin, Empty: true, Secret: Login,
		bind: func(o *Options) value { return text(&o.Proxy.User) },
	}, {
		Name: "proxy-basic", Help: "log in at an HTTP proxy by Basic, which is sent before it asks (default)",
		Verbs: networkVerb, Schemes: remote, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Proxy.Basic) },
	}, {
		Name: "proxy-digest", Help: "log in at an HTTP proxy by Digest only",
		Verbs: networkVerb, Schemes: remote, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Proxy.Digest) },
	}, {
		Name: "proxy-anyauth", Help: "log in at an HTTP proxy as it asks for, by Digest rather than Basic",
		Verbs: networkVerb, Schemes: remote, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Proxy.AnyAuth) },
	}, {
		Name: "proxytunnel", Short: "p", Help: "ask an HTTP proxy for tunnels only, not for URLs",
		Verbs: networkVerb, Schemes: remote, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Proxy.Tunnel) },
	}, {
		Name: "resolve", Value: "HOST:PORT:ADDR", Help: "take ADDR for the address of HOST for PORT",
		Verbs: networkVerb, Schemes: Every, Example: "h.example:80:127.0.0.1",
		bind: func(o *Options) value { return list(&o.Route.Resolve) },
	}, {
		Name: "connect-to", Value: "H:P:H2:P2", Help: "connect to H2:P2 instead of H:P; an empty part is any, or the same",
		Verbs: networkVerb, Schemes: Every, Example: "::127.0.0.1:1",
		bind: func(o *Options) value { return list(&o.Route.ConnectTo) },
	}, {
		Name: "interface", Value: "NAME", Help: "connect from NAME: a network interface, or an address of this machine",
		Verbs: networkVerb, Schemes: remote, Empty: true, Example: "127.0.0.1",
		bind: func(o *Options) value { return text(&o.Route.Interface) },
	}, {
		Name: "ipv4", Short: "4", Help: "use IPv4 addresses only",
		Verbs: networkVerb, Schemes: Every, Scope: PerOrigin,
		Not:  []Conflict{{Flags: "ipv6", Why: "no address is both"}},
		bind: func(o *Options) value { return onOff(&o.Route.IPv4) },
	}, {
		Name: "ipv6", Short: "6", Help: "use IPv6 addresses only",
		Verbs: networkVerb, Schemes: Every, Scope: PerOrigin,
		bind: func(o *Options) value { return onOff(&o.Route.IPv6) },
	}, {
		Name: "public-only", Help: "connect to public addresses only, after redirections too; refuse file URLs",
		Verbs: networkVerb, Schemes: Every,
		bind: func(o *Options) value { return onOff(&o.Route.PublicOnly) },
	}, {
		Name: "any-port", Help: "speak to ports that belong to other protocols, too",
		Verbs: networkVerb, Schemes: Every,
		bind: func(o *Options) value { return onOff(&o.Route.AnyPort) },
	},
}

var limits = []Flag{
	{
		Name: "connect-timeout", Value: "SECONDS", Help: "give up a connection that is not there after SECONDS; 0 is never",
		Verbs: networkVerb, Schemes: Every, Scope: PerOrigin, Example: "5",
		bind: func(o *Options) value { return inSeconds(&o.Route.ConnectTimeout) },
	}, {
		Name: "max-time", Short: "m", Value: "SECONDS", Help: "give up a URL after SECONDS; 0 is never",
		Verbs: networkVerb, Schemes: Every, Example: "5",
		bind: func(o *Options) value { return inSeconds(&o.Limits.MaxTime) },
	}, {
		Name: "stall-timeout", Value: "SECONDS", Help: "give up a connection that is silent for SECONDS; 0 is never",
		Verbs: networkVerb, Schemes: Every, Scope: PerOrigin, Example: "5",
		bind: func(o *Options) value { return inSeconds(&o.Route.StallTimeout) },
	}, {
		Name: "response-timeout", Value: "SECONDS", Help: "give up a reply or header that takes SECONDS, however it comes (default as --stall-timeout)",
		Verbs: networkVerb, Schemes: Every, Scope: PerOrigin, Example: "5",
		bind: func(o *Options) value { return inSeconds(&o.Route.ResponseTimeout) },
	}, {
		Name: "speed-limit", Short: "Y", Value: "N", Help: "give up a server that brings less than N bytes a second for the time of -y",
		Verbs: networkVerb, Schemes: Every, Example: "1",
		bind: func(o *Options) value { return inBytes(&o.Limits.SpeedLimit) },
	}, {
		Name: "speed-time", Short: "y", Value: "SECONDS", Help: "measure -Y over SECONDS (default 30); alone, for 1 byte a second",
		Verbs: networkVerb, Schemes: Every, Example: "5",
		bind: func(o *Options) value { return inSeconds(&o.Limits.SpeedTime) },
	}, {
		Name: "limit-rate", Value: "N", Help: "take at most N bytes a second of all URLs; k, M and G are understood",
		Verbs: networkVerb, Schemes: Every, Example: "1M",
		bind: func(o *Options) value { return inBytes(&o.Limits.Rate) },
	}, {
		Name: "max-filesize", Value: "N", Help: "refuse what has more than N bytes; k, M and G are understood; 0 is no limit",
		Verbs: networkVerb, Schemes: Every, Example: "1",
		bind: func(o *Options) value { return inBytes(&o.Limits.MaxFilesize) },
	}, {
		Name: "max-header", Value: "N", Help: "refuse a reply or header of more than N bytes; 0 is the default, 256k for HTTP, less elsewhere",
		Verbs: networkVerb, Schemes: Every, Scope: PerOrigin, Example: "1",
		bind: func(o *Options) value { return inBytes(&o.Route.MaxHeader) },
	}, {
		Name: "max-listing", Value: "N", Help: "end a listing of more than N bytes with an error; 0 is no limit",
		Verbs: networkVerb, Schemes: Every, Example: "1",
		bind: func(o *Options) value { return inBytes(&o.Limits.MaxListing) },
	}, {
		Name: "retry", Value: "N", Help: "try again at most N times after a failure that may pass",
		Verbs: networkVerb, Schemes: Every, Example: "0",
		bind: func(o *Options) value { return atLeast(0, &o.Retry.Max) },
	}, {
		Name: "retry-delay", Value: "SECONDS", Help: "wait SECONDS before each of them, rather than ever longer",
		Verbs: networkVerb, Schemes: Every, Example: "1",
		bind: func(o *Options) value { return inSeconds(&o.Retry.Delay) },
	}, {
		Name: "retry-max-time", Value: "SECONDS", Help: "begin no try later than SECONDS after the first",
		Verbs: networkVerb, Schemes: Every, Example: "1",
		bind: func(o *Options) value { return inSeconds(&o.Retry.MaxTime) },
	}, {
		Name: "parallel-max", Short: "j", Value: "N", Help: "fetch at most N URLs at the same time, if they go to files",
		Verbs: "get", Schemes: Every, ForFiles: Always, Example: "2",
		bind: func(o *Options) value { return atLeast(1, &o.Files.ParallelMax) },
	}, {
		Name: "per-host", Value: "N", Help: "fetch at most N of them at the same time from one host",
		Verbs: "get", Schemes: Every, ForFiles: Always, Example: "2",
		bind: func(o *Options) value { return atLeast(1, &o.Files.PerHost) },
	},
}

var output = []Flag{
	{
		Name: "silent", Short: "s", Help: "say nothing, not even why something failed",
		Verbs: everyVerb, Schemes: Every,
		Not:  []Conflict{{Flags: "progress=bar progress=plain", Why: "nothing is to be said"}},
		bind: func(o *Options) value { return onOff(&o.Output.Silent) },
	}, {
		Name: "show-error", Short: "S", Help: "say why something failed, also with -s",
		Verbs: everyVerb, Schemes: Every,
		bind: func(o *Options) value { return onOff(&o.Output.ShowError) },
	}, {
		Name: "verbose", Short: "v", Help: "say what is sent (>), received (<) and done (*)",
		Verbs: networkVerb, Schemes: Every,
		bind: func(o *Options) value { return onOff(&o.Output.Verbose) },
	}, {
		Name: "progress", Value: "auto|bar|plain|none", Help: "show how far downloads are; auto is bar for files at a terminal",
		Verbs: "get", Schemes: Every,
		bind: func(o *Options) value { return oneOf(&o.Output.Progress, "auto", "bar", "plain", "none") },
	}, {
		Name: "json", Help: "write a JSON record for each URL, or for each entry of a listing",
		Verbs: everyVerb, Schemes: Every,
		bind: func(o *Options) value { return onOff(&o.Output.JSON) },
	}, {
		Name: "events", Value: "FILE", Help: "write to FILE what happens when it happens, a JSON object a line",
		Verbs: "get info", Schemes: Every, Scope: OneRun, WritesFile: true,
		bind: func(o *Options) value { return text(&o.Output.Events) },
	}, {
		Name: "trace", Value: "FILE", Help: "write to FILE what goes over the wire for one URL, as a script to play again",
		Verbs: networkVerb, Schemes: Every, Scope: OneRun, OneURL: Always, WritesFile: true,
		Not: []Conflict{
			{Flags: "ftp-port ftp-pasv=false", Why: "a script has no server that connects"},
			{Flags: "http2", Why: "a script has no frames"},
			{Flags: "segments!=1", Why: "a script has one connection after the other"},
		},
		bind: func(o *Options) value { return text(&o.Output.Trace) },
	}, {
		Name: "raw", Help: "write what came over the wire: listings as sent, text unescaped",
		Verbs: "get ls", Schemes: Every,
		bind: func(o *Options) value { return onOff(&o.Output.Raw) },
	}, {
		Name: "dry-run", Help: "say what would be fetched, and to which file, without any network",
		Verbs: "get", Schemes: Every, Scope: OneRun,
		Not: []Conflict{
			{Flags: "events trace", Why: "nothing happens that could be told"},
			{Flags: "decode connect", Why: "nothing is known before anything is fetched"},
		},
		bind: func(o *Options) value { return onOff(&o.Output.DryRun) },
	}, {
		Name: "config", Value: "FILE", Help: "take values for flags from FILE instead of config.toml",
		Verbs: networkVerb, Schemes: Every, Scope: OneRun,
		Not:  []Conflict{{Flags: "no-config", Why: "there is a file or none"}},
		bind: func(o *Options) value { return text(&o.Config.File) },
	}, {
		Name: "no-config", Help: "take values for flags from no file",
		Verbs: networkVerb, Schemes: Every, Scope: OneRun,
		bind: func(o *Options) value { return onOff(&o.Config.Off) },
	}, {
		Name: "help", Short: "h", Help: "print the help of the command",
		Schemes: Every, Scope: OneRun,
		bind: func(o *Options) value { return onOff(&o.Output.Help) },
	},
}
