package url_test

import (
	"fmt"
	"maps"
	neturl "net/url"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/url"
)

var benchmarkLists = map[string][]string{
	"ftp": {
		"ftp://ds.internic.net/rfc/rfc1738.txt;type=a",
		"ftp://myname@host.dom/%2Fetc/motd",
		"ftp://user:pass%40word@ftp.example.com:2121/pub/a/b/c/name.tar.gz;type=i",
		"ftp://info.cern.ch/pub/www/doc;type=d",
		"ftp://ftp.example.com/pub/a%20file%20with%20blanks.txt",
		"ftp://[2001:db8::1]/pub/",
	},
	"http": {
		"http://info.cern.ch/hypertext/WWW/TheProject.html",
		"http://www.example.com:8080/path/to/a/resource?with=a&query=string#fragment",
		"https://example.com/",
		"http://ds.internic.net/instructions/overview.html#WARNING",
		"http://www.library.my.town.va.us/Catalogue/76523471236%2Fwen44--4.98",
		"https://user:secret@www.example.com/a/rather/long/path/as/they/are/found/on/the/web/today.html?id=1234567890&lang=en",
	},
}

// BenchmarkParse measures Parse, and Parse with String, beside net/url. The goal is at most twice
// the time of net/url.
func BenchmarkParse(b *testing.B) {
	for _, scheme := range []string{"ftp", "http"} {
		list := benchmarkLists[scheme]
		b.Run("of=url/"+scheme, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, s := range list {
					if _, err := url.Parse(s); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		b.Run("of=net/"+scheme, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, s := range list {
					if _, err := neturl.Parse(s); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func BenchmarkString(b *testing.B) {
	for _, scheme := range []string{"ftp", "http"} {
		b.Run("of=url/"+scheme, func(b *testing.B) {
			b.ReportAllocs()
			var list []*url.URL
			for _, s := range benchmarkLists[scheme] {
				u, _ := url.Parse(s)
				list = append(list, u)
			}
			for b.Loop() {
				for _, u := range list {
					_ = u.String()
				}
			}
		})
		b.Run("of=net/"+scheme, func(b *testing.B) {
			b.ReportAllocs()
			var list []*neturl.URL
			for _, s := range benchmarkLists[scheme] {
				u, _ := neturl.Parse(s)
				list = append(list, u)
			}
			for b.Loop() {
				for _, u := range list {
					_ = u.String()
				}
			}
		})
	}
}

// hostile holds texts that grow by repeating their middle.
var hostile = map[string][3]string{
	"host":     {"http://", "a", "/"},
	"labels":   {"http://", "a.", "/"},
	"at":       {"ftp://", "u@", "h.dom/"},
	"colons":   {"ftp://", "u:", "@h.dom/"},
	"port":     {"http://h.dom:", "1", "/"},
	"zone":     {"http://[fe80::1%25", "e", "]/"},
	"slashes":  {"ftp://h.dom/", "/", ""},
	"dots":     {"http://h.dom/", "../", ""},
	"escapes":  {"http://h.dom/", "%2e%2e/", ""},
	"unsafe":   {"http://h.dom/", "<", ""},
	"types":    {"ftp://h.dom/", ";type=", "a"},
	"tabs":     {"gopher://h.dom/0", "%09", ""},
	"block":    {"gopher://h.dom/0s%09%09+%091%0D%0A+-1%0D%0A", "a%0D%0A", ".%0D%0A"},
	"fields":   {"prospero://h.dom/n", ";a=b", ""},
	"tagged":   {"wais://h.dom/db/TEXT/", "1=a;", ""},
	"headers":  {"mailto:a@b.dom?", "a=b&", "a=b"},
	"mail":     {"mailto:", "a@b.dom,", "a@b.dom"},
	"wildmat":  {"news:", "*", ""},
	"data":     {"data:a/b", ";a=b", ",x"},
	"urn":      {"urn:example:", "?+", ""},
	"brackets": {"<URL:", "<", ">"},
	"wrappers": {"", "<URL:foo:b-\n c>", ""},
	"openings": {"", "<a", ""},
	"hashes":   {"http://h.dom/", "#", ""},
}

// everything calls each function that takes a text, and returns the total size of the results in
// bytes.
func everything(s string) int {
	n := len(url.Redact(s)) + len(url.Unwrap(s))
	for _, f := range url.FromText(s) {
		n += len(f.URL.Path)
	}
	url.ParseStrict(s)
	u, err := url.Parse(s)
	if err != nil {
		return n
	}
	if p, rebuilt, err := read(u); err == nil {
		n += len(strings.Join(p, "")) + len(rebuilt.String())
	}
	n += len(u.Canonical().String()) + len(u.Base())
	if v, err := u.Resolve(s); err == nil {
		n += len(v.Path)
	}
	base, _ := url.Parse("http://h.dom/a/b")
	if v, err := base.Resolve(strings.TrimPrefix(s, "http:")); err == nil {
		n += len(v.Path)
	}
	return n
}

// BenchmarkHostile shows that time grows linearly: a text 16 times as long takes 16 times as long,
// so that both sizes report about the same bytes per second.
func BenchmarkHostile(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(hostile)) {
		h := hostile[name]
		for _, size := range []int{64 << 10, 1 << 20} {
			s := h[0] + strings.Repeat(h[1], size/len(h[1])) + h[2]
			b.Run(fmt.Sprintf("%s/size=%d", name, size), func(b *testing.B) {
				b.SetBytes(int64(len(s)))
				for b.Loop() {
					everything(s)
				}
			})
		}
	}
}

// The size of all results, and the memory for them, grow no faster than the text.
func TestHostileIsLinear(t *testing.T) {
	for name, h := range hostile {
		cost := func(size int) (octets int, allocated uint64) {
			s := h[0] + strings.Repeat(h[1], size/len(h[1])) + h[2]
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			octets = everything(s)
			runtime.ReadMemStats(&after)
			return octets, after.TotalAlloc - before.TotalAlloc
		}
		octets, allocated := cost(16 << 10)
		moreOctets, moreAllocated := cost(256 << 10)
		const limit = 16 * 1.5 // the rest is fixed cost and rounding
		if float64(moreOctets) > limit*float64(octets+64) || float64(moreAllocated) > limit*float64(allocated+16<<10) {
			t.Errorf("%s: 16 KiB make %d bytes from %d, 256 KiB %d from %d", name, octets, allocated, moreOctets, moreAllocated)
		}
	}
}
