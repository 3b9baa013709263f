package message_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/message"
)

// A failure is a source error of a type that is not comparable.
type failure struct{ words []string }

func (f failure) Error() string { return strings.Join(f.words, ": ") }

// failures look like errors of decoders, but are errors of a source.
var failures = []string{"stalled", "multipart: NextPart: EOF", "quotedprintable: invalid", "malformed MIME header", "bufio: buffer full"}

// A failing reader returns its text, and then the error on every further Read.
type failing struct {
	text io.Reader
	err  error
}

func (f failing) Read(p []byte) (int, error) {
	n, err := f.text.Read(p)
	if err == io.EOF {
		err = f.err
	}
	return n, err
}

// fails reads text from a source that fails with the message words.
func fails(text, words string) error {
	_, err := files(failing{strings.NewReader(text), failure{[]string{words}}})
	return err
}

// A message that is well-formed up to the failure of its source yields only that failure, wherever
// it is cut.
func TestSourceFailsAnywhere(t *testing.T) {
	names, _ := filepath.Glob("../testdata/news/test.misc/*")
	if len(names) == 0 {
		t.Fatal("no articles")
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := files(strings.NewReader(string(text))); err != nil {
			continue
		}
		for at := range min(len(text), 3000) {
			words := failures[at%len(failures)]
			if err := fails(string(text[:at]), words); !errors.As(err, new(failure)) || errors.Is(err, message.ErrMalformed) {
				t.Errorf("%s cut at %d: %v, want %q", name, at, err, words)
			}
		}
	}
}

// After a malformed part the following parts are returned, and the errors of a message end.
func TestGoesOn(t *testing.T) {
	const (
		mixed = "Content-Type: multipart/mixed; boundary=b\n\n"
		last  = "--b\n\nlast\n--b--\n"
	)
	deep := ""
	for n := range 20 {
		deep += fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", n, n)
	}
	for name, c := range map[string]struct{ text, want string }{
		"base64":             {mixed + "--b\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\nAAA=AAA=x\n" + last, `image/png malformed, text/plain "last"`},
		"quoted-printable":   {mixed + "--b\nContent-Transfer-Encoding: quoted-printable\n\na\x01b\n" + last, `text/plain malformed, text/plain "last"`},
		"a header":           {mixed + "--b\nno field\n\nx\n" + last, "malformed"},
		"uuencode":           {mixed + "--b\n\nbegin 644 x\n#0V%T\nhello, world\nrest\n" + last, `application/octet-stream malformed, text/plain "last"`},
		"a checksum":         {"\n=ybegin line=128 size=3 name=x\nabc\n=yend size=3 crc32=00000000\nrest", `application/octet-stream checksum, text/plain "rest"`},
		"a file in text":     {mixed + "--b\n\n=ybegin part=1 line=128 size=3 name=x\nabc\nabc\n" + last, `malformed, text/plain "last"`},
		"an inner multipart": {mixed + "--b\nContent-Type: multipart/mixed; boundary=c\n\nnothing\n" + last, `malformed, text/plain "last"`},
		"no boundary comes":  {mixed + "text\n", "malformed"},
		"no last boundary":   {mixed + "--b\n\ntext\n", "text/plain cut, malformed"},
		"too deep":           {deep, "malformed" + strings.Repeat(", cut", 15) + ", malformed"},
		"the header":         {"X: " + strings.Repeat("x", 1<<21) + "\n\ntext", "malformed"},
	} {
		if got := strings.Join(events(strings.NewReader(c.text)), ", "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// events returns the files and the errors of a message, up to a failure of the source.
func events(in io.Reader) (list []string) {
	word := func(err error) string {
		for class, word := range map[error]string{message.ErrMalformed: "malformed", message.ErrChecksum: "checksum", io.ErrUnexpectedEOF: "cut"} {
			if errors.Is(err, class) {
				return word
			}
		}
		return err.Error()
	}
	r := message.NewFileReader(in)
	for {
		f, err := r.Next()
		switch {
		case err == io.EOF, errors.As(err, new(failure)):
			return list
		case err != nil:
			list = append(list, word(err))
			continue
		}
		body, err := io.ReadAll(f.Body)
		if err != nil {
			list = append(list, f.MediaType+" "+word(err))
			continue
		}
		list = append(list, fmt.Sprintf("%s %q", f.MediaType, body))
	}
}

// Each error either is the error of the source or has a class of this package, and never both.
func FuzzErrors(f *testing.F) {
	const parts = "Content-Type: multipart/mixed; boundary=b\n\n--b\n"
	for i, text := range []string{
		parts + "no field\n\nx\n--b--\n", parts + "Content-Ty", parts + "\nx\n", parts + parts + "X: y\n\nx\n--b--\n",
		"Content-Transfer-Encoding: base64\n\nAAA=AAA=x\n", "Content-Transfer-Encoding: quoted-printable\n\n\x01\n",
		"Content-Transfer-Encoding: quoted-printable\n\n" + strings.Repeat("x", 70_000), "\nbegin 644 x\n#0V%T\n`\nend\n", "\n=ybegin line=128 size=3 name=x\nabc\n=yend size=3\n",
	} {
		f.Add(text, i)
	}
	f.Fuzz(func(t *testing.T, text string, i int) {
		classed := func(err error) bool {
			return errors.Is(err, message.ErrMalformed) || errors.Is(err, message.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF)
		}
		if _, err := files(strings.NewReader(text)); err != nil && !classed(err) {
			t.Errorf("%.100q: %v, of no class", text, err)
		}
		if n := len(events(strings.NewReader(text))); n > len(text)+2 {
			t.Errorf("%.100q has %d parts", text, n)
		}
		words := failures[uint(i)%uint(len(failures))]
		if err := fails(text, words); errors.As(err, new(failure)) == classed(err) {
			t.Errorf("%.100q and then %q: %v", text, words, fmt.Sprint(err))
		}
	})
}
