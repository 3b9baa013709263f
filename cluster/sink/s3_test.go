package sink

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The texts of the tests: one request, one from a file, and three parts.
var (
	smallText = "hello\n"
	largeText = content(1, inMemory+1)
	partsText = content(2, 2*testPartSize+1000)
)

// placeOf returns the path of the object of a text.
func placeOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "/pub/p/" + key(hex.EncodeToString(sum[:]))
}

func TestBodiesAreObjectsNamedByTheirSum(t *testing.T) {
	for name, test := range map[string]struct {
		text     string
		requests []string // with PATH in place of the path
	}{
		"of no byte":             {"", []string{"PUT PATH"}},
		"in the memory":          {smallText, []string{"PUT PATH"}},
		"in the spool":           {largeText, []string{"PUT PATH"}},
		"just not in parts":      {content(3, testPartSize), []string{"PUT PATH"}},
		"in parts, if not there": {partsText, []string{"HEAD PATH", "POST PATH?uploads=", "PUT PATH?partNumber=1", "PUT PATH?partNumber=2", "PUT PATH?partNumber=3", "POST PATH?uploadId=1"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBucket(t)
			s := newS3(t, b)
			o, err := store(t.Context(), s, test.text)
			if err != nil {
				t.Fatal(err)
			}
			check(t, o, test.text)
			path := placeOf(test.text)
			if want := "s3://pub/p/" + strings.TrimPrefix(path, "/pub/p/"); o.Name != want {
				t.Errorf("the name is %s, want %s", o.Name, want)
			}
			if b.objects[path].text != test.text || len(b.objects) != 1 {
				t.Errorf("%d objects, and this one has %d bytes", len(b.objects), len(b.objects[path].text))
			}
			for i := range test.requests {
				test.requests[i] = strings.ReplaceAll(test.requests[i], "PATH", path)
			}
			if !slices.Equal(b.requests, test.requests) {
				t.Errorf("requests %q, want %q", b.requests, test.requests)
			}
			if err := s.Sync(t.Context()); err != nil {
				t.Error(err)
			}
			left, err := os.ReadDir(s.config.Spool)
			if len(left) > 0 || err != nil {
				t.Errorf("the spool has %v, %v", left, err)
			}
		})
	}
}

// Each fault strikes once, and then the server is well again.
func TestFaultsOfAServer(t *testing.T) {
	there := func(text string) func(*bucket, http.ResponseWriter, *http.Request) {
		return func(b *bucket, w http.ResponseWriter, r *http.Request) {
			b.mu.Lock()
			b.objects[r.URL.Path] = stored{text: text, etag: "5d41402abc4b2a76b9719d911017c592"}
			b.mu.Unlock()
			b.answer(w, r)
		}
	}
	for name, test := range map[string]struct {
		text  string
		fault fault
		want  string // of the error; "" if the body is kept
	}{
		"it is slow":                              {smallText, fault{"PUT", answered(503, "SlowDown")}, ""},
		"it is slow with a part":                  {partsText, fault{"PUT", answered(503, "SlowDown")}, ""},
		"it cuts the connection":                  {largeText, fault{"PUT", cut}, ""},
		"it cuts that of a part":                  {partsText, fault{"PUT", cut}, ""},
		"it keeps the object and does not answer": {smallText, fault{"PUT", cutAfter}, ""},
		"it ends the upload and does not answer":  {partsText, fault{"POST /pub/p/" + key(sumOf(partsText)) + "?uploadId", cutAfter}, ""},
		"another worker writes it":                {smallText, fault{"PUT", answered(409, "ConditionalRequestConflict")}, ""},
		"the content changes on its way":          {smallText, fault{"PUT", answered(400, "BadDigest")}, "400 BadDigest: refused by the test"},
		"it refuses":                              {smallText, fault{"PUT", answered(403, "AccessDenied")}, "403 AccessDenied: refused by the test"},
		"it refuses a part":                       {partsText, fault{"PUT", answered(403, "AccessDenied")}, "403 AccessDenied: refused by the test"},
		"it has no bucket":                        {smallText, fault{"PUT", answered(404, "NoSuchBucket")}, "404 NoSuchBucket: refused by the test"},
		"it refuses to end an upload":             {partsText, fault{"POST /pub/p/" + key(sumOf(partsText)) + "?uploadId", answered(400, "EntityTooSmall")}, "400 EntityTooSmall: refused by the test"},
		"its ETag lies":                           {smallText, fault{"PUT", lie}, "the ETag is not that of the content"},
		"its ETag of parts lies":                  {partsText, fault{"POST /pub/p/" + key(sumOf(partsText)) + "?uploadId", lie}, "the ETag is not that of the content"},
		"another object is there":                 {smallText, fault{"PUT", there("world\n")}, "the ETag is not that of the content"},
		"an object of another size is there":      {smallText, fault{"PUT", there("")}, "the object has 0 bytes and should have 6"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBucket(t, test.fault)
			s := newS3(t, b)
			o, err := store(t.Context(), s, test.text)
			if len(b.faults) > 0 {
				t.Fatal("the fault did not strike")
			}
			if len(b.uploads) > 0 {
				t.Errorf("uploads are left: %d", len(b.uploads))
			}
			kept := b.objects[placeOf(test.text)].text == test.text
			switch {
			case test.want == "" && (err != nil || !kept):
				t.Errorf("%v, %q", err, b.requests)
			case test.want == "":
				check(t, o, test.text)
			case err == nil || !strings.HasPrefix(err.Error(), "keep a body as s3://pub/p/sha256/") || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "s3cret"):
				t.Errorf("%v, want %s", err, test.want)
			case kept:
				t.Error("the object is kept")
			}
			if lying := strings.Contains(test.want, "ETag"); lying != errors.Is(err, ErrETag) {
				t.Errorf("%v, which is ErrETag: %v", err, !lying)
			}
		})
	}
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// An ETag that lied is removed with its object, so that the next attempt can keep the body.
func TestAnObjectWhoseETagLiedIsWrittenAgain(t *testing.T) {
	b := newBucket(t, fault{"PUT", lie})
	s := newS3(t, b)
	if _, err := store(t.Context(), s, smallText); !errors.Is(err, ErrETag) {
		t.Fatal(err)
	}
	if _, err := store(t.Context(), s, smallText); err != nil {
		t.Error(err)
	}
}

func TestABodyThatIsThereIsVerified(t *testing.T) {
	for name, test := range map[string]struct {
		text     string
		change   func(o *stored)
		requests []string // of the second time, by method
		refused  bool
	}{
		"in one request":              {smallText, func(*stored) {}, []string{"PUT", "HEAD"}, false},
		"in parts":                    {partsText, func(*stored) {}, []string{"HEAD"}, false},
		"with a lying ETag":           {smallText, func(o *stored) { o.etag = strings.Repeat("0", 32) }, []string{"PUT", "HEAD"}, true},
		"with a lying ETag of parts":  {partsText, func(o *stored) { o.etag = strings.Repeat("0", 32) + "-3" }, []string{"HEAD"}, true},
		"with an ETag of other parts": {partsText, func(o *stored) { o.etag = strings.Repeat("0", 32) + "-7" }, []string{"HEAD"}, false},
		"with an ETag that is no MD5": {smallText, func(o *stored) { o.etag = "v1" }, []string{"PUT", "HEAD"}, false},
		"encrypted, so no MD5": {smallText, func(o *stored) {
			o.etag, o.header = strings.Repeat("0", 32), http.Header{"X-Amz-Server-Side-Encryption": {"aws:kms"}}
		}, []string{"PUT", "HEAD"}, false},
		"of another size": {partsText, func(o *stored) { o.text = "" }, []string{"HEAD"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBucket(t)
			s := newS3(t, b)
			first, err := store(t.Context(), s, test.text)
			if err != nil {
				t.Fatal(err)
			}
			o := b.objects[placeOf(test.text)]
			test.change(&o)
			b.objects[placeOf(test.text)], b.requests = o, nil
			again, err := store(t.Context(), s, test.text)
			if (err != nil) != test.refused || err == nil && again != first {
				t.Errorf("%+v, %v", again, err)
			}
			var methods []string
			for _, r := range b.requests {
				method, _, _ := strings.Cut(r, " ")
				methods = append(methods, method)
			}
			if !slices.Equal(methods, test.requests) {
				t.Errorf("requests %q, want %q", methods, test.requests)
			}
			if len(b.objects) != 1 {
				t.Error("an object of another was removed")
			}
		})
	}
}

func TestWorkersShareABucket(t *testing.T) {
	b := newBucket(t)
	var all sync.WaitGroup
	for range 2 {
		s := newS3(t, b)
		for range 4 {
			all.Go(func() {
				for i := range 20 {
					if _, err := store(t.Context(), s, content(uint64(i), 1+i*4900)); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	if len(b.objects) != 20 {
		t.Errorf("%d objects, want 20", len(b.objects))
	}
}

func TestAnEndedContextKeepsNoObject(t *testing.T) {
	b := newBucket(t)
	s := newS3(t, b)
	ctx, cancel := context.WithCancel(t.Context())
	body, err := s.Create(ctx)
	if err != nil {
		t.Fatal(err)
	}
	body.Write([]byte("text"))
	cancel()
	if _, err := body.Commit(); !errors.Is(err, context.Canceled) {
		t.Errorf("Commit: %v", err)
	}
	if _, err := s.Create(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Create: %v", err)
	}
	if err := s.Sync(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Sync: %v", err)
	}
	if _, err := body.Write(nil); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Write: %v", err)
	}
	if len(b.objects) > 0 {
		t.Error("an object is there")
	}
}

func TestWrongSettingsAreRefused(t *testing.T) {
	for name, c := range map[string]S3Config{
		"an endpoint that is no URL": {Endpoint: "http://u:s3cret@:x", Bucket: "pub"},
		"an endpoint of ftp":         {Endpoint: "ftp://host", Bucket: "pub"},
		"an endpoint with a user":    {Endpoint: "http://u:s3cret@host", Bucket: "pub"},
		"an endpoint with a path":    {Endpoint: "http://host/pub", Bucket: "pub"},
		"no bucket":                  {Endpoint: "http://host"},
		"a bucket with a slash":      {Endpoint: "http://host", Bucket: "a/b"},
	} {
		if _, err := NewS3(c); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeysThatCannotBeReadAreAnError(t *testing.T) {
	b := newBucket(t)
	s, err := NewS3(S3Config{Endpoint: b.URL, Bucket: "pub", Region: "eu-west-1", Keys: func() (Keys, error) { return Keys{}, fs.ErrNotExist }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := store(t.Context(), s, "text"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if len(b.requests) > 0 {
		t.Errorf("requests without keys: %q", b.requests)
	}
}
