package interop

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ntlm"
	"github.com/seed1ea3422f/fetch/fetchers/proxy"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
	"github.com/seed1ea3422f/fetch/url"
)

// Squid takes a login by NTLM, for requests and for tunnels. Its helper checks the messages, and
// never gets the password.
func TestProxyNTLM(t *testing.T) {
	squid, web, files := servers.Need(t, "squid"), servers.Need(t, "nginx"), servers.Need(t, "vsftpd")
	via, err := proxy.Parse("http://" + squid.Addrs["auth"])
	if err != nil {
		t.Fatal(err)
	}
	via.User = &url.Userinfo{Name: `CORP\joe`, Password: "s3cret", PasswordSet: true}
	for _, tunnel := range []bool{false, true} {
		t.Run(fmt.Sprintf("tunnel=%v", tunnel), func(t *testing.T) {
			with(t, "squid")
			router := &proxy.Router{Rules: proxy.Rules{Proxies: map[string]*url.URL{proxy.All: via}}, Logins: []string{"ntlm"}, NTLM: ntlm.Messages{}}
			set := newSet(t, &fetchers.Network{Dial: router.Dial})
			set.HTTP.ProxyLogins, set.HTTP.NTLM = router.Logins, router.NTLM
			router.Fetcher = set.Registry()
			if !tunnel {
				set.HTTP.Proxy, router.Gateway = router.Rules.Gateway, &set.HTTP
			}
			client := &fetchers.Client{Fetcher: router}
			defer client.CloseIdle()
			var notes []string
			ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Note: func(_ context.Context, text string) { notes = append(notes, text) }})
			want := onDisk(t, web, "100k.bin")
			for _, tree := range []string{web.Tree, web.Tree, "https://" + web.Addrs["https"] + "/pub", files.Tree} {
				res, err := client.Get(ctx, tree+"/100k.bin")
				if err != nil {
					t.Errorf("%s: %v", tree, err)
					continue
				}
				var got bytes.Buffer
				if _, err := got.ReadFrom(res.Body); err != nil || !bytes.Equal(got.Bytes(), want) {
					t.Errorf("%s: %d bytes that are not the %d on disk, %v", tree, got.Len(), len(want), err)
				}
				res.Close()
			}
			if all := strings.Join(notes, "\n"); !tunnel && !strings.Contains(all, "the proxy asks for a login: ntlm") {
				t.Errorf("the proxy has not required a login: %s", all)
			}
		})
	}
}
