package sessions

import (
	"crypto/tls"
	"maps"
	nethttp "net/http"
	"slices"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/dict"
	"github.com/seed1ea3422f/fetch/fetchers/finger"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/gemini"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
	"github.com/seed1ea3422f/fetch/fetchers/wais"
	"github.com/seed1ea3422f/fetch/fetchers/z3950"
)

// A protocol has the functions by which a client requests documents, and a host serves them.
type protocol struct {
	name   string
	scheme string
	secure func() *tls.Config // nil if it is in clear
	client func(nw *fetchers.Network, trust *tls.Config) fetchers.Fetcher
	serve  func(v *visit)
	path   func(name string) string // of the URL
	want   func(name string) string // the document as it is delivered

	// steps are the replies of an exchange. If framings is set, they are ways to frame the
	// only one.
	steps    []string
	framings bool

	// lacks has the faults without a meaning in the protocol, with the reasons.
	lacks map[fault]string

	once   bool   // a connection carries one request
	shared bool   // a connection carries several requests at once
	busy   string // refuses a connection beyond the limit; empty if the protocol has no such words
}

var protocols = []*protocol{
	{
		name: "ftp", scheme: "ftp", client: ftpClient, serve: serveFTP, path: inDirectory, want: text,
		steps: ftpSteps, busy: "421 too many connections\r\n",
	},
	{
		name: "ftps", scheme: "ftps", secure: settings(), client: ftpClient, serve: serveFTP, path: inDirectory, want: text,
		steps: ftpSteps, busy: "421 too many connections\r\n",
	},
	{
		name: "sftp", scheme: "sftp", client: sftpClient, serve: serveSFTP, path: inDirectory, want: text,
		steps: []string{"STAT", "OPEN", "READ"}, lacks: map[fault]string{
			goodbye:  "a server of SFTP ends the connection without a word",
			farewell: "a server of SFTP ends the connection without a word",
		},
	},
	{
		name: "nntp", scheme: "nntp", client: nntpClient, serve: serveNNTP, path: inGroup, want: articleOf,
		steps: []string{"GROUP", "ARTICLE"}, busy: "502 too many connections\r\n",
	},
	{
		name: "nntps", scheme: "nntps", secure: settings(), client: nntpClient, serve: serveNNTP, path: inGroup, want: articleOf,
		steps: []string{"GROUP", "ARTICLE"}, busy: "502 too many connections\r\n",
	},
	{
		name: "news", scheme: "news", client: nntpClient, serve: serveNNTP, path: byMessageID, want: articleOf,
		steps: []string{"ARTICLE"}, busy: "502 too many connections\r\n",
	},
	{
		name: "wais", scheme: "wais", client: waisClient, serve: serveWAIS, path: byDocumentID, want: text,
		steps: []string{"first chunk", "last chunk"}, lacks: map[fault]string{
			goodbye:  "a server of WAIS ends the connection without a word",
			farewell: "a server of WAIS ends the connection without a word",
		},
	},
	{
		name: "dict", scheme: "dict", client: dictClient, serve: serveDict, path: byWord, want: definitionOf,
		steps: []string{"DEFINE"}, busy: "420 too many connections\r\n", lacks: map[fault]string{
			other: "the word of a definition may be written in another way than the word that was asked for",
		},
	},
	{
		name: "z39.50r", scheme: "z39.50r", client: z3950Client, serve: serveZ3950, path: byDocID, want: text,
		steps: []string{"Search", "Present"},
	},
	{
		name: "http", scheme: "http", client: http1Client, serve: serveHTTP, path: inDirectory, want: text,
		steps: []string{"length", "chunks"}, framings: true, lacks: unnamed,
	},
	{
		name: "https/1.1", scheme: "https", secure: settings("http/1.1"), client: http1Client, serve: serveHTTP, path: inDirectory, want: text,
		steps: []string{"length", "chunks"}, framings: true, lacks: unnamed,
	},
	{
		name: "https/2", scheme: "https", secure: settings("h2"), client: http2Client, serve: serveHTTP2, path: inDirectory, want: text,
		steps: []string{"stream"}, shared: true,
	},
	{
		name: "gopher", scheme: "gopher", client: gopherClient, serve: serveGopher, path: bySelector, want: text,
		steps: []string{"answer"}, once: true, lacks: unframed,
	},
	{
		name: "gemini", scheme: "gemini", secure: settings(), client: geminiClient, serve: serveGemini, path: byPath, want: text,
		steps: []string{"answer"}, once: true, lacks: notified,
	},
	{
		name: "finger", scheme: "finger", client: fingerClient, serve: serveFinger, path: byUser, want: text,
		steps: []string{"answer"}, once: true, lacks: unframed,
	},
}

// last reports whether an exchange ends with step.
func (p *protocol) last(step string) bool { return p.framings || step == p.steps[len(p.steps)-1] }

// faults returns the faults of a step.
func (p *protocol) faults(step string) (all []fault) {
	switch {
	case step == "data":
		return []fault{half, surplus}
	case p.once || !p.last(step):
		all = ofReply
	default:
		all = append(ofReply[:len(ofReply):len(ofReply)], ofIdle...)
	}
	return slices.DeleteFunc(slices.Clone(all), func(f fault) bool { return p.lacks[f] != "" })
}

// unnamed is for answers that do not name their requests.
var unnamed = map[fault]string{other: "an answer of HTTP/1.1 does not say which request it is to"}

// unframed is for answers that end with their connection.
var unframed = map[fault]string{
	surplus:  "all that comes before the end is the answer",
	twice:    "all that comes before the end is the answer",
	halfEnd:  "the end of the connection is the end of the answer",
	other:    "all that comes before the end is the answer",
	goodbye:  "a refusal is a document like any other",
	farewell: "a refusal is a document like any other",
}

// notified is unframed for answers that end with the close_notify of TLS: a connection that ends
// without it cuts the answer.
var notified = func() map[fault]string {
	lacks := maps.Clone(unframed)
	delete(lacks, halfEnd)
	return lacks
}()

func ftpClient(nw *fetchers.Network, trust *tls.Config) fetchers.Fetcher {
	return &ftp.Fetcher{Network: nw, TLS: trust}
}

func nntpClient(nw *fetchers.Network, trust *tls.Config) fetchers.Fetcher {
	return &nntp.Fetcher{Network: nw, TLS: trust}
}

func waisClient(nw *fetchers.Network, _ *tls.Config) fetchers.Fetcher {
	return &wais.Fetcher{Network: nw, Chunk: chunk}
}

func z3950Client(nw *fetchers.Network, _ *tls.Config) fetchers.Fetcher {
	return &z3950.Fetcher{Network: nw}
}

func http1Client(nw *fetchers.Network, trust *tls.Config) fetchers.Fetcher {
	f := &http.Fetcher{Network: nw, TLS: trust, Protocols: new(nethttp.Protocols)}
	f.Protocols.SetHTTP1(true)
	return f
}

func http2Client(nw *fetchers.Network, trust *tls.Config) fetchers.Fetcher {
	f := &http.Fetcher{Network: nw, TLS: trust, Protocols: new(nethttp.Protocols)}
	f.Protocols.SetHTTP2(true)
	return f
}

func gopherClient(nw *fetchers.Network, _ *tls.Config) fetchers.Fetcher {
	return &gopher.Fetcher{Network: nw}
}

func geminiClient(nw *fetchers.Network, trust *tls.Config) fetchers.Fetcher {
	return &gemini.Fetcher{Network: nw, TLS: trust}
}

func fingerClient(nw *fetchers.Network, _ *tls.Config) fetchers.Fetcher {
	return &finger.Fetcher{Network: nw}
}

func dictClient(nw *fetchers.Network, _ *tls.Config) fetchers.Fetcher {
	return &dict.Fetcher{Network: nw}
}

func inDirectory(name string) string  { return "/" + name + "/doc.txt" }
func inGroup(name string) string      { return "/" + name + "/1" }
func byMessageID(name string) string  { return "/" + messageID(name) }
func byDocumentID(name string) string { return "/db/TEXT/" + name }
func byDocID(name string) string      { return "/db?" + name + ";rs=sutrs" }
func bySelector(name string) string   { return "/0" + name }
func byPath(name string) string       { return "/" + name }
func byUser(name string) string       { return "/" + name }
func byWord(name string) string       { return "/d:" + name + ":db" }
