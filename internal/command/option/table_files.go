package option

var whereItGoes = []Flag{
	{
		Name: "output", Short: "o", Value: "FILE", Help: "write to FILE, once for each URL; - is standard output; fetch help names has {host}/{path}",
		Verbs: "get", Scope: OneRun,
		Not:  []Conflict{{Flags: "remote-name", Why: "a file has one name"}},
		bind: func(o *Options) value { return list(&o.Files.Outputs) },
	}, {
		Name: "remote-name", Short: "O", Help: "write to a file named as in the URL; number it if there is one",
		Verbs: "get",
		bind:  func(o *Options) value { return onOff(&o.Files.RemoteName) },
	}, {
		Name: "remote-header-name", Short: "J", Help: "with -O, prefer the name that the server suggests",
		Verbs: "get", Schemes: weblike + " mid cid", Needs: "remote-name",
		Not:  []Conflict{{Flags: "timestamping continue-at=-", Why: "a file can be compared only if its name is known"}},
		bind: func(o *Options) value { return onOff(&o.Files.RemoteHeaderName) },
	}, {
		Name: "output-dir", Value: "DIR", Help: "put files into DIR, unless their name is absolute",
		Verbs: "get", ForFiles: Always,
		bind: func(o *Options) value { return text(&o.Files.Dir) },
	}, {
		Name: "create-dirs", Help: "make the directories in the names of files",
		Verbs: "get", ForFiles: Always,
		bind: func(o *Options) value { return onOff(&o.Files.CreateDirs) },
	}, {
		Name: "no-clobber", Help: "keep a file that exists and number the new one, as -O does",
		Verbs: "get mirror", ForFiles: Always,
		Not:  []Conflict{{Flags: "overwrite timestamping continue-at!=-", Why: "a file that exists is kept or replaced"}},
		bind: func(o *Options) value { return onOff(&o.Files.NoClobber) },
	}, {
		Name: "skip-existing", Help: "leave out a URL whose file exists, with any content",
		Verbs: "get", ForFiles: Always,
		Not: []Conflict{
			{Flags: "no-clobber overwrite timestamping continue-at", Why: "a file that exists is left alone, and its URL is not fetched"},
			{Flags: "checksum", Why: "a file that exists is not looked at"},
			{Flags: "remote-header-name", Why: "a file can be skipped only if its name is known"},
		},
		bind: func(o *Options) value { return onOff(&o.Files.SkipExisting) },
	}, {
		Name: "overwrite", Help: "replace a file that exists, as -o does",
		Verbs: "get mirror", ForFiles: Always,
		bind: func(o *Options) value { return onOff(&o.Files.Overwrite) },
	}, {
		Name: "timestamping", Short: "N", Help: "fetch only if newer than the file or of another size; set its time",
		Verbs: "get", ForFiles: Always,
		bind: func(o *Options) value { return onOff(&o.Files.Timestamping) },
	}, {
		Name: "remote-time", Short: "R", Help: "give the file the time that the resource has on the server",
		Verbs: "get", Schemes: dated, ForFiles: Always,
		bind: func(o *Options) value { return onOff(&o.Files.RemoteTime) },
	}, {
		Name: "decode", Help: "write the files in articles and messages: MIME, yEnc, uuencode",
		Verbs: "get", Scope: OneRun,
		Not: []Conflict{
			{Flags: "output remote-name", Why: "files are named in the message"},
			{Flags: "overwrite skip-existing timestamping remote-time continue-at checksum mirror-url segments range raw state etag-save", Why: "the files are in a message, and the URL names the message"},
			{Flags: "progress=bar progress=plain", Why: "the sizes of the files in a message are not known"},
			{Flags: "connect banner", Why: "a service is no message"},
		},
		bind: func(o *Options) value { return onOff(&o.Files.Decode) },
	},
}

var whatToGet = []Flag{
	{
		Name: "input-file", Short: "i", Value: "FILE", Help: "read URLs from FILE, one a line, or a Metalink; - is standard input",
		Verbs: withParse, Scope: OneRun,
		bind: func(o *Options) value { return text(&o.Input.List) },
	}, {
		Name: "glob", Help: "fetch all URLs that {a,b}, [1-10], [001-100:2] or [a-z] in an argument stand for",
		Verbs: withParse, Scope: OneRun,
		bind: func(o *Options) value { return onOff(&o.Input.Glob) },
	}, {
		Name: "head", Short: "I", Help: "show the header fields of http, or the facts of fetch info, without the body",
		Verbs: "get", Scope: OneRun,
		Not:  []Conflict{{Flags: "dry-run", Why: "-I needs a server"}},
		bind: func(o *Options) value { return onOff(&o.Output.Head) },
	}, {
		Name: "range", Short: "r", Value: "A-B|A-|-N", Help: "fetch the bytes from A to B, from A on, or the last N",
		Verbs: "get", Scope: OneRun, Example: "0-5",
		Not: []Conflict{
			{Flags: "continue-at", Why: "both say where to begin"},
			{Flags: "segments", Why: "a range comes over one connection"},
			{Flags: "time-cond etag-compare", Why: "a condition is about the whole"},
			{Flags: "compressed", Why: "a range is of the bytes that are sent"},
			{Flags: "state", Why: "a file of --state is whole"},
			{Flags: "timestamping", Why: "a file of a range cannot be compared with the whole"},
		},
		bind: func(o *Options) value { return text(&o.Ask.RangeText) },
	}, {
		Name: "time-cond", Short: "z", Value: "[-]DATE|FILE", Help: "fetch only if newer than that; with a -, only if not",
		Verbs: "get info", Schemes: dated, Scope: OneRun, Example: "2001-02-03",
		Not:  []Conflict{{Flags: "timestamping", Why: "both say which copy is at hand"}},
		bind: func(o *Options) value { return &o.Have.Since },
	}, {
		Name: "etag-compare", Value: "FILE", Help: "fetch only if the entity tag is another than that in FILE",
		Verbs: "get info", Schemes: Web, Scope: OneRun, OneURL: Always,
		bind: func(o *Options) value { return text(&o.Have.ETagCompare) },
	}, {
		Name: "etag-save", Value: "FILE", Help: "write the entity tag to FILE",
		Verbs: "get info", Schemes: Web, Scope: OneRun, OneURL: Always, WritesFile: true,
		bind: func(o *Options) value { return text(&o.Have.ETagSave) },
	}, {
		Name: "continue-at", Short: "C", Value: "N|-", Help: "fetch the bytes after the first N; - resumes a partial file, and keeps a whole one",
		Verbs: "get", Scope: OneRun, OneURL: "!=-", ForFiles: "=-", Example: "5",
		Not: []Conflict{
			{If: "!=-", Flags: "segments timestamping time-cond etag-compare compressed mirror-url remote-header-name", Why: "the fetch is of one range of one file"},
		},
		bind: func(o *Options) value { return &o.Files.ContinueAt },
	}, {
		Name: "checksum", Value: "ALGO:HEX|URL|server", Help: "accept only a file with this sum, one from a file of sums, or that of the server",
		Verbs: "get", Scope: OneRun, ForFiles: Always, OneURL: Always, Instead: "; in a list, write sha256=HEX after it",
		Complete: "sha256: sha512: sha1: md5: " + ByServer, Example: "md5:00000000000000000000000000000000",
		bind: func(o *Options) value { return text(&o.Files.Checksum) },
	}, {
		Name: "mirror-url", Value: "URL", Help: "fetch the same from URL if the first fails; with a checksum, from both at once",
		Verbs: "get", Scope: OneRun, ForFiles: Always, OneURL: Always, Instead: "; in a list, write mirror=URL after it", Example: "http://127.0.0.1:1/b",
		bind: func(o *Options) value { return list(&o.Files.Mirrors) },
	}, {
		Name: "segments", Value: "N", Help: "fetch a large file over N connections; 0 is as many as help, up to 16",
		Verbs: "get", Schemes: large, ForFiles: Always, Example: "2",
		bind: func(o *Options) value { return atLeast(0, &o.Files.Segments) },
	}, {
		Name: "state", Value: "FILE", Help: "note finished URLs in FILE, and skip those that it has",
		Verbs: "get", Scope: OneRun, ForFiles: Always, WritesFile: true,
		bind: func(o *Options) value { return text(&o.Files.State) },
	},
}
