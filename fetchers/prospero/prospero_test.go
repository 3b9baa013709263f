package prospero_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/prospero"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
	"github.com/seed1ea3422f/fetch/integration/wire"
	"github.com/seed1ea3422f/fetch/url"
)

var (
	content = bytes.Repeat([]byte("it's 'quoted', and a line;\r\n\x00\xff"), 3000) // 80 packets
	when    = time.Date(1994, 12, 1, 10, 0, 0, 0, time.UTC)
)

// names are the objects of the test servers.
func names() prosperotest.Names {
	return prosperotest.Names{
		"/pros/big":         {Contents: content, Modified: when},
		"/pros/name":        {Contents: []byte("the name\n"), Modified: when},
		"/pros/empty":       {Contents: []byte{}},
		"/pros/it's a file": {Contents: []byte("quoted\n")},
		"/pros":             {Directory: true, Links: []prosperotest.Link{{Name: "name", HSOName: "/pros/name"}, {Name: "big one", HSOName: "/pros/big"}, {Name: "none", Target: "DIRECTORY", HSOName: "/pros/none"}}},
		"/pros/none":        {Directory: true},
	}
}

func TestConformance(t *testing.T) {
	server := prosperotest.NewServer(names())
	defer server.Close()
	conformance.Run(t, conformance.Target{
		Fetcher:   new(prospero.Fetcher),
		Datagrams: true,
		Document:  parse(t, server.URL+"//pros/big"),
		Content:   content,
		Missing:   parse(t, server.URL+"//pros/missing"),
		Directory: parse(t, server.URL+"//pros"),
		Stalled: func(t *testing.T) *url.URL {
			stalling := prosperotest.NewServer(names(), prosperotest.StopAfter(2))
			t.Cleanup(stalling.Close)
			return parse(t, stalling.URL+"//pros/big")
		},
		Cut: func(t *testing.T) *url.URL {
			names := prosperotest.Names{"/pros/short": {Contents: content, Attributes: []string{"OBJECT INTRINSIC SIZE SEQUENCE '1000000 bytes'"}}}
			cutting := prosperotest.NewServer(names)
			t.Cleanup(cutting.Close)
			return parse(t, cutting.URL+"//pros/short")
		},
	})
}

func TestTree(t *testing.T) {
	files := fstest.MapFS{
		"pub/quoted":  {Data: content[:100], ModTime: when},
		"pub/a/b":     {Data: []byte("b\n"), ModTime: when},
		"pub/a b/c d": {Data: []byte("c d\n"), ModTime: when},
	}
	server := prosperotest.NewServer(prosperotest.Tree(files))
	defer server.Close()
	sub, err := fs.Sub(files, "pub")
	if err != nil {
		t.Fatal(err)
	}
	conformance.Tree(t, new(prospero.Fetcher), parse(t, server.URL+"//pub"), sub)
}

func TestScripts(t *testing.T) {
	conformance.Suite{
		New:  func() fetchers.Fetcher { return new(prospero.Fetcher) },
		Play: func(t *testing.T, s *wire.Script) conformance.Player { return prosperotest.Play(t, s) },
	}.Scripts(t, "../../testdata/wire/prospero/*.txt")
}

// get fetches a URL as a user of the library does, whatever the answer is.
func get(t *testing.T, f fetchers.Fetcher, u string) (*fetchers.Resource, string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	res, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, u)})
	if err != nil {
		return nil, "", err
	}
	defer res.Close()
	body, err := io.ReadAll(res.Body)
	return res, string(body), err
}

// quick returns a Fetcher with a short FirstWait. A test without losses or faults uses the default,
// so that a busy machine causes no repeated requests.
func quick() *prospero.Fetcher {
	return &prospero.Fetcher{Network: &fetchers.Network{Stall: 2 * time.Second}, FirstWait: 100 * time.Millisecond}
}

func parse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// Unusual but correct servers give the same results as the others.
func TestOddServers(t *testing.T) {
	for name, options := range map[string][]prosperotest.Option{
		"plain":                        nil,
		"packets twice":                {prosperotest.Faults(prosperotest.Duplicate)},
		"packets out of order":         {prosperotest.Faults(prosperotest.Reverse)},
		"answers from another port":    {prosperotest.Faults(prosperotest.OtherPort)},
		"acknowledgements":             {prosperotest.Faults(prosperotest.AskAck)},
		"a control packet":             {prosperotest.Faults(prosperotest.Control)},
		"types of fields":              {prosperotest.Faults(prosperotest.LongFields)},
		"blank lines":                  {prosperotest.Faults(prosperotest.BlankLines)},
		"no final LF":                  {prosperotest.Faults(prosperotest.NoFinalLF)},
		"CR LF":                        {prosperotest.Faults(prosperotest.CRLF)},
		"garbage before":               {prosperotest.Faults(prosperotest.Garbage)},
		"all of it":                    {prosperotest.Faults(prosperotest.Duplicate, prosperotest.Reverse, prosperotest.Garbage, prosperotest.Control, prosperotest.CRLF, prosperotest.AskAck)},
		"a window of 4":                {prosperotest.Window(4)},
		"a window of 1":                {prosperotest.Window(1)},
		"small packets":                {prosperotest.PacketSize(7), prosperotest.Window(256)},
		"the first packets are lost":   {prosperotest.Drop(1, 2, 3)},
		"packets in the middle, twice": {prosperotest.Drop(5, 8, 9, 18, 20)},
		"a plea to wait":               {prosperotest.Wait(900, 20*time.Millisecond)},
	} {
		t.Run(name, func(t *testing.T) {
			server := prosperotest.NewServer(names(), options...)
			defer server.Close()
			for path, want := range map[string]string{
				"//pros/big": string(content), "//pros/name": "the name\n", "//pros/empty": "", "//pros/it%27s%20a%20file": "quoted\n",
			} {
				res, body, err := get(t, quick(), server.URL+path)
				if err != nil {
					t.Errorf("%s: %v", path, err)
					continue
				}
				if res.Kind != fetchers.Document || body != want || !res.Confirmed() {
					t.Errorf("%s: %v of %d bytes, confirmed %v; want a document of %d", path, res.Kind, len(body), res.Confirmed(), len(want))
				}
			}
			if list := entries(t, quick(), server.URL+"//pros"); len(list) != 3 {
				t.Errorf("the directory is\n%s", strings.Join(list, "\n"))
			}
		})
	}
}

// entries fetches a listing, and returns one line per entry.
func entries(t *testing.T, f fetchers.Fetcher, u string) (list []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	res, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, u)})
	if err != nil {
		t.Errorf("%s: %v", u, err)
		return nil
	}
	defer res.Close()
	for e, err := range res.Entries() {
		if err != nil {
			return append(list, "error: "+err.Error())
		}
		to := "nowhere"
		if e.URL != nil {
			to = e.URL.String()
		}
		list = append(list, fmt.Sprintf("%v %d %s -> %s", e.Kind, e.Size, e.Name, to))
	}
	return list
}

// A datagram of another address does not count as the answer of a server whose answer is lost or
// late.
func TestAnswerOfAnotherServer(t *testing.T) {
	server := prosperotest.NewServer(names(), prosperotest.Faults(prosperotest.Garbage), prosperotest.Drop(1))
	defer server.Close()
	if _, body, err := get(t, quick(), server.URL+"//pros/name"); body != "the name\n" || err != nil {
		t.Errorf("%q, %v", body, err)
	}
}

// Faulty servers cause a quick error that names the fault.
func TestWrongServers(t *testing.T) {
	for name, c := range map[string]struct {
		option prosperotest.Option
		class  error
		words  string
	}{
		"version 1 of Prospero":         {prosperotest.Faults(prosperotest.OldID), fetchers.ErrProtocol, "not a Prospero version 5 server: its answer has connection ID 0"},
		"text without a header":         {prosperotest.Faults(prosperotest.NoHeader), fetchers.ErrProtocol, "not a Prospero version 5 server: its answer has no ARDP header"},
		"version 1 of ARDP":             {prosperotest.Faults(prosperotest.ARDP1), fetchers.ErrProtocol, "not a Prospero version 5 server: it speaks version 1 of ARDP"},
		"no version of ARDP":            {prosperotest.Faults(prosperotest.ZeroOctet), fetchers.ErrProtocol, "not a Prospero version 5 server: it does not speak version 0"},
		"version not supported":         {prosperotest.Faults(prosperotest.NotSupported), fetchers.ErrProtocol, "not a Prospero version 5 server: it does not speak version 0"},
		"a header beyond the datagram":  {prosperotest.Faults(prosperotest.LongHeader), fetchers.ErrProtocol, "longer than the datagram"},
		"empty datagrams":               {prosperotest.Faults(prosperotest.Empty), fetchers.ErrProtocol, "empty datagram"},
		"the request itself":            {prosperotest.Faults(prosperotest.Echo), fetchers.ErrProtocol, "not a Prospero version 5 server: it sends the request back"},
		"totals that change":            {prosperotest.Faults(prosperotest.ChangingTotal), fetchers.ErrProtocol, "became"},
		"a total that is too small":     {prosperotest.Faults(prosperotest.AboveTotal), io.ErrUnexpectedEOF, "got 3362 of 90000 bytes"},
		"numbers above the total":       {prosperotest.Faults(prosperotest.AboveTotal, prosperotest.Reverse), fetchers.ErrProtocol, "packet 16 of 3"},
		"an open quote":                 {prosperotest.Faults(prosperotest.OpenQuote), fetchers.ErrProtocol, "inside a quoted token"},
		"endless forwarding":            {prosperotest.Faults(prosperotest.EndlessForward), fetchers.ErrProtocol, "more than 20 times"},
		"a failure after good lines":    {prosperotest.Faults(prosperotest.FailAfter), nil, "FAILURE SERVER-FAILED in the end"},
		"refused":                       {prosperotest.Faults(prosperotest.Refuse), syscall.ECONNREFUSED, "refuses"},
		"answers to another request":    {prosperotest.Faults(prosperotest.OtherID), fetchers.ErrStalled, "no answer for"},
		"silence":                       {prosperotest.Faults(prosperotest.Silent), fetchers.ErrStalled, "no answer for"},
		"a plea to wait, then silence":  {prosperotest.Wait(900, -1), fetchers.ErrStalled, "had asked to wait for 15m0s"},
		"an answer that is never whole": {prosperotest.StopAfter(20), fetchers.ErrStalled, "nothing new for"},
	} {
		t.Run(name, func(t *testing.T) {
			server := prosperotest.NewServer(names(), c.option)
			defer server.Close()
			f := quick()
			f.Network.Stall = 300 * time.Millisecond
			begin := time.Now()
			_, body, err := get(t, f, server.URL+"//pros/big")
			if err == nil || c.class != nil && !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.words) {
				t.Errorf("%d bytes and the error %v, want %v with %q", len(body), err, c.class, c.words)
			}
			if spent := time.Since(begin); spent > 2*time.Second {
				t.Errorf("it took %v", spent)
			}
		})
	}
	t.Run("no server there", func(t *testing.T) {
		server := prosperotest.NewServer(nil)
		server.Close()
		if _, _, err := get(t, new(prospero.Fetcher), server.URL+"/x"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("error %v, want that nobody listens", err)
		}
	})
}

// A request is canceled when its context ends.
func TestCancel(t *testing.T) {
	server := prosperotest.NewServer(names(), prosperotest.Wait(180, -1))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := new(prospero.Fetcher).Fetch(ctx, &fetchers.Request{URL: parse(t, server.URL+"//pros/name")})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that of the context", err)
	}
	for range 200 {
		if server.Cancels() == 1 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d requests were cancelled, want one", server.Cancels())
}

// A packet is acknowledged if and only if it asks for it.
func TestAcknowledgements(t *testing.T) {
	for _, c := range []struct {
		option prosperotest.Option
		path   string
		want   int
	}{
		{prosperotest.Window(16), "//pros/name", 0},
		{prosperotest.Faults(prosperotest.AskAck), "//pros/name", 2}, // one for each request
		{prosperotest.Window(16), "//pros/big", 4},
		{prosperotest.Window(4), "//pros/big", 19},
	} {
		server := prosperotest.NewServer(names(), c.option)
		if _, _, err := get(t, new(prospero.Fetcher), server.URL+c.path); err != nil {
			t.Error(err)
		}
		// The last one may still be in transit.
		for range 100 {
			if server.Acknowledgements() == c.want {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if got := server.Acknowledgements(); got != c.want {
			t.Errorf("%s: %d acknowledgements, want %d", c.path, got, c.want)
		}
		server.Close()
	}
}

// An ARDP redirection to the same machine is followed; any other one is left to the Client.
func TestRedirect(t *testing.T) {
	server := prosperotest.NewServer(names())
	defer server.Close()
	to := func(addr string) string {
		from := prosperotest.NewServer(nil, prosperotest.Redirect(netip.MustParseAddrPort(addr)))
		t.Cleanup(from.Close)
		return from.URL + "//pros/name;OBJECT-VERSION=3"
	}
	if _, body, err := get(t, new(prospero.Fetcher), to(server.Addr)); body != "the name\n" || err != nil {
		t.Errorf("to another port: %q, %v", body, err)
	}
	res, _, err := get(t, new(prospero.Fetcher), to("192.0.2.1:1525"))
	if err != nil || res.Kind != fetchers.Redirect || res.Location.String() != "prospero://192.0.2.1//pros/name;OBJECT-VERSION=3" {
		t.Errorf("to another machine: %+v, %v", res, err)
	}
	for _, addr := range []string{"127.0.0.1:0", "127.0.0.1:53", "224.0.0.1:1525", "255.255.255.255:1525", "0.0.0.0:1525"} {
		if _, _, err := get(t, new(prospero.Fetcher), to(addr)); !errors.Is(err, fetchers.ErrBlocked) {
			t.Errorf("to %s: %v, want ErrBlocked", addr, err)
		}
	}
}

// The request contains the object of the URL, and the user is always guest.
func TestRequest(t *testing.T) {
	for path, want := range map[string]string{
		"/n":                           "n 0",
		"//a/../b//c":                  "/a/../b//c 0",
		"//pros/it%27s%20a%20file":     "'/pros/it''s a file' 0",
		"/a?b&c=d:e@f":                 "a?b&c=d:e@f 0",
		"/a%3Bb%09c":                   "'a;b\tc' 0",
		"/%FF%80":                      "\xff\x80 0",
		"/n;OBJECT-VERSION=2147483647": "n 2147483647",
		"/n;object-version=7":          "n 7",
		"/n;ID=REMOTE%204711":          "n 0|SELECT OBJECT FIELD ID REMOTE 4711",
		"/n;id=REMOTE%20a%27b":         "n 0|SELECT OBJECT FIELD ID REMOTE 'a''b'",
		"/AFTP/pub/README":             "AFTP/pub/README 0",
	} {
		server := prosperotest.NewServer(nil)
		if _, _, err := get(t, new(prospero.Fetcher), server.URL+path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, want that it does not exist", path, err)
		}
		got := server.Transcript()
		server.Close()
		lines := strings.Split("VERSION 5 fetch|AUTHENTICATE '' UNAUTHENTICATED guest|GET-OBJECT-INFO ACCESS-METHOD+OBJECT-INTERPRETATION+SIZE+LAST-MODIFIED+UNIX-MODES ASCII "+want, "|")
		lines = append(lines, "VERSION 5 fetch", "AUTHENTICATE '' UNAUTHENTICATED guest")
		lines = append(lines, strings.Split("DIRECTORY ASCII "+want, "|")...)
		if lines = append(lines, "LIST ATTRIBUTES COMPONENTS"); !slices.Equal(got, lines) {
			t.Errorf("%s: asked\n%s\nwant\n%s", path, strings.Join(got, "\n"), strings.Join(lines, "\n"))
		}
	}
}

// A URL that cannot be requested is an error before any byte is sent.
func TestRefusedURLs(t *testing.T) {
	server := prosperotest.NewServer(names())
	defer server.Close()
	for path, words := range map[string]string{
		"/a%0D%0Ab":                     "CR, LF or NUL",
		"/a%0Ab":                        "CR, LF or NUL",
		"/a%00b":                        "CR, LF or NUL",
		"/n;ID=a%0Ab":                   "CR, LF or NUL",
		"/n;OBJECT-VERSION=2147483648":  "a number from 0 to 2147483647",
		"/n;OBJECT-VERSION=-1":          "a number from 0",
		"/n;OBJECT-VERSION=x":           "a number from 0",
		"/n;OBJECT-VERSION=":            "a number from 0",
		"/n;ID=":                        "one or more words",
		"/n;ID=1;id=2":                  "ID occurs twice",
		"/n;x=y":                        `the field "x"`,
		"/" + strings.Repeat("x", 4097): "bytes, and the limit is 4096",
	} {
		_, _, err := get(t, new(prospero.Fetcher), server.URL+path)
		var malformed *url.Error
		if err == nil || !strings.Contains(err.Error(), words) || !errors.As(err, &malformed) && !errors.Is(err, fetchers.ErrNotRetrievable) {
			t.Errorf("%s: %v, want %q", path, err, words)
		}
	}
	u := parse(t, server.URL+"/n")
	u.User = &url.Userinfo{Name: "joe"}
	if _, err := new(prospero.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: u}); err == nil || !strings.Contains(err.Error(), "no user") {
		t.Errorf("with a user: %v", err)
	}
	if got := server.Transcript(); len(got) > 0 {
		t.Errorf("sent: %q", got)
	}
}
