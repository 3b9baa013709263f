package download_test

import (
	"errors"
	"fmt"
	nethttp "net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
)

// The caller guarantees the beginning of the file. Only the rest is ever appended to it.
func TestHead(t *testing.T) {
	const head = 1000
	errFile := errors.New("a FileError")
	whole := version{v4.content[:head], v4.etag, v4.time}
	less := version{v4.content[:head-1], v4.etag, v4.time}
	for name, test := range map[string]struct {
		file    []byte // existing content
		handler nethttp.HandlerFunc
		sum     []byte // required content; nil means any
		want    []byte // final content
		err     error
	}{
		"the rest":                       {v4.content[:head], v4.serve, v4.content, v4.content, nil},
		"more is there":                  {append(v4.content[:head:head], "and more"...), v4.serve, nil, v4.content, nil},
		"it is the whole":                {v4.content[:head], whole.serve, whole.content, whole.content, nil},
		"more than the whole":            {v4.content[:head], less.serve, nil, v4.content[:head], fetchers.ErrRange},
		"the whole, of another checksum": {v4.content[:head], whole.serve, v4.content, v4.content[:head], download.ErrChecksum},
		"of another checksum":            {v1.content[:head], v4.serve, v4.content, v1.content[:head], download.ErrChecksum},
		"the whole": {v4.content[:head], func(w nethttp.ResponseWriter, r *nethttp.Request) {
			r.Header.Del("Range")
			v4.serve(w, r)
		}, nil, v4.content[:head], fetchers.ErrRange},
		"too little is there": {v4.content[:head-1], v4.serve, nil, v4.content[:head-1], errFile},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(test.handler)
			defer server.Close()
			file := filepath.Join(t.TempDir(), "f")
			write(t, file, test.file)
			req := request(t, server.URL+"/f")
			req.Range.Offset = head
			to := download.Target{Name: file, Head: head}
			if test.sum != nil {
				var err error
				if to.Sum, err = download.ParseSum(fmt.Sprintf("sha256:%x", sum256(test.sum))); err != nil {
					t.Fatal(err)
				}
			}
			saved, err := (&download.Saver{Fetcher: web(t)}).Save(t.Context(), req, to)
			if !errors.Is(err, test.err) && !(test.err == errFile && errors.As(err, new(*download.FileError))) {
				t.Errorf("error %v, want %v", err, test.err)
			}
			if err == nil && (saved.Resumed != head || saved.Fetched != int64(len(test.want)-head)) {
				t.Errorf("%d were there and %d came", saved.Resumed, saved.Fetched)
			}
			wantContent(t, file, test.want)
			wantAlone(t, file)
		})
	}
}
