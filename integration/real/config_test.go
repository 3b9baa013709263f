package main

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

func TestExpand(t *testing.T) {
	p := map[string]string{"DIR": "/d", "PORT": "21"}
	for _, c := range []struct{ name, text, want, err string }{
		{"braces", "${DIR}/x:${PORT}", "/d/x:21", ""},
		{"a variable of the server's own", "return 200 $http_range;", "return 200 $http_range;", ""},
		{"a password hash", "a:$6$salt$hash.:1", "a:$6$salt$hash.:1", ""},
		{"not a parameter", "${LOW}", "", "${LOW} is not a parameter"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := expand(c.text, p)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil || got != c.want {
				t.Errorf("%q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestEveryServerHasARecipeThatExpands(t *testing.T) {
	for _, s := range servers.All() {
		r, ok := recipes[s.Name]
		if !ok {
			t.Errorf("%s has no recipe", s.Name)
			continue
		}
		dir := t.TempDir()
		cmd, err := command(dir, s, r, "/unpacked")
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		if !slices.Contains(cmd.Args, "/unpacked"+r.program) {
			t.Errorf("%s: %q does not run %s", s.Name, cmd.Args, r.program)
		}
		if _, err := os.Stat(filepath.Join(dir, "users", "passwd")); r.users && err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}

func TestEveryClientHasARecipe(t *testing.T) {
	for _, name := range servers.Clients() {
		if _, ok := clients[name]; !ok {
			t.Errorf("%s has no recipe", name)
		}
	}
}

func TestScriptsCanBeRun(t *testing.T) {
	dir := t.TempDir()
	src := fstest.MapFS{
		"x/cgi/one": {Data: []byte("#!/bin/sh\necho ${PORT}\n")},
		"x/conf":    {Data: []byte("port ${PORT}\n")},
	}
	if err := writeConfig(dir, src, "x", map[string]string{"PORT": "21"}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		mode fs.FileMode
		text string
	}{
		"cgi/one": {0o755, "#!/bin/sh\necho 21\n"},
		"conf":    {0o644, "port 21\n"},
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		fi, err := os.Stat(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if fi.Mode() != want.mode && runtime.GOOS != "windows" {
			t.Errorf("%s has mode %v, want %v", name, fi.Mode(), want.mode)
		}
		if b, err := os.ReadFile(file); err != nil || string(b) != want.text {
			t.Errorf("%s is %q, %v", name, b, err)
		}
	}
}

func TestPasswordFilesHaveThePassword(t *testing.T) {
	sha := sha1.Sum([]byte(servers.Password))
	basic := servers.User + ":{SHA}" + base64.StdEncoding.EncodeToString(sha[:]) + "\n"
	realm := servers.User + ":apache digest:"
	sha256Digest := fmt.Sprintf("%s:lighttpd digest:%x\n", servers.User, sha256.Sum256([]byte(servers.User+":lighttpd digest:"+servers.Password)))
	digest := fmt.Sprintf("%s%x\n", realm, md5.Sum([]byte(realm+servers.Password)))
	shadow, err := configs.ReadFile("users/shadow")
	if err != nil {
		t.Fatal(err)
	}
	hash, _, _ := strings.Cut(strings.TrimPrefix(string(shadow), servers.User+":"), ":")
	for _, c := range []struct{ name, want string }{
		{"nginx/htpasswd", basic},
		{"apache/htpasswd", basic},
		{"apache/htdigest", digest},
		{"lighttpd/htpasswd", basic},
		{"lighttpd/htdigest", sha256Digest},
		{"microsocks/run.sh", " -u " + servers.User + " -P " + servers.Password + " "},
		{"squid/htpasswd", servers.User + ":" + hash + "\n"},
		{"pyftpdlib/pyftpd.py", fmt.Sprintf("\nauthorizer.add_user(%q, %q, ", servers.User, servers.Password)},
	} {
		if b, err := configs.ReadFile(c.name); err != nil || !strings.Contains(string(b), c.want) {
			t.Errorf("%s is %q, %v, want %q", c.name, b, err, c.want)
		}
	}
}
