package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

// composeFile returns, of docker-compose.test.yml, the lines of each part that services
// share and of each service, by name. No parser of YAML is worth having for this
// one file.
func composeFile(t *testing.T) (shared, services map[string]string) {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(root, "docker-compose.test.yml"))
	if err != nil {
		t.Fatal(err)
	}
	above, below, _ := strings.Cut(string(b), "\nservices:\n")
	return blocks(above, ""), blocks(below, "  ")
}

// blocks returns the lines below each line "NAME:" with that indent.
func blocks(text, indent string) map[string]string {
	found := make(map[string]string)
	name := ""
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, indent)
		if before, _, colon := strings.Cut(rest, ":"); ok && colon && strings.IndexAny(rest, " #") != 0 {
			name = before
		}
		found[name] += line
	}
	return found
}

// The compose file cannot compute, so it repeats the addresses; and a Dockerfile
// repeats the command.
func TestContainersAreTheSameServers(t *testing.T) {
	t.Setenv("FETCH_REAL_BASE", "")
	shared, services := composeFile(t)
	if !strings.Contains(shared["x-server"], "network_mode: host\n") {
		t.Error("the servers are not in the network of the host")
	}
	for _, s := range servers.All() {
		service, ok := services[s.Name]
		if recipes[s.Name].module != "" {
			if ok {
				t.Errorf("%s is a service, and comes without a package of Debian", s.Name)
			}
			continue
		}
		if !ok {
			t.Errorf("%s is not a service", s.Name)
			continue
		}
		delete(services, s.Name)
		r := recipes[s.Name]
		folder := s.Name
		if r.folder != "" {
			folder = r.folder
		}
		for _, line := range []string{"<<: *server", "<<: *environment", "image: fetch-real-" + folder, "build: {<<: *build, dockerfile: " + folder + "/Dockerfile}"} {
			if !strings.Contains(service, " "+line+"\n") {
				t.Errorf("%s does not have %q", s.Name, line)
			}
		}
		if powerless := strings.Contains(service, "cap_drop: [ALL]"); powerless != r.powerless {
			t.Errorf("%s has no powers: %v, want %v", s.Name, powerless, r.powerless)
		}

		p := parameters("/fetch", "", s)
		p["OWN"] = "/fetch/" + folder // a container has one server
		for name, value := range p {
			quoted := "  " + name + `: "` + value + "\"\n"
			if at := shared["x-environment"] + service; !strings.Contains(at, quoted) && !strings.Contains(at, "  "+name+": "+value+"\n") {
				t.Errorf("%s does not have %s: %q", s.Name, name, value)
			}
		}

		dockerfile, err := os.ReadFile(filepath.Join(folder, "Dockerfile"))
		if err != nil {
			t.Error(err)
			continue
		}
		if users := strings.Contains(string(dockerfile), "COPY users "); users != r.users {
			t.Errorf("%s has our users: %v, want %v", s.Name, users, r.users)
		}
		_, command, _ := strings.Cut(string(dockerfile), "\nCMD ")
		if _, own, ok := strings.Cut(service, "command: "); ok {
			command, _, _ = strings.Cut(own, "\n")
			command = strings.ReplaceAll(command, "$$", "$")
		}
		var words []string
		if err := json.Unmarshal([]byte(command), &words); err != nil || !slices.Equal(words, r.words()) {
			t.Errorf("%s runs %q, %v, want %q", s.Name, words, err, r.words())
		}
	}
	for name := range services {
		t.Errorf("%s is a service, and no server", name)
	}
}
