package option

var limits = []Flag{
	{
		Name: "connect-timeout", Value: "SECONDS", Help: "give up if connecting takes SECONDS; 0 is no limit",
		Verbs: withServe,
		Scope: PerOrigin, Example: "5",
		bind: func(o *Options) value { return inSeconds(&o.Route.ConnectTimeout) },
	}, {
		Name: "max-time", Short: "m", Value: "SECONDS", Help: "give up a URL after SECONDS; 0 is no limit",
		Verbs:   oneByOne,
		Example: "5",
		bind:    func(o *Options) value { return inSeconds(&o.Limits.MaxTime) },
	}, {
		Name: "stall-timeout", Value: "SECONDS", Help: "give up a connection without a byte for SECONDS; 0 is no limit",
		Verbs: withServe,
		Scope: PerOrigin, Example: "5",
		bind: func(o *Options) value { return inSeconds(&o.Route.StallTimeout) },
	}, {
		Name: "response-timeout", Value: "SECONDS", Help: "give up a reply or header that takes SECONDS (default as --stall-timeout)",
		Scope: PerOrigin, Example: "5",
		bind: func(o *Options) value { return inSeconds(&o.Route.ResponseTimeout) },
	}, {
		Name: "speed-limit", Short: "Y", Value: "N", Help: "give up a server that sends less than N bytes a second for the time of -y",
		Example: "1",
		bind:    func(o *Options) value { return inBytes(&o.Limits.SpeedLimit) },
	}, {
		Name: "speed-time", Short: "y", Value: "SECONDS", Help: "measure -Y over SECONDS (default 30); alone, for 1 byte a second",
		Example: "5",
		bind:    func(o *Options) value { return inSeconds(&o.Limits.SpeedTime) },
	}, {
		Name: "limit-rate", Value: "N", Help: "take at most N bytes a second of all URLs; k, M and G are understood",
		Verbs:   withServe,
		Example: "1M",
		bind:    func(o *Options) value { return inBytes(&o.Limits.Rate) },
	}, {
		Name: "max-filesize", Value: "N", Help: "refuse a resource of more than N bytes; k, M and G are understood; 0 is no limit",
		Verbs:   withServe,
		Example: "1",
		bind:    func(o *Options) value { return inBytes(&o.Limits.MaxFilesize) },
	}, {
		Name: "max-header", Value: "N", Help: "refuse a reply or header of more than N bytes; 0 is the default, 256k for HTTP, less elsewhere",
		Scope: PerOrigin, Example: "1",
		bind: func(o *Options) value { return inBytes(&o.Route.MaxHeader) },
	}, {
		Name: "max-listing", Value: "N", Help: "end a listing of more than N bytes with an error; 0 is no limit",
		Verbs:   withServe,
		Example: "1",
		bind:    func(o *Options) value { return inBytes(&o.Limits.MaxListing) },
	}, {
		Name: "retry", Value: "N", Help: "try again at most N times after a failure that may pass, per 1 MiB or 5 % received",
		Example: "0",
		bind:    func(o *Options) value { return atLeast(0, &o.Retry.Max) },
	}, {
		Name: "retry-delay", Value: "SECONDS", Help: "wait SECONDS before each retry; 0 is the default: 0.5 at first, then twice as long, up to 30",
		Example: "1",
		bind:    func(o *Options) value { return inSeconds(&o.Retry.Delay) },
	}, {
		Name: "retry-max-time", Value: "SECONDS", Help: "begin no try later than SECONDS after the first",
		Example: "1",
		bind:    func(o *Options) value { return inSeconds(&o.Retry.MaxTime) },
	}, {
		Name: "retry-connrefused", Help: "retry after a refused connection too, also if the server has not answered before",
		bind: func(o *Options) value { return onOff(&o.Retry.Refused) },
	}, {
		Name: "retry-all-errors", Help: "try again after any failure of a server or on the way to it",
		bind: func(o *Options) value { return onOff(&o.Retry.All) },
	}, {
		Name: "parallel-max", Short: "j", Value: "N", Help: "fetch at most N URLs at the same time, if they go to files or to a gateway's clients",
		Verbs: "get mirror serve " + Work, ForFiles: Always, Example: "2",
		bind: func(o *Options) value { return atLeast(1, &o.Files.ParallelMax) },
	}, {
		Name: "per-host", Value: "N", Help: "make at most N connections for a host's URLs (default by speed: to 48 by http(s), else 4; serve 8)",
		Verbs: "get mirror serve " + Work, ForFiles: Always, Example: "2",
		bind: func(o *Options) value { return atLeast(1, &o.Files.PerHost) },
	},
}
