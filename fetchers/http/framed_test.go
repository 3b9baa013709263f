package http_test

import (
	"bytes"
	"testing"

	xhttp2 "golang.org/x/net/http2"

	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// The limit of streams is that of the last SETTINGS frame with one, whatever the boundaries of
// reads.
func TestStreamsOfFrames(t *testing.T) {
	const unlimited = 1 << 31
	set := func(id xhttp2.SettingID, value uint32) xhttp2.Setting { return xhttp2.Setting{ID: id, Val: value} }
	streams := func(n uint32) xhttp2.Setting { return set(xhttp2.SettingMaxConcurrentStreams, n) }
	window := set(xhttp2.SettingInitialWindowSize, 1<<20)
	for _, c := range []struct {
		name  string
		write func(w *xhttp2.Framer)
		want  int64
		told  bool
	}{
		{"nothing", func(*xhttp2.Framer) {}, unlimited, false},
		{"SETTINGS without a limit", func(w *xhttp2.Framer) { w.WriteSettings(window) }, unlimited, true},
		{"empty SETTINGS", func(w *xhttp2.Framer) { w.WriteSettings() }, unlimited, true},
		{"SETTINGS with a limit behind another setting", func(w *xhttp2.Framer) { w.WriteSettings(window, streams(7), window) }, 7, true},
		{"a limit that changes", func(w *xhttp2.Framer) { w.WriteSettings(streams(7)); w.WriteSettings(streams(9)) }, 9, true},
		{"an acknowledgement", func(w *xhttp2.Framer) { w.WriteSettingsAck() }, unlimited, false},
		{"DATA that looks like SETTINGS", func(w *xhttp2.Framer) {
			w.WriteData(1, false, []byte{0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 5})
		}, unlimited, false},
		{"SETTINGS behind other frames", func(w *xhttp2.Framer) {
			w.WritePing(false, [8]byte{3, 3, 3})
			w.WriteData(1, false, bytes.Repeat([]byte{4}, 5000))
			w.WriteSettings(streams(100))
			w.WriteWindowUpdate(0, 3)
		}, 100, true},
	} {
		var octets bytes.Buffer
		c.write(xhttp2.NewFramer(&octets, nil))
		for _, piece := range []int{1, 2, 3, 7, 10, 1 << 14} {
			if got, told := http.StreamsOf(octets.Bytes(), piece); got != c.want || told != c.told {
				t.Errorf("%s, %d octets at a time: %d, %v, want %d, %v", c.name, piece, got, told, c.want, c.told)
			}
		}
	}
}
