package stack

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
)

// The netrc has to exist, unless it is optional, and is for its owner alone if it holds
// passwords.
func TestNetrc(t *testing.T) {
	good := write(t, "netrc", "machine h.example login joe password s3cret\n")
	public := write(t, "netrc", "machine h.example login joe password s3cret\n")
	if err := os.Chmod(public, 0o644); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "netrc")
	for _, c := range []struct {
		args  string
		netrc string // $NETRC
		user  string
		err   string
	}{
		{"--netrc-file " + good, missing, "joe", ""},
		{"-n", good, "joe", ""},
		{"--netrc-optional", good, "joe", ""},
		{"--netrc-optional", missing, "", ""},
		{"", good, "", ""},
		{"-n", missing, "", "no such file"},
		{"--netrc-file " + missing, "", "", "no such file"},
		{"--netrc-file " + public, "", "", public + " holds passwords, and others may read it (mode 0644): chmod 600 it"},
	} {
		if runtime.GOOS == "windows" && strings.Contains(c.args, public) {
			continue
		}
		t.Setenv("NETRC", c.netrc)
		st, err := Build(t.Context(), options(t, strings.Fields(c.args)...), silent())
		if err != nil || c.err != "" {
			if _, input := errors.AsType[record.InputError](err); !input || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q", c.args, err, c.err)
			}
			continue
		}
		found, _ := st.Client.Keychain.Lookup(t.Context(), fetchers.Origin{Scheme: "http", Host: "h.example"})
		if found.User != c.user {
			t.Errorf("%s: the user is %q, want %q", c.args, found.User, c.user)
		}
	}
}
