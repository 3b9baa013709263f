package mail_test

import (
	"errors"
	"io"
	"net/mail"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	fetchmail "github.com/seed1ea3422f/fetch/fetchers/mail"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/url"
)

const mimeFields = "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Target{
		Fetcher:  new(fetchmail.Fetcher),
		Document: parse(t, "mailto:joe@example.com?subject=hello"),
		Content:  []byte("To: joe@example.com\r\nSubject: hello\r\n" + mimeFields),
	})
}

func TestTemplates(t *testing.T) {
	for _, c := range []struct{ url, want string }{
		{"mailto:joe@example.com", "To: joe@example.com\r\n|"},
		{"mailto:a%25b@relay.dom,c@d.dom?to=e@f.dom", "To: a%b@relay.dom, c@d.dom, e@f.dom\r\n|"},
		{"mailto:?subject=x", "Subject: x\r\n|"},
		{"mailto:infobot@example.com?body=send%20current-issue", "To: infobot@example.com\r\n|send current-issue\r\n"},
		{"mailto:a@b.c?body=one%0D%0Atwo%0Athree%0D&body=four", "To: a@b.c\r\n|one\r\ntwo\r\nthree\r\nfour\r\n"},
		{"mailto:a@b.c?Subject=caf%C3%A9", "To: a@b.c\r\nSubject: =?utf-8?q?caf=C3=A9?=\r\n|"},
		{"mailto:a@b.c?subject=%1B[2J", "To: a@b.c\r\nSubject: =?utf-8?q?=1B[2J?=\r\n|"},
		{"mailto:list@example.org?In-Reply-To=%3C3469A91.D10AF4C@example.com%3E", "To: list@example.org\r\nIn-Reply-To: <3469A91.D10AF4C@example.com>\r\n|"},
		{"mailto:a@b.c?cc=d@e.f&CC=g@h.i&bcc=Joe%20%3Cj@k.l%3E", "To: a@b.c\r\nCc: d@e.f, g@h.i\r\nBcc: \"Joe\" <j@k.l>\r\n|"},
		{"mailto:a@b.c?from=x@y.z&Content-Type=text/html&resent-to=x@y.z&X-A=b&x%3Ay=z&cc=%1Bno", "To: a@b.c\r\n|"},
		{"mailto:a@b.c?subject=" + strings.Repeat("word%20", 20) + "end", "To: a@b.c\r\n" +
			"Subject: word word word word word word word word word word word word word\r\n word word word word word word word end\r\n|"},
		{"mailto:a@b.c?subject=" + strings.Repeat("w", 100) + "%20end", "To: a@b.c\r\nSubject:\r\n " + strings.Repeat("w", 100) + "\r\n end\r\n|"},
	} {
		res, err := new(fetchmail.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: parse(t, c.url)})
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		got, err := io.ReadAll(res.Body)
		if want := strings.Replace(c.want, "|", mimeFields, 1); string(got) != want || err != nil || res.MediaType != "message/rfc822" || res.Size != int64(len(want)) {
			t.Errorf("%s: %q, size %d, %v\nwant %q", c.url, got, res.Size, err, want)
		}
		if _, err := mail.ReadMessage(strings.NewReader(string(got))); err != nil {
			t.Errorf("%s: it is no message: %v", c.url, err)
		}
	}
}

// No value can begin another header field.
func TestNothingIsInjected(t *testing.T) {
	for _, bad := range []string{
		"mailto:a@b.c?subject=x%0D%0ABcc:%20y@z", "mailto:a@b.c?subject=x%0Ay", "mailto:a@b.c?cc=x%0Dy", "mailto:a@b.c%0D%0Ax",
		"mailto:a@b.c?x%0D%0Abcc=y", "mailto:a@b.c?to=x%0A@y", "mailto:a@b.c?body=%00", "mailto:", "mailto:joe",
	} {
		var malformed *url.Error
		if _, err := new(fetchmail.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: parse(t, bad)}); !errors.As(err, &malformed) {
			t.Errorf("%s: %v, want a malformed URL", bad, err)
		}
	}
}

// FuzzTemplate checks that the message has only the allowed fields.
func FuzzTemplate(f *testing.F) {
	f.Add("a@b.c?subject=x&from=y")
	f.Add(`%22a%20b%22@c?cc="x"%20<a@b>,%20c@d&keywords=%E2%82%AC%0`)
	f.Fuzz(func(t *testing.T, s string) {
		u, err := url.Parse("mailto:" + s)
		if err != nil {
			return
		}
		res, err := new(fetchmail.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: u})
		if err != nil {
			return
		}
		text, _ := io.ReadAll(res.Body)
		header, _, ok := strings.Cut(string(text), "\r\n\r\n")
		if !ok {
			t.Fatalf("%q has no end of its header", text)
		}
		for line := range strings.SplitSeq(header, "\r\n") {
			name, _, _ := strings.Cut(line, ":")
			switch name {
			case "To", "Cc", "Bcc", "Subject", "Keywords", "Comments", "In-Reply-To", "References", "MIME-Version", "Content-Type", "Content-Transfer-Encoding":
			default:
				if !strings.HasPrefix(line, " ") {
					t.Errorf("%q begins no field that a URL may set", line)
				}
			}
			if strings.ContainsAny(line, "\r\n\x00") {
				t.Errorf("%q is not one line", line)
			}
		}
	})
}

func parse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
