package download

import (
	"crypto/sha256"
	"fmt"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// FuzzDuplicates checks that, for any Link and digests of a response, the number of mirrors is
// limited, each is a URL that parses to itself and has no byte that splits a line, and that there
// are none without a checksum.
func FuzzDuplicates(f *testing.F) {
	const good = "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:"
	f.Add(`<http://b.example/f>; rel=duplicate; pri=1; geo=de, </g>; rel="x duplicate"`, good, "")
	f.Add(`<//c.example/f;a,b>;rel="dup\"licate";rel=duplicate`, "", "SHA-256=ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
	f.Add(strings.Repeat("<a>;rel=duplicate,", 150), "md5=:AA==:, "+good+";x=1", "sha-256=AA==")
	f.Add("<http://u:p@b.example:99999/\r\n>; rel=duplicate", good, "")
	base, err := url.Parse("http://h.example/dir/f?q")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, link, repr, old string) {
		header := textproto.MIMEHeader{}
		for name, value := range map[string]string{"Link": link, "Repr-Digest": repr, "Digest": old} {
			if value != "" {
				header[name] = []string{value}
			}
		}
		urls, sum := duplicates(&fetchers.Resource{URL: base, Header: header})
		if again, err := ParseSum(sum.String()); sum != (Sum{}) && (err != nil || again != sum) {
			t.Errorf("the checksum %q is read as %q, %v", sum, again, err)
		}
		if len(urls) > maxLinks || sum == (Sum{}) && len(urls) > 0 {
			t.Errorf("%d places, with the checksum %q", len(urls), sum)
		}
		for _, u := range urls {
			text := u.String()
			again, err := url.Parse(text)
			if err != nil || again.String() != text || strings.ContainsAny(text, "\r\n\x00 ") {
				t.Errorf("%q is read as %v, %v", text, again, err)
			}
		}
	})
}

// FuzzFindSum checks that a found checksum is valid, is found again in a line of its own, and is
// not found beside another one of the same algorithm.
func FuzzFindSum(f *testing.F) {
	const md5, sha256 = "d41d8cd98f00b204e9800998ecf8427e", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	f.Add(sha256+"  f.iso\n"+md5+" *f.iso\n", "f.iso")
	f.Add("SHA256 (dir/f.iso) = "+sha256+"\r\nSHA2-256(f.iso)= "+sha256+"\n", "f.iso")
	f.Add(`\`+sha256+`  a\nb\\`+"\n\uFEFF"+md5+"  ./a\n", "a\nb\\")
	f.Add("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n"+sha256+"  f\n"+md5+"0  f", "f")
	f.Fuzz(func(t *testing.T, text, name string) {
		sum, err := FindSum(strings.NewReader(text), name)
		if err != nil {
			if sum != (Sum{}) {
				t.Errorf("%q, and %v", sum, err)
			}
			return
		}
		if again, err := ParseSum(sum.String()); err != nil || again != sum {
			t.Errorf("%q is read as %q, %v", sum, again, err)
		}
		if strings.ContainsAny(name, "\n\r\\") || strings.HasPrefix(name, "./") || len(name) > 1000 {
			return // this line would not be valid
		}
		line := sum.algorithm + " (" + name + ") = " + sum.want + "\n"
		if again, err := FindSum(strings.NewReader(line), name); err != nil || again != sum {
			t.Errorf("%q: %q, %v", line, again, err)
		}
		other := strings.Replace(line, sum.want, strings.Map(flip, sum.want), 1)
		if again, err := FindSum(strings.NewReader(line+other), name); err == nil {
			t.Errorf("of two that differ %q is taken", again)
		}
	})
}

// flip returns another hexadecimal digit.
func flip(digit rune) rune {
	if digit == '0' {
		return '1'
	}
	return '0'
}

// FuzzJournal checks that an accepted journal lists no bytes that the partial file lacks, that its
// spans and the gaps together are the whole file, and that it reads back as written. A journal with
// one changed byte is refused.
func FuzzJournal(f *testing.F) {
	f.Add(`{"url":"http://h.example/f","size":1000,"etag":"\"v1\"","have":[[0,100],[300,400]]`, int64(400), 60, byte(1))
	f.Add(`{"url":"http://h.example/f","size":9,"modified":"2001-02-03T04:05:06Z","sum":"md5:d41d8cd98f00b204e9800998ecf8427e","have":[[3,5],[0,4]]`, int64(9), 0, byte(0x80))
	f.Add(`{"url":"http://h.example/f","size":9223372036854775807,"etag":"\"v1\"","have":[[0,9223372036854775807]]`, int64(5), -1, byte(' '))
	f.Add(`{"url":"http://h.example/f","size":-1,"etag":"\"v1\"","have":[[5,4]]`, int64(0), 100, byte('"'))
	f.Add(`{"url":"http://h.example/f","size":9,"etag":"\"v\r\n1\"","have":[[0,9]]`, int64(9), 1, byte(1))
	u, err := url.Parse("http://h.example/f")
	if err != nil {
		f.Fatal(err)
	}
	name := filepath.Join(f.TempDir(), "f.part.json")
	open := func(t *testing.T, text []byte) *journal {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := openJournal(name)
		if err != nil {
			return &journal{name: name}
		}
		return j
	}
	f.Fuzz(func(t *testing.T, sealed string, size int64, at int, change byte) {
		text := fmt.Appendf(nil, "%s%s%x%s", sealed, checkBegin, sha256.Sum256([]byte(sealed)), checkEnd)
		j := open(t, text)
		if size < 0 || !j.about(u, Sum{}, size) {
			return
		}
		if strings.ContainsAny(j.ETag, "\r\n\x00") {
			t.Errorf("the tag %q is believed", j.ETag)
		}
		next, held := int64(0), complement(j.missing(), j.Size) // sorted
		for _, s := range held {
			if s.from < next || s.to <= s.from || s.to > size {
				t.Errorf("%d bytes hold %v", size, held)
			}
			next = s.to
		}
		have := slices.Clone(j.Have)
		if err := j.note(have); err != nil {
			t.Fatal(err)
		}
		again, err := openJournal(name)
		if err != nil {
			t.Fatalf("the journal that was written is not read: %v", err)
		}
		if !again.about(u, Sum{}, size) || again.Size != j.Size || again.validator() != j.validator() || !slices.Equal(again.Have, have) {
			t.Errorf("%+v is read as %+v", j.record, again.record)
		}
		if change != 0 {
			text[uint(at)%uint(len(text))] ^= change
			if open(t, text).about(u, Sum{}, size) {
				t.Errorf("byte %d was changed, and %q is believed", at, text)
			}
		}
	})
}

// FuzzState checks that a file that is not a State is unchanged. A State loses no whole line, reads
// back the same, and takes another line.
func FuzzState(f *testing.F) {
	f.Add("{\"url\":\"http://h/1\",\"size\":5}\n{\"url\":\"http://h/2\",\"as\":\"x\",\"sum\":\"md5:00\"}\n", "http://h/3")
	f.Add("{\"url\":\"http://h/1\"}\n{\"url\":\"http://h/2", "http://h/1")
	f.Add("{\"url\":\"http://h/1\"}\n\x00\x00\x00", "\xff")
	f.Add("{\"url\":1}\n", "<&\u2028>")
	f.Add("{", "") // an empty URL was added, after which the file was no valid State
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text, added string) {
		name := filepath.Join(dir, "state")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		read := func() string {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		s, err := OpenState(name)
		if err != nil {
			if got := read(); got != text {
				t.Errorf("what is no state has become %q", got)
			}
			return
		}
		whole := text[:strings.LastIndexByte(text, '\n')+1]
		if got := read(); got != whole && got != text {
			t.Errorf("it has become %q, of which %q is whole", got, whole)
		}
		done := len(s.done)
		if err := s.Add(Done{URL: added, Size: 1}); err != nil {
			t.Error(err)
		}
		s.Close()
		again, err := OpenState(name)
		if err != nil {
			t.Fatalf("after it has taken %q: %v", added, err)
		}
		defer again.Close()
		if n := len(again.done) - done; n != 0 && n != 1 {
			t.Errorf("%d lines have become %d", done, len(again.done))
		} else if n == 1 && !again.Has(added, "", Sum{}) {
			t.Errorf("%q is not in it", added)
		}
	})
}
