package http_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers/http"
)

func TestHSTS(t *testing.T) {
	for _, c := range []struct {
		name, from, field, to, want string // want "" means no upgrade
	}{
		{"the host", "https://h.example/", "max-age=100", "http://h.example/x?y#z", "https://h.example/x?y#z"},
		{"in capitals and quotes", "https://h.example/", `MAX-AGE = "100" ; Preload`, "http://H.example./", "https://h.example./"},
		{"https already", "https://h.example/", "max-age=100", "https://h.example/", ""},
		{"another scheme", "https://h.example/", "max-age=100", "ftp://h.example/", ""},
		{"port 80 becomes 443", "https://h.example/", "max-age=100", "http://h.example:80/", "https://h.example:443/"},
		{"another port stays", "https://h.example:8443/", "max-age=100", "http://h.example:8080/", "https://h.example:8080/"},
		{"the user stays", "https://h.example/", "max-age=100", "http://u:p@h.example/", "https://u:p@h.example/"},
		{"not the hosts below", "https://h.example/", "max-age=100", "http://b.h.example/", ""},
		{"the hosts below", "https://h.example/", "max-age=100; includeSubDomains", "http://c.b.h.example/", "https://c.b.h.example/"},
		{"not the host above", "https://b.h.example/", "max-age=100; includeSubDomains", "http://h.example/", ""},
		{"not a name that ends alike", "https://h.example/", "max-age=100; includeSubDomains", "http://evilh.example/", ""},
		{"not over http", "http://h.example/", "max-age=100", "http://h.example/", ""},
		{"not an address", "https://127.0.0.1/", "max-age=100", "http://127.0.0.1/", ""},
		{"not an IPv6 address", "https://[::1]/", "max-age=100", "http://[::1]/", ""},
		{"max-age of 0", "https://h.example/", "max-age=0", "http://h.example/", ""},
		{"no max-age", "https://h.example/", "includeSubDomains", "http://h.example/", ""},
		{"an empty max-age", "https://h.example/", "max-age=", "http://h.example/", ""},
		{"half a quote", "https://h.example/", `max-age="`, "http://h.example/", ""},
		{"a negative max-age", "https://h.example/", "max-age=-1", "http://h.example/", ""},
		{"a huge max-age", "https://h.example/", "max-age=99999999999999999999", "http://h.example/", "https://h.example/"},
		{"twice", "https://h.example/", "max-age=100; max-age=100", "http://h.example/", ""},
		{"empty directives", "https://h.example/", ";; max-age=100 ;", "http://h.example/", "https://h.example/"},
		{"an unknown directive", "https://h.example/", "max-age=100; x=y", "http://h.example/", "https://h.example/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var store http.HSTS
			store.Receive(parse(t, c.from), c.field)
			u, got := parse(t, c.to), ""
			if to := store.Upgrade(u); to != nil {
				got = to.String()
			}
			if got != c.want {
				t.Errorf("%s leads to %q, want %q", c.to, got, c.want)
			}
			if u.String() != parse(t, c.to).String() {
				t.Error("the URL was changed")
			}
		})
	}
	var none *http.HSTS
	if to := none.Upgrade(parse(t, "http://h.example/")); to != nil {
		t.Errorf("no store leads to %s", to)
	}
}

func TestHSTSForgets(t *testing.T) {
	var store http.HSTS
	secure, u := parse(t, "https://h.example/"), parse(t, "http://h.example/")
	store.Receive(secure, "max-age=100")
	store.Receive(secure, "nonsense")
	if store.Upgrade(u) == nil {
		t.Error("forgotten")
	}
	store.Receive(secure, "max-age=0")
	if store.Upgrade(u) != nil {
		t.Error("not forgotten")
	}
}

func TestHSTSBounds(t *testing.T) {
	var store http.HSTS
	store.Receive(parse(t, "https://kept.example/"), "max-age=100")
	for i := range 5000 {
		store.Receive(parse(t, fmt.Sprintf("https://h%d.h.example/", i)), "max-age=100")
	}
	if n := saved(t, &store); n != 101 || store.Upgrade(parse(t, "http://kept.example/")) == nil {
		t.Errorf("%d hosts", n)
	}
	for i := range 2000 {
		store.Receive(parse(t, fmt.Sprintf("https://h%d.example/", i)), "max-age=100")
	}
	if n := saved(t, &store); n != 1000 {
		t.Errorf("%d hosts", n)
	}
}

// saved returns how many hosts a store saves.
func saved(t *testing.T, store *http.HSTS) int {
	t.Helper()
	var file strings.Builder
	if err := store.Save(&file); err != nil {
		t.Fatal(err)
	}
	return strings.Count(file.String(), "\n") - 1
}

func TestHSTSFile(t *testing.T) {
	const file = "# remark\n\n" +
		"h.example \"29991120 12:00:00\"\n" +
		".Below.example. \"unlimited\"\r\n" +
		"old.example \"20011120 12:00:00\"\n"
	const bad = "h.example\n" +
		"h.example 20261120 12:00:00\n" +
		"h.example \"soon\"\n" +
		"127.0.0.1 \"unlimited\"\n" +
		"h:80 \"unlimited\"\n"
	var store http.HSTS
	err := store.Load(strings.NewReader(file + bad + "last.example \"unlimited\""))
	const want = "line 6: no time in quotes\nline 7: no time in quotes\nline 8: bad time\nline 9: an address\nline 10: bad host"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	var got strings.Builder
	if err := store.Save(&got); err != nil {
		t.Fatal(err)
	}
	const kept = "# HSTS hosts. Written by fetch. Edit at your own risk.\n" +
		"h.example \"29991120 12:00:00\"\n.below.example \"unlimited\"\nlast.example \"unlimited\"\n"
	if got.String() != kept {
		t.Errorf("%s\nwant %s", got.String(), kept)
	}
}

// FuzzHSTSFile checks that saved hosts are read unchanged, and that a malformed line affects no
// other.
func FuzzHSTSFile(f *testing.F) {
	f.Add(".h.example \"29991120 12:00:00\"", "max-age=1; includeSubDomains")
	f.Add("h.example \"unlimited\"\r\n# \n\x00", `max-age="`)
	f.Fuzz(func(t *testing.T, text, field string) {
		var first, second http.HSTS
		first.Load(strings.NewReader(text + "\nlast.example \"unlimited\""))
		if first.Upgrade(parse(t, "http://last.example/")) == nil {
			t.Fatal("the last line is lost")
		}
		first.Receive(parse(t, "https://received.example/"), field)
		var one, two strings.Builder
		if err := first.Save(&one); err != nil {
			t.Fatal(err)
		}
		if err := second.Load(strings.NewReader(one.String())); err != nil {
			t.Fatalf("%v in\n%q", err, one.String())
		}
		if second.Save(&two); one.String() != two.String() {
			t.Fatalf("%q became %q", one.String(), two.String())
		}
	})
}
