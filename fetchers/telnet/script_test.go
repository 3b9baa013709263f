package telnet_test

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/telnet"
	"github.com/seed1ea3422f/fetch/integration/wire"
)

// A script has the sections url and wire. Optional sections are terminal (a type and a size, such
// as "xterm 80x24"), typed (sent after all of data has arrived), data (all received data) and error
// (its class).
func TestScripts(t *testing.T) {
	names, err := filepath.Glob("../../testdata/wire/telnet/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts (%v)", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			script, err := wire.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			player := wire.Play(t, script)
			play(t, script, strings.TrimSpace(player.Expand(script.Section("url"))))
			if err := player.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

func play(t *testing.T, script *wire.Script, u string) {
	text := func(section string) string {
		s, err := wire.Unescape(strings.ReplaceAll(script.Section(section), "\n", ""))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	f := new(telnet.Fetcher)
	var width, height int
	if script.Has("terminal") {
		name, size, _ := strings.Cut(strings.TrimSpace(script.Section("terminal")), " ")
		f.Terminal = name
		fmt.Sscanf(size, "%dx%d", &width, &height)
	}
	s := open(t, f, u)
	defer s.Close()
	if width > 0 {
		if err := s.Resize(width, height); err != nil {
			t.Error(err)
		}
	}
	await(t, s, text("data"))
	if script.Has("typed") {
		say(t, s, text("typed"))
		s.Close() // the player reports missing bytes
		return
	}
	classes := map[string]error{"": nil, "truncated": io.ErrUnexpectedEOF, "protocol": fetchers.ErrProtocol, "temporary": fetchers.ErrTemporary}
	class, ok := classes[strings.TrimSpace(script.Section("error"))]
	if rest, err := io.ReadAll(s); !ok || len(rest) > 0 || !errors.Is(err, class) {
		t.Errorf("after the data there is %q, %v, want nothing and %v", rest, err, class)
	}
}
