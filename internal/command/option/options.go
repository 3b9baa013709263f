package option

import (
	"net/textproto"
	"regexp"
	"slices"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/urn"
	"github.com/seed1ea3422f/fetch/internal/command/writeout"
)

// Options are the values of all flags of one run. They are made once, by Parse, and then
// only read; for a verb whose flags another package parses, Bind and Complete make them. Each field is the value of the flag that its row in the table binds to it.
type Options struct {
	Input   Input
	Files   Files
	Have    Have
	Ask     Ask
	Logins  Logins
	TLS     TLS
	Follow  Follow
	Proxy   Proxy
	Route   Route
	FTP     FTP
	SSH     SSH
	S3      S3
	News    News
	Gopher  Gopher
	Gemini  Gemini
	WAIS    WAIS
	TFTP    TFTP
	Session Session
	URN     urn.Table
	Limits  Limits
	Retry   Retry
	Tree    Tree
	Serve   Serve
	Output  Output
	Config  Config

	// Origins are the sections of the configuration, by OriginKey.
	Origins map[string]*Section

	// Verbs are the words that a mistyped URL may mean; the caller sets them.
	Verbs []string

	// Sources has the source of each value that is not the default: by the name of the flag
	// CommandLine, or FILE:LINE of the configuration.
	Sources map[string]string
}

// CommandLine is the source of a value that was given as a flag.
const CommandLine = "command line"

// Given reports whether a flag was given on the command line.
func (o *Options) Given(name string) bool { return o.Sources[name] == CommandLine }

// IsSet reports whether a flag was given, or has a value from the configuration.
func (o *Options) IsSet(name string) bool { return o.Sources[name] != "" }

// Input has the sources of URLs, beside the arguments.
type Input struct {
	First string   // the first URL of the arguments, or "" if there is none
	URLs  []string // of --url
	List  string   // -i: a list or a Metalink; "-" is standard input, "" is none
	Glob  bool     // an argument stands for several URLs; see Pattern
}

// Files has the names of files, and the rules for files that exist.
type Files struct {
	Outputs          []string // -o, one for each URL in order; "-" is standard output
	RemoteName       bool
	RemoteHeaderName bool
	Dir              string
	CreateDirs       bool
	NoClobber        bool
	Overwrite        bool
	Timestamping     bool
	RemoteTime       bool
	SkipExisting     bool
	Decode           bool
	ContinueAt       Offset
	Checksum         string // ALGO:HEX, the URL of a sum file, or ByServer
	Mirrors          []string
	Segments         int // 0 is as many as help
	State            string
	ParallelMax      int // URLs at the same time
	PerHost          int // connections to one host; 0 is as many as help
}

// ByServer is the value of --checksum that takes the sum from the server.
const ByServer = "server"

// Have describes the copy on disk, so that it is not fetched again.
type Have struct {
	Since       Since
	ETagCompare string // a file
	ETagSave    string // a file
}

// Ask has the settings of a request.
type Ask struct {
	Headers []string // -H, as given or in a file; Fields are those parsed

	HeaderFiles []string // the files of -H @FILE; "-" is standard input
	UserAgent   string
	Referer     string
	Cookies     []string // -b, as given: NAME=VALUE pairs, or the name of a file
	CookieJar   string
	HSTS        string
	Compressed  bool
	Fail        bool
	NoFail      bool
	HTTP10      bool
	HTTP1       bool
	HTTP2       bool
	NoLength    bool     // --ignore-content-length
	Queries     []string // --url-query, as given
	PathAsIs    bool
	Target      string
	RangeText   string // -r, as given

	// Range and Fields are RangeText and Headers, UserAgent and Referer, parsed.
	Range  fetchers.Range
	Fields textproto.MIMEHeader
}

// Logins has the login of the user, and the files of logins.
type Logins struct {
	User          string // NAME or NAME:PASSWORD
	Basic         bool
	Digest        bool
	NTLM          bool
	AnyAuth       bool
	Netrc         bool
	NetrcFile     string
	NetrcOptional bool
}

// TLS has the trusted certificates, the certificate of the user, and the versions.
type TLS struct {
	SSL      bool
	SSLReqd  bool
	Insecure bool
	CACert   string
	Cert     string
	Key      string
	Min12    bool
	Min13    bool
	Max      string // 1.2, 1.3 or default
	Ciphers  string // names, for TLS 1.2
	Curves   string // names
	Pinned   string // sha256//BASE64;…, or a file
	CRLFile  string
}

// Follow has the rules for redirections and schemes.
type Follow struct {
	Location   bool
	Trusted    bool // the login goes along to other hosts
	MaxRedirs  int
	Proto      SchemeList
	ProtoRedir SchemeList
}

// Proxy has the proxies and their logins.
type Proxy struct {
	URL     string
	URL10   string // --proxy1.0
	NoProxy string
	User    string // NAME:PASSWORD
	Basic   bool
	Digest  bool
	NTLM    bool
	AnyAuth bool
	Tunnel  bool

	First    string // --preproxy: the SOCKS proxy by which the others are reached
	CACert   string
	Cert     string
	Key      string
	Insecure bool
}

// Route has the settings of connections.
type Route struct {
	Resolve         []string
	ConnectTo       []string
	Interface       string
	IPv4            bool
	IPv6            bool
	PublicOnly      bool
	AnyPort         bool
	ConnectTimeout  time.Duration // 0 is no limit
	StallTimeout    time.Duration // 0 is no limit
	ResponseTimeout time.Duration // as StallTimeout if the flag is not set
	MaxHeader       int64         // bytes; 0 is the usual limit of each protocol

	UnixSocket    string // all connections are to that socket; "" is none
	DNSServers    string // ADDRESS[:PORT],…
	HappyEyeballs int    // milliseconds
	KeepAliveTime int    // seconds; 0 is the usual time
	NoKeepAlive   bool
}

// FTP is for FTP alone.
type FTP struct {
	Method  string // multicwd, singlecwd or nocwd
	Type    string // a, i or "" for that of the URL
	Passive bool
	Active  bool
	NoEPSV  bool
	NoEPRT  bool
}

// SSH is for SFTP alone.
type SSH struct {
	Config     string   // a file; "" is ~/.ssh/config
	KnownHosts string   // a file; "" is ~/.ssh/known_hosts
	AcceptNew  bool     // the key of a host that is not known is added to that file
	HostKey    string   // a SHA-256 in base64, of the key that a server must have
	Keys       []string // files; none are those of Config, or the usual ones
}

// S3 is for S3 alone.
type S3 struct {
	Endpoint string // a URL; "" is that of the environment or of ~/.aws, or Amazon
	Region   string // the same
	Unsigned bool
}

// News is for news and mail alone.
type News struct {
	Server string // HOST or HOST:PORT
	In     string // a FILE or URL, the message of a cid URL
}

// Gopher is for Gopher+ alone.
type Gopher struct {
	View string   // TYPE or "TYPE LANG"
	Form []string // LABEL=VALUE
}

// Gemini is for Gemini alone.
type Gemini struct {
	Hosts string // the file of certificates; "" is that of the state directory
}

// WAIS is for WAIS alone.
type WAIS struct {
	Like    []string // URLs of documents
	MaxHits int
}

// TFTP is for TFTP alone.
type TFTP struct {
	BlockSize int // 0 is the default of the protocol
	NoOptions bool
}

// Session has the options for interactive services.
type Session struct {
	Connect      bool
	Banner       int // bytes; 0 is no banner
	ShowPassword bool
}

// Limits are bounds on the time, the speed and the size of a fetch. 0 is no limit.
type Limits struct {
	MaxTime     time.Duration
	SpeedLimit  int64 // bytes a second
	SpeedTime   time.Duration
	Rate        int64 // bytes a second, of all URLs
	MaxFilesize int64 // bytes
	MaxListing  int64 // bytes
}

// Retry has the number and the times of retries.
type Retry struct {
	Max     int
	Delay   time.Duration // 0 is one that grows
	MaxTime time.Duration // 0 is no limit
	Refused bool          // a refused connection is a failure that may pass
	All     bool          // and so is any other
}

// Tree has the scope of a mirror, and the names of its files.
type Tree struct {
	Active            bool // the verb is mirror, which sets it
	Level             int  // 0 is any depth
	NoParent          bool
	Accept, Reject    []string
	AcceptRegex       *regexp.Regexp
	RejectRegex       *regexp.Regexp
	Domains           []string
	ExcludeDomains    []string
	SpanHosts         bool
	PageRequisites    bool
	Sitemap           bool
	Robots            string // on or off
	ConvertLinks      bool
	BackupConverted   bool
	AdjustExtension   bool
	NoHostDirectories bool
	CutDirs           int
	Wait              time.Duration
	RandomWait        bool
	Quota             int64 // bytes; 0 is no limit
	Delete            bool
	MaxDelete         Share
	Spider            bool
	Changes           bool
	Why               string // a URL
}

// Serve has the options of the gateway: its address, the hosts that it serves, and the pages it has
// besides URLs.
type Serve struct {
	Listen       string   // host:port
	Allow        []string // hosts; an empty list is any host
	Dir          string   // of a mirror
	Metrics      bool
	ConnectPorts []uint16
}

// Output has the options for output and reports.
type Output struct {
	Silent    bool
	ShowError bool
	Verbose   bool
	Progress  string // auto, bar, plain or none
	JSON      bool
	Events    string // a file
	Trace     string // a file
	Raw       bool
	Head      bool

	DumpHeader  string // -D: a file, "-" for standard output, or ""
	ShowHeaders bool
	WriteOut    string // -w, as given; Format is that parsed
	Format      writeout.Format

	DryRun bool
	Help   bool
}

// Config has the file of values for flags that are not given, and its sections.
type Config struct {
	File string // "" is config.toml in Dir
	Off  bool

	// Settings are the values in use from the part of the file that is for all origins.
	Settings []Setting
}

// A Setting is a line of the configuration: the values of a flag.
type Setting struct {
	Key    string
	Values []string
	Where  string // FILE:LINE
}

// A Section is the part of the configuration that is about one origin.
type Section struct {
	Origin   string // as it stands there
	Where    string // FILE:LINE
	Settings []Setting

	// Options has the values of the run and of the section. A value of the command line goes before
	// both.
	Options *Options

	Fields    textproto.MIMEHeader // the section adds them to requests
	User      *Setting             // the login of the section, or nil
	Certified bool                 // the section itself has the certificate
}

// Defaults are the Options of a command line without flags.
func Defaults() Options {
	return Options{
		Files:   Files{ParallelMax: 100},
		Ask:     Ask{Fail: true},
		Follow:  Follow{Location: true, MaxRedirs: 10},
		Route:   Route{ConnectTimeout: 30 * time.Second, StallTimeout: 60 * time.Second, HappyEyeballs: 200},
		FTP:     FTP{Method: "multicwd", Passive: true},
		WAIS:    WAIS{MaxHits: 100},
		Limits:  Limits{MaxListing: fetchers.DefaultMaxListing},
		Retry:   Retry{Max: 3},
		Tree:    Tree{Robots: "on"},
		Serve:   Serve{Listen: "127.0.0.1:8070"},
		Output:  Output{Progress: "auto"},
		Sources: make(map[string]string),
	}
}

// ToFiles reports whether the results of the run go to files, or may do so.
func (o *Options) ToFiles() bool {
	named := func(name string) bool { return name != "-" }
	return slices.ContainsFunc(o.Files.Outputs, named) || o.Files.RemoteName || o.Files.Decode || o.Input.List != ""
}
