package message_test

import (
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/message"
)

func TestDecodeWords(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"no word", "plain", "plain"},
		{"nothing", "", ""},
		{"UTF-8", "=?utf-8?q?Gr=C3=BC=C3=9Fe?= from =?UTF-8?B?SsO2cmc=?=", "Grüße from Jörg"},
		{"Latin-1", "=?ISO-8859-1?Q?Caf=E9?= <a@b>", "Café <a@b>"},
		{"no blank between words", "=?koi8-r?B?7dXa2cvB?= =?koi8-r?Q?_=CD=C9=D2?=", "Музыка мир"},
		{"Japanese", "=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"},
		{"Windows", "=?windows-1252?q?=93q=94?=", "“q”"},
		{"a language", "=?koi8-r*ru?q?=CD=C9=D2?=", "мир"},
		{"UTF-8 with a language that is none", "=?utf-8*de?q?=C3?=", "\ufffd"},
		{"an unknown set", "=?x-none?q?caf=E9_b?=", "caf\ufffd b"},
		{"a set that is not decoded", "=?iso-2022-kr?q?abc?=", "abc"},
		{"bad base64", "=?utf-8?b?!!!?= and =?utf-8?q?=C3=A9?=", "=?utf-8?b?!!!?= and é"},
		{"no end", "=?utf-8?q?abc", "=?utf-8?q?abc"},
		{"bytes beside a word", "\xe9 =?utf-8?q?=C3=A9?=", "\xe9 é"},
		{"a line end and an escape", "=?utf-8?q?=0A=1B[2J?=", "\n\x1b[2J"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := message.DecodeWords(c.in); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestUTF8(t *testing.T) {
	for _, c := range []struct {
		charset, in, want string
		known             bool
	}{
		{"ISO-8859-15", "caf\xe9 \xa4", "café €", true},
		{"latin1", "caf\xe9", "café", true},
		{"shift_jis", "\x93\xfa\x96\x7b", "日本", true},
		{"UTF-8", "\xff", "\xff", true},
		{"utf-7", "+AOk-", "+AOk-", false},
		{"iso-2022-kr", "\x0e", "\x0e", false},
		{"", "\xe9", "\xe9", false},
	} {
		text, known := message.UTF8(strings.NewReader(c.in), c.charset)
		got, err := io.ReadAll(text)
		if string(got) != c.want || known != c.known || err != nil {
			t.Errorf("%s: %q, %v, %v; want %q, %v", c.charset, got, known, err, c.want, c.known)
		}
	}
}

// A header field in UTF-8 stays in UTF-8, and grows at most sixfold.
func FuzzDecodeWords(f *testing.F) {
	f.Add("=?utf-8?q?Gr=C3=BC=C3=9Fe?= =?koi8-r?B?7dXa2cvB?= =?x?q?=E9?=")
	f.Add("=?utf-16?q?=E9=00=1B?= =?iso-2022-jp?b?GyRC?= =?gb18030*zh?q?=81=30=81?=")
	f.Fuzz(func(t *testing.T, value string) {
		got := message.DecodeWords(value)
		if utf8.ValidString(value) && !utf8.ValidString(got) || len(got) > 6*len(value) {
			t.Errorf("%q became %q", value, got)
		}
	})
}
