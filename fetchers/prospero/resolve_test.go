package prospero_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/prospero"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
)

// The results of names. SERVER is the server in the form of a message.
func TestResolve(t *testing.T) {
	aftp := func(host, name string) []string { return []string{"AFTP", "INTERNET-D", host, "ASCII", name, "BINARY"} }
	local := []string{"LOCAL", "", "", "", ""}
	own := []string{"PROSPERO-CONTENTS", "", "", "", ""}
	names := prosperotest.Names{
		"here":         {Contents: []byte("here\n")},
		"first":        {Methods: [][]string{local, aftp("f.example", "/x"), own}, Contents: []byte("here\n")},
		"empty":        {Methods: [][]string{own, aftp("f.example", "/x")}},
		"only":         {Methods: [][]string{own}},
		"alias":        {Methods: [][]string{{"PROSPERO-CONTENTS", "", "", "", "here"}}},
		"elsewhere":    {Methods: [][]string{{"PROSPERO-CONTENTS", "INTERNET-D", "P.EXAMPLE(99)", "ASCII", "it's; here"}}},
		"unusable":     {Methods: [][]string{local, {"NFS", "", "", "", "", "/"}, {"AFTP", "x"}}},
		"folder":       {Methods: [][]string{local}, Attributes: []string{"OBJECT APPLICATION OBJECT-INTERPRETATION SEQUENCE DIRECTORY"}, Directory: true},
		"bare":         {Attributes: []string{"OBJECT INTRINSIC SIZE SEQUENCE '3 bytes'"}},
		"void":         {Directory: true},
		"disk":         {Directory: true, Links: []prosperotest.Link{{Name: "a", Host: "P.EXAMPLE", HSOName: "a"}}},
		"moved":        {Forward: "INTERNET-D SERVER ASCII moved2 0"},
		"moved2":       {Forward: "INTERNET-D SERVER ASCII here 4\nID REMOTE 4711"},
		"away":         {Forward: "INTERNET-D OTHER.EXAMPLE(11525) ASCII '/new place' 2 DEST-EXP 20301231235959Z\nID REMOTE 4711"},
		"circle":       {Forward: "INTERNET-D SERVER ASCII circle2 0"},
		"circle2":      {Forward: "INTERNET-D SERVER ASCII circle 0"},
		"to nowhere":   {Forward: "VIRTUAL-SYSTEM x ASCII y 0"},
		"to a bad one": {Forward: "INTERNET-D user@h:21 ASCII y 0"},
		"half":         {Forward: "INTERNET-D h"},
		"secret":       {Answer: "FAILURE NOT-AUTHORIZED go away\n"},
		"login":        {Answer: "FAILURE AUTHENTICATION-REQUIRED\n"},
		"broken":       {Answer: "FAILURE SERVER-FAILED\n"},
		"odd":          {Answer: "ERROR what?\n"},
		"old":          {Answer: "VERSION-NOT-SUPPORTED TRY 1-4"},
		"version 1":    {Answer: "FAILURE OUT-OF-DATE get a newer one\n"},
		"warned":       {Answer: "WARNING MESSAGE hello\nATTRIBUTE OBJECT FIELD ACCESS-METHOD AFTP INTERNET-D f.example ASCII /y TEXT\nSUCCESS\n"},
		"parrot":       {Answer: "VERSION 5 fetch\nAUTHENTICATE '' UNAUTHENTICATED guest\nGET-OBJECT-INFO ACCESS-METHOD ASCII parrot 0\n"},
		"only warned":  {Answer: "WARNING MESSAGE hello\n"},
		"failed":       {Answer: "ATTRIBUTE OBJECT FIELD ACCESS-METHOD AFTP INTERNET-D f.example ASCII /y TEXT\nFAILURE SERVER-FAILED\n"},
		"long":         {Answer: "ATTRIBUTE OBJECT APPLICATION X SEQUENCE " + strings.Repeat("x", 70_000) + "\n"},
		"endless":      {Answer: strings.Repeat("ATTRIBUTE OBJECT APPLICATION X SEQUENCE "+strings.Repeat("x", 5000)+"\n", 500)},
		"too much":     {Answer: strings.Repeat("ATTRIBUTE O N X S x\n", maxItems+1)},
	}
	server := prosperotest.NewServer(names)
	defer server.Close()
	missing, denied, protocol, useless := fs.ErrNotExist, fs.ErrPermission, fetchers.ErrProtocol, fetchers.ErrNotRetrievable
	for name, want := range map[string]struct {
		outcome string
		class   error
	}{
		"here":         {"document here\n", nil},
		"first":        {"redirect ftp://f.example/x;type=i", nil},
		"empty":        {"redirect ftp://f.example/x;type=i", nil},
		"only":         {"FAILURE NOT-FOUND", missing},
		"alias":        {"document here\n", nil},
		"elsewhere":    {"redirect prospero://p.example:99/it's%3B%20here", nil},
		"unusable":     {"no access method that can be used, of LOCAL, NFS", useless},
		"folder":       {"listing NONE-FOUND\n", nil},
		"bare":         {"no access method, and is not a directory", useless},
		"void":         {"listing NONE-FOUND\n", nil},
		"disk":         {"listing LINK  L FILE a INTERNET-D P.EXAMPLE ASCII a 0\n", nil},
		"missing":      {"FAILURE NOT-FOUND", missing},
		"moved":        {"document here\n", nil},
		"away":         {"redirect prospero://other.example:11525//new%20place;OBJECT-VERSION=2;ID=REMOTE%204711", nil},
		"circle":       {"forwarded in a circle", protocol},
		"to nowhere":   {"forwarded to y of x", protocol},
		"to a bad one": {"forwarded to y of user@h:21", protocol},
		"half":         {"FORWARDED with 3 words", protocol},
		"secret":       {"FAILURE NOT-AUTHORIZED go away", denied},
		"login":        {"FAILURE AUTHENTICATION-REQUIRED", denied},
		"broken":       {"FAILURE SERVER-FAILED", nil},
		"odd":          {"ERROR what?", nil},
		"old":          {"not a Prospero version 5 server: VERSION-NOT-SUPPORTED TRY 1-4", protocol},
		"version 1":    {"not a Prospero version 5 server: FAILURE OUT-OF-DATE", protocol},
		"warned":       {"redirect ftp://f.example/y;type=a", nil},
		"parrot":       {"the reply has no answer", protocol},
		"only warned":  {"the reply has no answer", protocol},
		"failed":       {"FAILURE SERVER-FAILED", nil},
		"long":         {"a line of more than", protocol},
		"endless":      {"and the limit is 2000", protocol},
		"too much":     {"more than 100000 lines", protocol},
	} {
		f := new(prospero.Fetcher)
		res, body, err := get(t, f, server.URL+"/"+strings.ReplaceAll(name, " ", "%20"))
		var got string
		switch {
		case err != nil:
			got = err.Error()
		case res.Kind == fetchers.Redirect:
			got = fmt.Sprintf("%v %v", res.Kind, res.Location)
		default:
			got = fmt.Sprintf("%v %s", res.Kind, body)
		}
		if !strings.Contains(got, want.outcome) || want.class != nil && !errors.Is(err, want.class) {
			t.Errorf("%s becomes %q, want %q (%v)", name, got, want.outcome, want.class)
		}
	}
	// The new location is requested with its version and its ID.
	asked := server.Transcript()
	for _, line := range []string{"GET-OBJECT-INFO CONTENTS ASCII here 4", "SELECT OBJECT FIELD ID REMOTE 4711"} {
		if !slices.Contains(asked, line) {
			t.Errorf("%q was not sent", line)
		}
	}
}

// maxItems is the limit of lines of one kind.
const maxItems = 100_000

// A listing has the entries and the order of the server, and keeps malformed lines.
func TestListing(t *testing.T) {
	answer := strings.Join([]string{
		"LINK  L FILE a' b' INTERNET-D P.EXAMPLE ASCII '/pros/a b' 0",
		"ATTRIBUTE LINK APPLICATION MENU-ITEM-DESCRIPTION SEQUENCE 'The letter a'",
		"ATTRIBUTE CACHED INTRINSIC SIZE SEQUENCE 47' bytes'",
		"ATTRIBUTE CACHED INTRINSIC LAST-MODIFIED SEQUENCE 19941201100000Z",
		"ATTRIBUTE CACHED INTRINSIC UNIX-MODES SEQUENCE -rw-r--r--",
		"ATTRIBUTE> CACHED INTRINSIC SIZE SEQUENCE 48' bytes'",
		"LINK L DIRECTORY d INTERNET-D P.EXAMPLE(1526) ASCII d 3 DEST-EXP 20301231235959Z",
		"ID REMOTE 4711",
		"LINK U DIRECTORY+FILE u INTERNET-D P.EXAMPLE ASCII u 0",
		"LINK L OBJECT o INTERNET-D P.EXAMPLE ASCII o 0",
		"LINK L EXTERNAL x INTERNET-D F.EXAMPLE ASCII /x 0",
		"ATTRIBUTE CACHED FIELD ACCESS-METHOD LOCAL '' '' '' ''",
		"ATTRIBUTE CACHED FIELD ACCESS-METHOD AFTP '' '' '' '' BINARY",
		"LINK L EXTERNAL none INTERNET-D F.EXAMPLE ASCII /x 0",
		"LINK L SYMBOLIC s VIRTUAL-SYSTEM vs ASCII /s 0",
		"LINK L NULL n NULL NULL NULL NULL NULL",
		"LINK L FILE bad INTERNET-D user:pw@h:21 ASCII /x 0",
		"LINK L FILE broken",
		"UNRESOLVED x",
		"",
	}, "\n")
	want := []string{
		"document 47 a b -> prospero://p.example//pros/a%20b",
		"listing -1 d -> prospero://p.example:1526/d;OBJECT-VERSION=3",
		"unknown -1 u -> prospero://p.example/u",
		"unknown -1 o -> prospero://p.example/o",
		"document -1 x -> ftp://f.example/x;type=i",
		"text -1 none -> nowhere",
		"text -1 s -> nowhere",
		"text -1 n -> nowhere",
		"text -1 bad -> nowhere",
		"unparsed -1 LINK L FILE broken -> nowhere",
	}
	server := prosperotest.NewServer(prosperotest.Names{"d": {Answer: answer}})
	defer server.Close()
	if got := entries(t, new(prospero.Fetcher), server.URL+"/d"); !slices.Equal(got, want) {
		t.Errorf("the directory is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	res, body, err := get(t, new(prospero.Fetcher), server.URL+"/d")
	if err != nil || body != answer || !res.Confirmed() || res.Kind != fetchers.Listing {
		t.Errorf("the directory as it came: %v, %d bytes of %d", err, len(body), len(answer))
	}
}

// A failure after some links is reported after them.
func TestListingFails(t *testing.T) {
	names := prosperotest.Names{"d": {Links: []prosperotest.Link{{Name: "a", HSOName: "a"}, {Name: "b", HSOName: "b"}}}}
	server := prosperotest.NewServer(names, prosperotest.Faults(prosperotest.FailList))
	defer server.Close()
	got := entries(t, new(prospero.Fetcher), server.URL+"/d")
	if len(got) != 3 || !strings.Contains(got[2], "error: ") || !strings.Contains(got[2], "FAILURE SERVER-FAILED") {
		t.Errorf("the entries are\n%s", strings.Join(got, "\n"))
	}
	res, err := new(prospero.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/d")})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	if _, err := io.Copy(io.Discard, res.Body); err == nil || res.Confirmed() {
		t.Errorf("the text of the listing ends in %v", err)
	}
}
