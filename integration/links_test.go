package integration

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestNTLMIsLinkedWhereUsed: the library of NTLM is in the command, and not in a program that
// imports this module without fetchers/ntlm.
func TestNTLMIsLinkedWhereUsed(t *testing.T) {
	for dir, want := range map[string]bool{"/cmd/fetch": true, "": false, "/download": false} {
		out, err := exec.Command("go", "list", "-deps", module+dir).Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		if linked := strings.Contains(string(out), "go-ntlmssp"); linked != want {
			t.Errorf("%s links it: %v, want %v", module+dir, linked, want)
		}
	}
}

// TestCommandLinksNoTesting: the command demonstrates the test servers, and yet no
// package for tests is in it.
func TestCommandLinksNoTesting(t *testing.T) {
	list := exec.Command("go", "list", "-deps", module+"/cmd/fetch")
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	linked := strings.Fields(string(out))
	if !slices.Contains(linked, module+"/integration/ftptest") {
		t.Errorf("go list does not know the test servers: %q", linked)
	}
	for _, p := range linked {
		if p == "testing" || strings.HasPrefix(p, "testing/") || p == "net/http/httptest" {
			t.Errorf("%s is linked", p)
		}
	}
}
