package download_test

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
)

const pieceLength = 1 << 20

// pieces returns Metalink elements with the hashes of the pieces of v.
func pieces(v version) (hashes []string) {
	for piece := range slices.Chunk(v.content, pieceLength) {
		hashes = append(hashes, fmt.Sprintf("<hash>%x</hash>", sha1.Sum(piece)))
	}
	return hashes
}

// described reads a Metalink about one file.
func described(t *testing.T, text string) download.Described {
	t.Helper()
	for file, err := range download.ReadMetalink(strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	t.Fatal("no file is described")
	return download.Described{}
}

// TestPieces saves from two mirrors, each with a different wrong piece.
func TestPieces(t *testing.T) {
	spoiled := func(piece int) version {
		v := version{bytes.Clone(long.content), fmt.Sprintf(`"spoiled-%d"`, piece), day}
		v.content[piece*pieceLength+5] ^= 1
		return v
	}
	right := pieces(long)
	counted := slices.Clone(right)
	for i := range counted {
		counted[i] = strings.Replace(right[i], "<hash", fmt.Sprintf("<hash piece=%q", fmt.Sprint(i)), 1)
	}
	swapped := slices.Clone(counted)
	swapped[1], swapped[2] = swapped[2], swapped[1]
	sum := fmt.Sprintf("%x", sum256(long.content))
	v4 := func(hashes []string, length int) string {
		return four(fmt.Sprintf(`<file name="f"><hash type="sha-256">%s</hash><pieces type="sha-1" length="%d">%s</pieces><url>http://a/</url></file>`, sum, length, strings.Join(hashes, "")))
	}
	v3 := func(hashes []string) string {
		return three(fmt.Sprintf(`<file name="f"><verification><pieces type="sha1" length="%d">%s</pieces><hash type="sha256">%s</hash></verification><resources><url>http://a/</url></resources></file>`, pieceLength, strings.Join(hashes, ""), sum))
	}
	for name, test := range map[string]struct {
		metalink string
		first    version
		segments int
		most     int64 // maximum number of sent pieces, of 8; unneeded ones may be many
		fails    bool
	}{
		"one after the other":                 {v4(right, pieceLength), spoiled(1), 1, 9, false},
		"of version 3":                        {v3(counted), spoiled(7), 1, 9, false},
		"at once":                             {v4(right, pieceLength), spoiled(1), 3, 1 << 10, false},
		"both have the same wrong":            {v4(right, pieceLength), spoiled(5), 1, 11, true},
		"in another order":                    {v3(swapped), spoiled(1), 1, 16, true},
		"of another length":                   {v4(right, pieceLength+1<<19), spoiled(1), 1, 16, true},
		"of no length":                        {v4(right, 0), spoiled(1), 1, 16, true},
		"one is none":                         {v4(append(right[:7:7], "<hash>00</hash>"), pieceLength), spoiled(1), 1, 16, true},
		"all are of something else":           {v4(pieces(version{content: content(6, 8<<20)}), pieceLength), spoiled(1), 1, 16, true},
		"a wrong piece with a right checksum": {v4(pieces(spoiled(1)), pieceLength), spoiled(1), 1, 16, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := described(t, test.metalink)
			first, second := newMirror(t, 0, test.first.serve), newMirror(t, 0, spoiled(5).serve)
			to := download.Target{Name: filepath.Join(t.TempDir(), "f"), Sum: file.Sum, Pieces: file.Pieces}
			saver := &download.Saver{Fetcher: web(t), Segments: test.segments}
			_, err := saver.SaveAny(t.Context(), []*fetchers.Request{request(t, first.URL), request(t, second.URL)}, to)
			if test.fails != errors.Is(err, download.ErrChecksum) || err != nil && !test.fails {
				t.Fatal(err)
			}
			if sent := first.sent.Load() + second.sent.Load(); sent > test.most*pieceLength+1<<19 {
				t.Errorf("%d bytes were sent", sent)
			}
			if test.fails {
				wantNone(t, to.Name)
				return
			}
			wantContent(t, to.Name, long.content)
			wantAlone(t, to.Name)
		})
	}
}

// TestManyWrongPieces checks that the right pieces of a file are kept, although they are too many
// for a journal.
func TestManyWrongPieces(t *testing.T) {
	const piece = 1 << 10
	good := bytes.Repeat([]byte("0123456789abcde\n"), 8<<20/16)
	bad := bytes.Clone(good)
	var text strings.Builder
	fmt.Fprintf(&text, `<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="f"><hash type="sha-256">%x</hash><pieces type="sha-256" length="%d">`, sha256.Sum256(good), piece)
	for i := 0; i < len(good); i += piece {
		fmt.Fprintf(&text, "<hash>%x</hash>", sha256.Sum256(good[i:i+piece]))
		if i/piece%2 == 0 {
			bad[i] ^= 1
		}
	}
	text.WriteString(`</pieces><url>http://h.example/f</url></file></metalink>`)
	about := described(t, text.String())
	content := bad
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		version{content, `"x"`, day}.serve(w, r)
	}))
	defer server.Close()
	name := filepath.Join(t.TempDir(), "f")
	saver := download.Saver{Fetcher: web(t), Segments: 1}
	to := download.Target{Name: name, Sum: about.Sum, Pieces: about.Pieces}
	if _, err := saver.Save(t.Context(), request(t, server.URL+"/f"), to); !errors.Is(err, download.ErrChecksum) {
		t.Fatalf("error = %v, want that of the checksum", err)
	}
	if info, err := os.Stat(name + ".part.json"); err != nil || info.Size() > 64<<10 {
		t.Fatalf("the journal: %v, %v", info, err)
	}
	content = good
	saved, err := saver.Save(t.Context(), request(t, server.URL+"/f"), to)
	if err != nil || saved.Resumed == 0 {
		t.Fatalf("%+v, %v; want what was right to be gone on with", saved, err)
	}
	wantContent(t, name, good)
	wantAlone(t, name)
}
