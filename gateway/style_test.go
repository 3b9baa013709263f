package gateway_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestContrast: text has a contrast of 4.5 to its background, and the borders and the focus of
// fields have one of 3 (WCAG 2.1, 1.4.3 and 1.4.11), in light and in dark colours.
func TestContrast(t *testing.T) {
	sheet, err := os.ReadFile("pages/style.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, found := strings.Cut(string(sheet), "@media (prefers-color-scheme: dark)")
	if !found {
		t.Fatal("there are no dark colours")
	}
	for name, part := range map[string]string{"light": light, "dark": dark} {
		colours := make(map[string]float64)
		for _, m := range regexp.MustCompile(`--(\w+): #([0-9a-f]{6});`).FindAllStringSubmatch(part, -1) {
			colours[m[1]] = luminance(t, m[2])
		}
		for _, c := range []struct {
			use, colour string
			least       float64
		}{
			{"text", "text", 4.5}, {"notes", "faint", 4.5}, {"links", "link", 4.5}, {"visited links", "seen", 4.5}, {"failures", "alarm", 4.5},
			{"borders of fields", "faint", 3}, {"the focus", "link", 3},
		} {
			a, known := colours[c.colour]
			back, knownToo := colours["back"]
			ratio := (max(a, back) + 0.05) / (min(a, back) + 0.05)
			if !known || !knownToo || ratio < c.least {
				t.Errorf("%s, %s: a contrast of %.2f, want %.1f", name, c.use, ratio, c.least)
			}
			t.Logf("%s, %s: %.2f", name, c.use, ratio)
		}
	}
	for _, m := range regexp.MustCompile(`(?:color|background|border[a-z-]*|outline): [^;]*`).FindAllString(string(sheet), -1) {
		if strings.Contains(m, "#") {
			t.Errorf("%s: a colour that is not one of those above", m)
		}
	}
}

// luminance returns the relative luminance of a colour (WCAG 2.1).
func luminance(t *testing.T, digits string) float64 {
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	linear := func(octet uint64) float64 {
		c := float64(octet) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(n>>16) + 0.7152*linear(n>>8&0xFF) + 0.0722*linear(n&0xFF)
}

// TestTidy: HTML Tidy has nothing to say about any page in testdata.
func TestTidy(t *testing.T) {
	if _, err := exec.LookPath("tidy"); err != nil {
		if os.Getenv("FETCH_REAL") == "required" {
			t.Fatal(err)
		}
		t.Skip("no tidy: apt-get install tidy")
	}
	pages, err := filepath.Glob("testdata/*.html")
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		if said, err := exec.Command("tidy", "-q", "-e", page).CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%s: %v\n%s", page, err, said)
		}
	}
}
