package option

var output = []Flag{
	{
		Name: "silent", Short: "s", Help: "write no messages, not even errors",
		Verbs: reporting + " " + serveVerb + " " + Work,
		Not:   []Conflict{{Flags: "progress=bar progress=plain", Why: "-s writes no messages"}},
		bind:  func(o *Options) value { return onOff(&o.Output.Silent) },
	}, {
		Name: "show-error", Short: "S", Help: "write errors, also with -s",
		Verbs: reporting + " " + serveVerb + " " + Work,
		bind:  func(o *Options) value { return onOff(&o.Output.ShowError) },
	}, {
		Name: "verbose", Short: "v", Help: "show lines sent (>) and received (<), and other events (*)",
		bind: func(o *Options) value { return onOff(&o.Output.Verbose) },
	}, {
		Name: "progress", Value: "auto|bar|plain|none", Help: "show how far downloads are; auto is bar for files at a terminal",
		Verbs: "get mirror",
		bind:  func(o *Options) value { return oneOf(&o.Output.Progress, "auto", "bar", "plain", "none") },
	}, {
		Name: "json", Help: "write a JSON record for each URL, or for each entry of a listing",
		Verbs: reporting,
		Not:   []Conflict{{Flags: "raw", Why: "entries have one form", Verbs: "ls"}},
		bind:  func(o *Options) value { return onOff(&o.Output.JSON) },
	}, {
		Name: "dump-header", Short: "D", Value: "FILE", Help: "write the status line and header fields of each answer to FILE; - is standard output",
		Verbs: "get info", Schemes: weblike, Scope: OneRun, WritesFile: true, ToStdout: true,
		Not: []Conflict{
			{Flags: "dry-run", Why: "no server answers"},
			{If: "=-", Flags: "json show-headers", Why: "both write to standard output"},
		},
		bind: func(o *Options) value { return text(&o.Output.DumpHeader) },
	}, {
		Name: "show-headers", Help: "write the status line and header fields of each answer before the body",
		Verbs: "get", Schemes: weblike, Scope: OneRun,
		Not: []Conflict{
			{Flags: "dry-run", Why: "no server answers"},
			{Flags: "output!=[-] remote-name decode input-file", Why: "a file has the body alone: -D FILE writes the headers to another"},
			{Flags: "json", Why: "both write to standard output"},
		},
		bind: func(o *Options) value { return onOff(&o.Output.ShowHeaders) },
	}, {
		Name: "write-out", Short: "w", Value: "FORMAT", Help: "write FORMAT after each URL, with its variables; @FILE reads it; see fetch help variables",
		Verbs: "get info", Empty: true, Example: "%{http_code}",
		Not: []Conflict{
			{Flags: "dry-run", Why: "a dry run has no events"},
			{Flags: "json", Why: "both write about each URL: %{json} is the record"},
		},
		bind: func(o *Options) value { return text(&o.Output.WriteOut) },
	}, {
		Name: "events", Value: "FILE", Help: "write each event to FILE when it happens, a JSON object a line",
		Verbs: "get info", Scope: OneRun, WritesFile: true,
		bind: func(o *Options) value { return text(&o.Output.Events) },
	}, {
		Name: "trace", Value: "FILE", Help: "write the bytes on the wire for one URL to FILE, as a script to play again",
		Verbs: oneByOne,
		Scope: OneRun, OneURL: Always, WritesFile: true,
		Not: []Conflict{
			{Flags: "ftp-port ftp-pasv=false", Why: "a script has no server that connects"},
			{Flags: "http2", Why: "a script has no frames"},
			{Flags: "segments!=1", Why: "a script has one connection after the other"},
		},
		bind: func(o *Options) value { return text(&o.Output.Trace) },
	}, {
		Name: "raw", Help: "write the bytes as sent: listings and messages undecoded, text unescaped",
		Verbs: "get ls",
		bind:  func(o *Options) value { return onOff(&o.Output.Raw) },
	}, {
		Name: "dry-run", Help: "print the URLs and files of a fetch, without any network",
		Verbs: "get mirror", Scope: OneRun,
		Not: []Conflict{
			{Flags: "events trace", Why: "a dry run has no events"},
			{Flags: "decode connect", Why: "the answer depends on a fetch"},
		},
		bind: func(o *Options) value { return onOff(&o.Output.DryRun) },
	}, {
		Name: "config", Value: "FILE", Help: "take values for flags from FILE instead of config.toml",
		Verbs: withServe,
		Scope: OneRun,
		Not:   []Conflict{{Flags: "no-config", Why: "there is a file or none"}},
		bind:  func(o *Options) value { return text(&o.Config.File) },
	}, {
		Name: "no-config", Help: "read no configuration",
		Verbs: withServe,
		Scope: OneRun,
		bind:  func(o *Options) value { return onOff(&o.Config.Off) },
	}, {
		Name: "help", Short: "h", Help: "print the help of the command",
		Verbs: anyVerb, Scope: OneRun,
		bind: func(o *Options) value { return onOff(&o.Output.Help) },
	},
}
