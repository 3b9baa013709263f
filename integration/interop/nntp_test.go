package interop

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/url"
)

// A newsServer is one that has the articles of testdata/news.
type newsServer struct {
	root  string           // of the articles
	base  map[bool]url.URL // without a path, by whether it is for articles by message-id
	first uint64           // the number that the first article of each group has
	login bool             // it wants one
	sn    bool
}

// newsServers are the servers, and the ways to reach them.
var newsServers = []struct {
	name, server, scheme string
	login                bool
	policy               nntp.TLSPolicy
}{
	{name: "inn2", server: "inn2", scheme: "nntp"},
	{name: "inn2 in TLS", server: "inn2", scheme: "nntps"},
	{name: "inn2 with STARTTLS", server: "inn2", scheme: "nntp", policy: nntp.Required},
	{name: "inn2 with a login", server: "inn2", scheme: "auth", login: true},
	{name: "inn2 with a login after STARTTLS", server: "inn2", scheme: "auth", login: true, policy: nntp.Required},
	{name: "sn", server: "sn", scheme: "nntp"},
	{name: "nntptest", scheme: "nntp"},
	{name: "nntptest in TLS", scheme: "nntps"},
	{name: "nntptest with STARTTLS", scheme: "nntp", policy: nntp.Required},
	{name: "nntptest with a login", scheme: "nntp", login: true},
}

// forEachNews runs a test with each of the servers.
func forEachNews(t *testing.T, test func(t *testing.T, s newsServer, client *fetchers.Client)) {
	for _, c := range newsServers {
		t.Run(c.name, func(t *testing.T) {
			with(t, c.name)
			s := newsServer{first: 1, login: c.login, sn: c.server == "sn"}
			addr := ""
			if c.server == "" {
				like := servers.Need(t, "inn2")
				s.root = like.Root
				opts := []nntptest.Option{nntptest.User(like.User, like.Password), nntptest.Private("test.secret"), nntptest.StartTLS()}
				if c.login {
					opts = append(opts, nntptest.Private("*"))
				}
				if c.scheme == "nntps" {
					opts = append(opts, nntptest.TLS())
				}
				server := nntptest.NewServer(os.DirFS(like.Root), opts...)
				t.Cleanup(server.Close)
				trusted, addr = server.Certificate(), server.Addr
			} else {
				real := servers.Need(t, c.server)
				s.root, addr = real.Root, real.Addrs[c.scheme]
			}
			if s.sn {
				s.first = 10
			}
			user := ""
			if c.login {
				user = (&url.URL{Scheme: "nntp", Slashes: true, Authority: url.Authority{Host: "h", User: &url.Userinfo{Name: servers.User, Password: servers.Password, PasswordSet: true}}}).String()
				user = strings.TrimSuffix(strings.TrimPrefix(user, "nntp://"), "h")
			}
			scheme := strings.Replace(c.scheme, "auth", "nntp", 1)
			s.base = map[bool]url.URL{
				false: *parse(t, scheme+"://"+user+addr+"/g"),
				true:  *parse(t, strings.NewReplacer("nntps", "snews", "nntp", "news").Replace(scheme)+"://"+user+addr+"/g"),
			}
			set := newSet(t, nil)
			set.NNTP.StartTLS = c.policy
			client := &fetchers.Client{Fetcher: set.Registry()}
			t.Cleanup(client.CloseIdle)
			test(t, s, client)
		})
	}
}

// news and nntp return the URL of a path.
func (s newsServer) news(path string) string { return s.url(true, path) }
func (s newsServer) nntp(path string) string { return s.url(false, path) }

func (s newsServer) url(byID bool, path string) string {
	u := s.base[byID]
	u.Path = "/" + path
	return u.String()
}

// articles returns the files of a group in the order of their numbers.
func (s newsServer) articles(t *testing.T, group string) (list []string) {
	for n := 1; ; n++ {
		text, err := os.ReadFile(filepath.Join(s.root, group, fmt.Sprint(n)))
		if errors.Is(err, fs.ErrNotExist) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, strings.ReplaceAll(string(text), "\n", "\r\n"))
	}
}

// field returns a header field of an article, unfolded.
func field(article, name string) string {
	head, _, _ := strings.Cut(article, "\r\n\r\n")
	_, value, _ := strings.Cut("\r\n"+strings.NewReplacer("\r\n\t", " ", "\r\n ", " ").Replace(head)+"\r\n", "\r\n"+name+": ")
	value, _, _ = strings.Cut(value, "\r\n")
	return value
}

// Every article is the same by its number and by its message-id, with every server.
func TestNewsArticles(t *testing.T) {
	forEachNews(t, func(t *testing.T, s newsServer, client *fetchers.Client) {
		for _, group := range []string{"test.misc", "test.binaries"} {
			for i, want := range s.articles(t, group) {
				id := strings.Trim(field(want, "Message-ID"), "<>")
				if s.sn && group == "test.binaries" && i == 0 {
					continue // it is numbered as it arrives, and this one came before
				}
				for _, u := range []string{s.nntp(fmt.Sprintf("%s/%d", group, s.first+uint64(i))), s.news(id)} {
					res, got := get(t, client, u)
					_, wantBody, _ := bytes.Cut([]byte(want), []byte("\r\n\r\n"))
					_, body, _ := bytes.Cut(got, []byte("\r\n\r\n"))
					if s.sn && len(wantBody) == 0 {
						wantBody = []byte("\r\n") // sn has an empty line for it
					}
					if !bytes.Equal(body, wantBody) {
						t.Errorf("%s: the body is %.200q, want %.200q", u, body, wantBody)
					}
					subject := res.Header.Get("Subject")
					if subject != field(want, "Subject") || res.Kind != fetchers.Document || !res.Confirmed() || res.MediaType != "message/rfc822" {
						t.Errorf("%s: %v %s, subject %q, confirmed %v", u, res.Kind, res.MediaType, subject, res.Confirmed())
					}
				}
			}
		}
	})
}

func TestNewsListings(t *testing.T) {
	forEachNews(t, func(t *testing.T, s newsServer, client *fetchers.Client) {
		var want []string
		for _, a := range s.articles(t, "test.misc") {
			want = append(want, field(a, "Subject")+" "+field(a, "Message-ID"))
		}
		listed := func(u string) (list []string) {
			res, err := client.Get(t.Context(), u)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Close()
			for e, err := range res.Entries() {
				if err != nil {
					t.Fatal(err)
				}
				if e.ModTime.Year() != 2024 || e.Size < 0 || e.Kind != fetchers.Document {
					t.Errorf("%s: %+v", u, e)
				}
				list = append(list, e.Name+" "+e.Attributes["message-id"])
				entry, err := client.Get(t.Context(), e.URL.String())
				if err != nil {
					t.Errorf("%s leads to %s: %v", u, e.URL, err)
				}
				entry.Close()
			}
			return list
		}
		for _, u := range []string{s.nntp("test.misc"), s.news("test.misc"), s.nntp(fmt.Sprintf("test.misc/%d-%d", s.first, s.first+999))} {
			if got := listed(u); !slices.Equal(got, want) {
				t.Errorf("%s lists\n%q, want\n%q", u, got, want)
			}
		}
		if got := listed(s.nntp(fmt.Sprintf("test.misc/%d-%d", s.first+2, s.first+4))); !slices.Equal(got, want[2:5]) {
			t.Errorf("the range is\n%q, want\n%q", got, want[2:5])
		}
		if got := listed(s.nntp("test.empty")); len(got) != 0 {
			t.Errorf("test.empty has %q", got)
		}
		for path, want := range map[string][]string{
			"test.*": {"test.binaries", "test.empty", "test.misc"}, "test.m*,!*.misc": nil, "test.*,!test.b*": {"test.empty", "test.misc"}, "nope.*": nil,
		} {
			res, err := client.Get(t.Context(), s.news(path))
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			var got []string
			for e, err := range res.Entries() {
				if err != nil || e.Kind != fetchers.Listing || e.Title == "" || e.Attributes["count"] == "" {
					t.Errorf("%s: %+v, %v", path, e, err)
				}
				if e.Name != "test.secret" {
					got = append(got, e.Name)
				}
			}
			res.Close()
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s lists %q, want %q", path, got, want)
			}
		}
	})
}

func TestNewsRefusals(t *testing.T) {
	forEachNews(t, func(t *testing.T, s newsServer, client *fetchers.Client) {
		for _, u := range []string{s.nntp("test.nope"), s.nntp("test.nope/1"), s.nntp("test.misc/999"), s.nntp("test.misc/500-600"), s.news("nope@example.test"), s.news("test.nope")} {
			if _, err := client.Get(t.Context(), u); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v, want fs.ErrNotExist", u, err)
			}
		}
		if !s.login {
			return
		}
		if _, got := get(t, client, s.nntp("test.secret/1")); !bytes.HasSuffix(got, []byte("for your eyes only\r\n")) {
			t.Errorf("test.secret/1 is %q", got)
		}
		for name, who := range map[string]*url.Userinfo{
			"nobody": nil, "without a password": {Name: servers.User}, "with a wrong one": {Name: servers.User, Password: "wr0ng", PasswordSet: true},
		} {
			u := parse(t, s.nntp("test.misc/1"))
			u.User = who
			if _, err := client.Get(t.Context(), u.String()); !errors.Is(err, fetchers.ErrLogin) || strings.Contains(err.Error(), "wr0ng") {
				t.Errorf("%s: %v, want ErrLogin", name, err)
			}
		}
	})
}

// The promises of a Fetcher hold with servers that are not our own.
func TestNewsConformance(t *testing.T) {
	forEachNews(t, func(t *testing.T, s newsServer, client *fetchers.Client) {
		if strings.Contains(t.Name(), "TLS") {
			t.Skip("what TLS changes is over before anything is promised, and INN takes its time for it")
		}
		u := s.nntp(fmt.Sprintf("test.misc/%d", s.first+8))
		_, content := get(t, client, u)
		client.CloseIdle()
		conformance.Run(t, conformance.Target{
			Fetcher: client.Fetcher, Document: parse(t, u), Content: content,
			Missing: parse(t, s.nntp("test.misc/999")), Directory: parse(t, s.nntp("test.misc")),
		})
	})
}
