package deploy

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// build returns the path of fetchd.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "fetchd")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/fetchd").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// documents returns the documents of a YAML file. A key that is there twice is an error.
func documents(t *testing.T, file string) (all []map[string]any) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for d := yaml.NewDecoder(f); ; {
		var document map[string]any
		err := d.Decode(&document)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, document)
	}
}

// at returns the value at a path of keys and indices, or nil.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			s, _ := v.([]any)
			if p >= len(s) {
				return nil
			}
			v = s[p]
		}
	}
	return v
}

// words returns a list of texts.
func words(v any) (all []string) {
	list, _ := v.([]any)
	for _, word := range list {
		text, _ := word.(string)
		all = append(all, text)
	}
	return all
}

// understood checks that fetchd knows the verb and the flags of a command, but does not run it.
func understood(t *testing.T, program string, command []string) {
	t.Helper()
	if len(command) < 2 || command[0] != "fetchd" {
		t.Errorf("%q is no command of fetchd", command)
		return
	}
	out, err := exec.Command(program, append(slices.Clone(command[1:]), "--help")...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "fetchd "+command[1]) && command[1] != "--nats" {
		t.Errorf("%q: %v\n%s", command, err, out)
	}
}

func TestUnits(t *testing.T) {
	program := build(t)
	for _, name := range []string{"fetchd.service", "fetchd-worker.service"} {
		unit, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, command, found := strings.Cut(string(unit), "\nExecStart=/usr/local/bin/")
		if !found {
			t.Fatalf("%s: no ExecStart", name)
		}
		command, _, _ = strings.Cut(command, "\n")
		for _, variable := range regexp.MustCompile(`Environment="?(FETCHD_\w+)=([^"\n]*)`).FindAllStringSubmatch(string(unit), -1) {
			command = strings.NewReplacer("${"+variable[1]+"}", variable[2], "$"+variable[1], variable[2]).Replace(command)
		}
		understood(t, program, strings.Fields(command))
		if _, err := exec.LookPath("systemd-analyze"); err != nil {
			continue
		}
		copied := filepath.Join(t.TempDir(), name) // which names a program that is there
		if err := os.WriteFile(copied, []byte(strings.ReplaceAll(string(unit), "/usr/local/bin/fetchd", program)), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", copied).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

func TestCompose(t *testing.T) {
	program := build(t)
	all := documents(t, "../../docker-compose.cluster.yml")
	if len(all) != 1 {
		t.Fatalf("%d documents", len(all))
	}
	services, _ := at(all[0], "services").(map[string]any)
	servers, volumes := 0, at(all[0], "volumes").(map[string]any)
	for name, service := range services {
		command := append(words(at(service, "entrypoint")), words(at(service, "command"))...)
		if command[0] == "fetchd" {
			understood(t, program, command)
		}
		if slices.Contains(command, "up") {
			servers++
		}
		for _, volume := range words(at(service, "volumes")) {
			if volume, _, named := strings.Cut(volume, ":"); named && !has(volumes, volume) {
				t.Errorf("%s: no volume %s", name, volume)
			}
		}
		for _, word := range command {
			for _, host := range regexp.MustCompile(`(?:nats|http)://([\w-]+):`).FindAllStringSubmatch(word, -1) {
				if !has(services, host[1]) {
					t.Errorf("%s: no service %s", name, host[1])
				}
			}
		}
		for _, network := range words(at(service, "networks")) {
			if !has(at(all[0], "networks").(map[string]any), network) {
				t.Errorf("%s: no network %s", name, network)
			}
		}
	}
	if workers := at(services["worker"], "deploy", "replicas"); servers != 3 || workers != 4 {
		t.Errorf("%d servers of jobs and %v workers", servers, workers)
	}
}

func has(m map[string]any, key string) bool {
	_, ok := m[key]
	return ok
}

func TestManifest(t *testing.T) {
	program := build(t)
	versions := map[string]string{"Service": "v1", "StatefulSet": "apps/v1", "Deployment": "apps/v1", "NetworkPolicy": "networking.k8s.io/v1"}
	names := make(map[string]bool)
	for _, d := range documents(t, "kubernetes.yaml") {
		kind, _ := d["kind"].(string)
		name, _ := at(d, "metadata", "name").(string)
		if versions[kind] == "" || d["apiVersion"] != versions[kind] || name == "" || names[kind+name] {
			t.Errorf("%v %q: the version is %v", d["kind"], name, d["apiVersion"])
		}
		names[kind+name] = true
		pod := at(d, "spec", "template", "spec")
		if pod == nil {
			continue
		}
		labels, _ := at(d, "spec", "template", "metadata", "labels").(map[string]any)
		selected, _ := at(d, "spec", "selector", "matchLabels").(map[string]any)
		for key, value := range selected {
			if labels[key] != value {
				t.Errorf("%s: the label %s is %v, and %v is selected", name, key, labels[key], value)
			}
		}
		understood(t, program, words(at(pod, "containers", 0, "command")))
		mounted, _ := at(pod, "containers", 0, "volumeMounts", 0, "name").(string)
		if mounted == "" || at(pod, "volumes", 0, "name") != mounted && at(d, "spec", "volumeClaimTemplates", 0, "metadata", "name") != mounted {
			t.Errorf("%s: no volume %q", name, mounted)
		}
		if service, ok := at(d, "spec", "serviceName").(string); ok && !names["Service"+service] {
			t.Errorf("%s: no service %s", name, service)
		}
	}
	if len(names) != 4 {
		t.Errorf("%d objects", len(names))
	}
}
