package http_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers/http"
)

func TestReadCookies(t *testing.T) {
	const file = "# Netscape HTTP Cookie File\n" +
		"\n" +
		".h.example\tTRUE\t/\tFALSE\t4102444800\ta\t1\n" +
		"#HttpOnly_H.example.\tFALSE\t/x\tTRUE\t0\tb\t\r\n" +
		"127.0.0.1\tFALSE\t/\tFALSE\t0\tno value\n" +
		"[::1]\tFALSE\t/\tFALSE\t0\tsix\t \"1=2\" \n" +
		".co.uk\tTRUE\t/\tFALSE\t0\tsuper\tcookie\n" +
		"h.example\tFALSE\t\tFALSE\t4102444800.75\tempty path\t\n" +
		"h.example\t\tFALSE\t/\t\t\tFALSE\t0\tTABs\t\t1\n" +
		"h.example\tFALSE\t/\tFALSE\t\tno time\t\n" +
		"h.example\tFALSE\t/\tFALSE\t-1\told\t1\n" +
		"HTTP/1.1 200 OK\r\n" +
		"Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n" +
		"set-cookie: d=1; Domain=.H.example; Secure; HttpOnly\r\n" +
		"Set-Cookie:e=\"1, 2\";path=/x; domain=127.0.0.1\r\n" +
		"\r\n"
	want := []http.Cookie{
		{Name: "a", Value: "1", Domain: "h.example", Path: "/", Expires: time.Unix(4102444800, 0).UTC()},
		{Name: "b", Domain: "h.example", HostOnly: true, Path: "/x", Secure: true, HTTPOnly: true},
		{Name: "no value", Domain: "127.0.0.1", HostOnly: true, Path: "/"},
		{Name: "six", Value: ` "1=2" `, Domain: "::1", HostOnly: true, Path: "/"},
		{Name: "super", Value: "cookie", Domain: "co.uk", HostOnly: true, Path: "/"}, // for this host alone
		{Name: "empty path", Domain: "h.example", HostOnly: true, Path: "/", Expires: time.Unix(4102444800, 0).UTC()},
		{Name: "TABs", Value: "1", Domain: "h.example", HostOnly: true, Path: "/"},
		{Name: "no time", Domain: "h.example", HostOnly: true, Path: "/"},
		{Name: "old", Value: "1", Domain: "h.example", HostOnly: true, Path: "/", Expires: time.Unix(1, 0).UTC()},
		{Name: "d", Value: "1", Domain: "h.example", Path: "/", Secure: true, HTTPOnly: true},
		{Name: "e", Value: `"1, 2"`, Domain: "127.0.0.1", HostOnly: true, Path: "/x"},
	}
	got, err := http.ReadCookies(strings.NewReader(file))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
}

// A malformed line is reported without its text, which may be a secret. The other lines are read.
func TestBadCookieLines(t *testing.T) {
	for _, c := range []struct{ line, err string }{
		{"s3cret", "1 fields instead of 7"},
		{"Set-Cookie: a=s3cret", "no Domain"},
		{"Set-Cookie: s3cret", "bad cookie"},
		{"Set-Cookie: a=s3\x00cret; Domain=h.example", "bad cookie"},
		{"Set-Cookie: a=1; Domain=s3 cret", "bad host"},
		{"Set-Cookie: a=1; Domain=h.example; Path=/s3\x00cret", "bad domain or path"},
		{"Set-Cookie: __Host-a=s3cret; Domain=h.example; Path=/; Secure", "bad cookie"},
		{"h.example\t\tFALSE\t/\tFALSE\t0\ta", "neither TRUE nor FALSE"},
		{"h.example\tFALSE\t/\tFALSE\t0\ta\ts3cret\tmore", "8 fields instead of 7"},
		{"h.example\tyes\t/\tFALSE\t0\ta\ts3cret", "neither TRUE nor FALSE"},
		{"h.example\tFALSE\t/\t\t0\ta\ts3cret", "neither TRUE nor FALSE"},
		{"h.example\tFALSE\t/\tFALSE\tsoon\ta\ts3cret", "bad time"},
		{"h.example\tFALSE\t/\tFALSE\t1e9\ta\ts3cret", "bad time"},
		{"h.example\tFALSE\t/\tFALSE\t999999999999999\ta\ts3cret", "bad time"},
		{"h.example\tFALSE\tx\tFALSE\t0\ta\ts3cret", "bad path"},
		{"h.example\tFALSE\t/\tFALSE\t0\t\ts3cret", "bad name or value"},
		{"h.example\tFALSE\t/\tFALSE\t0\ta\ts3cret; b=2", "bad name or value"},
		{"h.example\tFALSE\t/\tFALSE\t0\ta\ts3\x00cret", "bad name or value"},
		{"h example\tFALSE\t/\tFALSE\t0\ta\ts3cret", "bad host"},
		{"h.example:80\tFALSE\t/\tFALSE\t0\ta\ts3cret", "bad host"},
		{"u@h.example\tFALSE\t/\tFALSE\t0\ta\ts3cret", "bad host"},
		{"h.example/x\tFALSE\t/\tFALSE\t0\ta\ts3cret", "bad host"},
		{"\tFALSE\t/\tFALSE\t0\ta\ts3cret", "bad host"},
		{"h.example\tFALSE\t/\tFALSE\t0\ta\ts3cret" + strings.Repeat("x", 20_000), "too long"},
	} {
		good := "h.example\tFALSE\t/\tFALSE\t0\tgood\t%d\n"
		got, err := http.ReadCookies(strings.NewReader(fmt.Sprintf(good, 1) + c.line + "\n" + fmt.Sprintf(good, 3)))
		if err == nil || err.Error() != "line 2: "+c.err {
			t.Errorf("%.40q: error %v, want %s", c.line, err, c.err)
		}
		if len(got) != 2 || got[0].Value != "1" || got[1].Value != "3" {
			t.Errorf("%.40q: others are %+v", c.line, got)
		}
	}
	_, err := http.ReadCookies(strings.NewReader(strings.Repeat("bad\n", 1000)))
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 21 || lines[20] != "and 980 lines more" {
		t.Errorf("error %v", err)
	}
	if lines, ok := errors.AsType[*http.LinesError](err); !ok || len(lines.Lines) != 20 || lines.More != 980 {
		t.Errorf("error %#v", err)
	}
	broken := errors.New("broken disk")
	got, err := http.ReadCookies(io.MultiReader(strings.NewReader("h.example\tFALSE\t/\tFALSE\t0\ta\t1\nh.exam"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || len(got) != 1 {
		t.Errorf("%+v, error %v", got, err)
	}
}

// A cookie of a header without a Domain is for the host of LoadFor alone.
func TestLoadFor(t *testing.T) {
	const header = "HTTP/1.1 302 Found\nSet-Cookie: a=1; Path=/x\nSet-Cookie: b=2; Domain=i.example\n"
	var jar http.Jar
	if err := jar.LoadFor(strings.NewReader(header), parse(t, "http://H.example./y")); err != nil {
		t.Fatal(err)
	}
	for to, want := range map[string]string{
		"http://h.example/x": "a=1", "http://h.example/y": "", "http://b.h.example/x": "", "http://b.i.example/x": "b=2", "http://j.example/x": "",
	} {
		if got := jar.Field(parse(t, to)); got != want {
			t.Errorf("%s gets %q, want %q", to, got, want)
		}
	}
	var nobody http.Jar
	if err := nobody.Load(strings.NewReader(header)); err == nil || err.Error() != "line 2: no Domain" || len(nobody.Cookies()) != 1 {
		t.Errorf("%v, and %+v", err, nobody.Cookies())
	}
}

func TestSaveCookies(t *testing.T) {
	var jar http.Jar
	jar.Receive(parse(t, "https://b.h.example/x/y"), []string{"a=1; Domain=h.example; Secure; HttpOnly; Max-Age=100", "b="})
	var file strings.Builder
	if err := jar.Save(&file); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("# Netscape HTTP Cookie File\n# Written by fetch. Edit at your own risk.\n\n"+
		"#HttpOnly_.h.example\tTRUE\t/x\tTRUE\t%d\ta\t1\n"+
		"b.h.example\tFALSE\t/x\tFALSE\t0\tb\t\n", jar.Cookies()[0].Expires.Unix())
	if file.String() != want {
		t.Errorf("%s\nwant %s", file.String(), want)
	}
	full := errors.New("disk full")
	if err := jar.Save(failing{full}); err != full {
		t.Errorf("error %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// FuzzCookieFile checks that saved cookies are read unchanged, and that a malformed line affects no
// other.
func FuzzCookieFile(f *testing.F) {
	f.Add(".h.example\tTRUE\t/\tFALSE\t4102444800\ta\t1")
	f.Add("#HttpOnly_h.example\tFALSE\t/x\tTRUE\t0\tb\t")
	f.Add("# remark\r\n\n\x00")
	f.Add("HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Domain=.h.example; Max-Age=-1\nSet-Cookie: b=\"\"; Domain=127.0.0.1; Path=/x")
	f.Add("h.example\t\tFALSE\t\tFALSE\t0.5\ta\t\t1")
	f.Fuzz(func(t *testing.T, text string) {
		const good = "last.example\tFALSE\t/\tFALSE\t0\tlast\tgood"
		got, _ := http.ReadCookies(strings.NewReader(text + "\n" + good))
		if len(got) == 0 || got[len(got)-1].Name != "last" {
			t.Fatalf("the last line is lost: %+v", got)
		}
		var first, second http.Jar
		var one, two strings.Builder
		first.Load(strings.NewReader(text))
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
