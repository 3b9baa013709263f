package option

// serveVerb is the verb that the rows of the gateway are for.
const serveVerb = "serve"

var gateway = []Flag{
	{
		Name: "listen", Value: "HOST:PORT", Help: "answer at HOST:PORT; other than loopback with --public-only or --allow",
		Verbs: serveVerb, Example: "127.0.0.1:0",
		bind: func(o *Options) value { return text(&o.Serve.Listen) },
	}, {
		Name: "allow", Value: "HOST", Help: "fetch from HOST and the hosts below it only; may be given several times",
		Verbs: serveVerb, Example: "example.org",
		bind: func(o *Options) value { return list(&o.Serve.Allow) },
	},
}
