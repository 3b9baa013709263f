package main

import (
	"crypto/sha1"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/integration/real/servers"
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

func TestEveryServerHasARecipeWhoseFilesExpand(t *testing.T) {
	for _, s := range servers.All() {
		r, ok := recipes[s.Name]
		if !ok {
			t.Errorf("%s has no recipe", s.Name)
			continue
		}
		dir := t.TempDir()
		if _, err := command(dir, s, r, "/bin/true"); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		for _, folder := range r.folders {
			if _, err := os.Stat(filepath.Join(dir, folder)); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
	}
}

func TestPasswordFileHasThePassword(t *testing.T) {
	b, err := configs.ReadFile("nginx/htpasswd")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha1.Sum([]byte(servers.Password))
	want := servers.User + ":{SHA}" + base64.StdEncoding.EncodeToString(sum[:]) + "\n"
	if string(b) != want {
		t.Errorf("nginx/htpasswd is %q, want %q", b, want)
	}
}

// The compose file cannot compute, so it repeats the addresses.
func TestComposeFileHasTheSameAddresses(t *testing.T) {
	t.Setenv("FETCH_REAL_BASE", "")
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(root, "docker-compose.test.yml"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(b), "\nservices:\n")
	for _, s := range servers.All() {
		_, service, ok := strings.Cut("\n"+text, "\n  "+s.Name+":\n")
		if !ok {
			t.Errorf("%s is not a service", s.Name)
			continue
		}
		service, _, _ = strings.Cut(service, "\n\n")
		for _, scheme := range s.Schemes {
			addr := s.Addr(scheme)
			_, port, _ := strings.Cut(addr, ":")
			if want := `"` + addr + ":" + port + `"`; !strings.Contains(service, want) {
				t.Errorf("%s does not publish %s", s.Name, want)
			}
		}
		for name, value := range parameters("/fetch", s) {
			if name == "BIND" || name == "FTPPORT" && s.Name != "nginx" {
				continue
			}
			if !strings.Contains(service, name+": "+value+"\n") && !strings.Contains(service, name+`: "`+value+"\"\n") {
				t.Errorf("%s does not have %s: %q", s.Name, name, value)
			}
		}
	}
}
