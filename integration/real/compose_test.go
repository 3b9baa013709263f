package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/integration/real/servers"
)

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
			// A proxy has to see the others as the tests do.
			if want := `"` + addr + ":" + port + `"`; !s.Proxy && !strings.Contains(service, want) {
				t.Errorf("%s does not publish %s", s.Name, want)
			}
		}
		if s.Proxy && !strings.Contains(service, "network_mode: host\n") {
			t.Errorf("%s is not in the network of the host", s.Name)
		}
		folder := s.Name
		if r := recipes[s.Name]; r.folder != "" {
			folder = r.folder
		}
		p := parameters("/fetch", "", s)
		p["OWN"] = "/fetch/" + folder // a container has one server
		if !s.Proxy {
			p["BIND"] = "0.0.0.0"
		}
		used := everything(t, folder)
		for name, value := range p {
			if !strings.Contains(used, "${"+name+"}") {
				continue
			}
			if !strings.Contains(service, name+": "+value+"\n") && !strings.Contains(service, name+`: "`+value+"\"\n") {
				t.Errorf("%s does not have %s: %q", s.Name, name, value)
			}
		}
	}
}

// everything returns the text of all files of a folder of configuration.
func everything(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	err := fs.WalkDir(configs, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := configs.ReadFile(name)
		all.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
