package term

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

func resource(t *testing.T, text string) *fetchers.Resource {
	t.Helper()
	u, err := url.Parse("http://h/dir/a%20file")
	if err != nil {
		t.Fatal(err)
	}
	res := &fetchers.Resource{URL: u, Size: 4096}
	res.SetBody(io.NopCloser(strings.NewReader(text)))
	return res
}

// In the style "plain" there is a line a second about each download.
func TestPlainProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := New(nil, io.Discard, &out).With(Settings{Progress: "plain"})
		meter, end := s.Progress.Track("a\u202efile")
		if meter == nil {
			t.Fatal("there is no meter")
		}
		res := resource(t, strings.Repeat("x", 2048))
		ended := s.Progress.Watch(res, io.Discard)
		io.Copy(io.Discard, res.Body)
		time.Sleep(1100 * time.Millisecond)
		s.Progress.Close()
		s.Progress.Close()
		end()
		ended()
		const want = "fetch: a\\u202efile: 0 B, 0 B/s\nfetch: a file: 2.0 KiB of 4.0 KiB, 2.0 KiB/s\n"
		if got := out.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// A progress is silent during a question, without a flag for a text, and where it was
// switched off.
func TestNoProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, settings := range map[string]Settings{
			"silent": {Silent: true, Progress: "plain"}, "off": {Progress: "none"}, "no style": {}, "no terminal": {Progress: "auto"},
		} {
			s := New(nil, io.Discard, io.Discard).With(settings)
			if meter, end := s.Progress.Track("x"); meter != nil {
				end()
				t.Errorf("%s: there is a meter", name)
			}
			s.Progress.Watch(resource(t, ""), io.Discard)()
			if s.Progress.stop != nil {
				t.Errorf("%s: a resource is watched", name)
			}
			s.Progress.Close()
		}
		var out bytes.Buffer
		s := New(nil, io.Discard, &out).With(Settings{Progress: "plain"})
		s.asking.Lock()
		_, end := s.Progress.Track("x")
		time.Sleep(5*time.Second - pulse/2) // between two ticks
		s.asking.Unlock()
		s.Progress.Close()
		end()
		if out.Len() > 0 {
			t.Errorf("during a question: %q", &out)
		}
	})
}

// A bar begins after a while, text goes above it, and its end takes it away.
func TestBar(t *testing.T) {
	var out bytes.Buffer
	s := New(nil, io.Discard, &out).With(Settings{Progress: "bar"})
	_, end := s.Progress.Track("file")
	s.Progress.mu.Lock()
	for _, track := range s.Progress.tracks {
		track.begun = track.begun.Add(-barDelay)
	}
	s.Progress.mu.Unlock()
	s.Progress.show(time.Now())
	s.Say("fetch: above")
	end()
	s.Progress.Close()
	s.Say("fetch: after")
	if got := out.String(); !strings.Contains(got, "fetch: above\n") || !strings.HasSuffix(got, "fetch: after\n") {
		t.Errorf("%q", got)
	}
}

// A track tells how much there is, how fast it comes, and how long the rest will take.
func TestTrack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		res := resource(t, strings.Repeat("x", 1024))
		track := &track{res: res, begun: time.Now()}
		if got := track.left(); got != "" {
			t.Errorf("left before the first octet: %q", got)
		}
		io.Copy(io.Discard, res.Body)
		time.Sleep(2 * time.Second)
		if got := track.amount() + ", " + track.rate() + ", " + track.left(); got != "1.0 KiB of 4.0 KiB, 512 B/s, 6s left" {
			t.Errorf("%q", got)
		}
		res.Size = -1
		if got := track.amount() + track.left(); got != "1.0 KiB" {
			t.Errorf("of unknown size: %q", got)
		}
	})
}

// All downloads together have a speed, and an end if that of each is known.
func TestPaceOf(t *testing.T) {
	now := time.Now()
	of := func(have, size int64) *track {
		res := resource(t, strings.Repeat("x", int(have)))
		io.Copy(io.Discard, res.Body)
		res.Size = size
		return &track{res: res, begun: now.Add(-2 * time.Second)}
	}
	for _, c := range []struct {
		tracks []*track
		want   string
	}{
		{nil, ""},
		{[]*track{of(0, 4096)}, ""},
		{[]*track{of(1024, 4096), of(1024, 2048)}, ", 1.0 KiB/s, 4s left"},
		{[]*track{of(1024, 4096), of(1024, -1)}, ", 1.0 KiB/s"},
	} {
		if got := paceOf(c.tracks, now); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
