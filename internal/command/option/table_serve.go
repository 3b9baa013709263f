package option

import (
	"errors"
	"strconv"
	"strings"
)

// serveVerb is the verb that the rows of the gateway are for.
const serveVerb = "serve"

var gateway = []Flag{
	{
		Name: "listen", Value: "HOST:PORT", Help: "listen at HOST:PORT; beyond loopback only with --public-only or --allow",
		Verbs: serveVerb, Example: "127.0.0.1:0",
		bind: func(o *Options) value { return text(&o.Serve.Listen) },
	}, {
		Name: "allow", Value: "HOST", Help: "fetch from HOST and the hosts below it only; may be given several times",
		Verbs: serveVerb, Example: "example.org",
		bind: func(o *Options) value { return list(&o.Serve.Allow) },
	}, {
		Name: "dir", Value: "DIR", Help: "show the copy in DIR, which fetch mirror has made, at /copy/",
		Verbs: serveVerb, Example: "copy",
		bind: func(o *Options) value { return text(&o.Serve.Dir) },
	}, {
		Name: "metrics", Help: "count fetches, and show the counts at /metrics, for Prometheus",
		Verbs: serveVerb,
		bind:  func(o *Options) value { return onOff(&o.Serve.Metrics) },
	}, {
		Name: "connect-ports", Value: "LIST", Help: "open tunnels to the ports in LIST, with commas between them, for clients that ask by CONNECT",
		Verbs: serveVerb, Example: "443",
		bind: func(o *Options) value { return (*ports)(&o.Serve.ConnectPorts) },
	},
}

// ports are numbers of ports with commas between them.
type ports []uint16

func (p *ports) String() string {
	var all []string
	for _, port := range *p {
		all = append(all, strconv.Itoa(int(port)))
	}
	return strings.Join(all, ",")
}

func (p *ports) Type() string { return "ports" }

func (p *ports) Set(text string) error {
	*p = nil
	for word := range strings.SplitSeq(text, ",") {
		port, err := strconv.ParseUint(strings.TrimSpace(word), 10, 16)
		if err != nil || port == 0 {
			return errors.New("not a list of ports, as 443,8443")
		}
		*p = append(*p, uint16(port))
	}
	return nil
}
