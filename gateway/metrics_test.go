package gateway_test

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/gateway"
)

// measured returns a Handler with Metrics that has answered some requests.
func measured(t *testing.T) *gateway.Handler {
	t.Helper()
	h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		switch req.URL.Path {
		case "/missing":
			return nil, fetchers.NewError("fetch", req.URL, fetchers.ErrBlocked)
		case "/cut":
			res := resource(req.URL, fetchers.Document, "text/plain", "")
			res.SetBody(io.NopCloser(io.MultiReader(strings.NewReader("begin"), broken{})))
			return res, nil
		}
		return resource(req.URL, fetchers.Document, "text/plain", "0123456789"), nil
	})
	h.Metrics = new(gateway.Metrics)
	for _, target := range []string{"ftp://h.example/x", "ftp://secret.example/x", "ftp://h.example/missing", "ftp://h.example/cut", "foo\"\\\n://h/", "bar://h/", "gopher://h.example/0/x"} {
		func() {
			defer func() { recover() }() // of a document that is cut short
			get(t, h, "/?url="+strings.NewReplacer(":", "%3A", "/", "%2F", "\"", "%22", "\\", "%5C", "\n", "%0A").Replace(target))
		}()
	}
	return h
}

// TestMetrics: fetches are counted by scheme and class, and nothing tells hosts.
func TestMetrics(t *testing.T) {
	h := measured(t)
	resp := get(t, h, "/metrics")
	text := bodyOf(t, resp)
	if got := resp.Header.Get("Content-Type"); got != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("Content-Type %q", got)
	}
	for _, line := range []string{
		`fetch_gateway_fetches_total{scheme="ftp",class="ok"} 2`,
		`fetch_gateway_fetches_total{scheme="ftp",class="blocked"} 1`,
		`fetch_gateway_fetches_total{scheme="ftp",class="truncated"} 1`,
		`fetch_gateway_fetches_total{scheme="other",class="unknown-scheme"} 1`,
		`fetch_gateway_fetches_total{scheme="gopher",class="ok"} 1`,
		`fetch_gateway_answer_seconds_count{scheme="ftp",class="ok"} 3`,
		`fetch_gateway_in_flight 0`,
		`fetch_gateway_waiting 0`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("it lacks %s", line)
		}
	}
	if strings.Contains(text, "example") || strings.Contains(text, "foo") {
		t.Error("it has a host, or a scheme that is not known")
	}
	if t.Failed() {
		t.Log(text)
	}
	for _, fields := range [][]string{
		{"Host: rebound.example"}, {"Origin: http://evil.example"}, {"Origin: null"}, {"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"}, {"Sec-Fetch-Site: same-site"},
	} {
		if resp := get(t, h, "/metrics", fields...); resp.StatusCode != 403 || strings.Contains(bodyOf(t, resp), "fetch_gateway") {
			t.Errorf("%q: %s", fields, resp.Status)
		}
	}
	if resp.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" || resp.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%v", resp.Header)
	}
	h.Metrics = nil
	if resp := get(t, h, "/metrics"); resp.StatusCode != 404 {
		t.Errorf("without Metrics: %s", resp.Status)
	}
}

var (
	sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)$`)
	bound      = regexp.MustCompile(`,?le="([^"]*)"`)
)

// TestExposition: the text keeps the rules of Prometheus' format 0.0.4. Each family has one HELP, then
// one TYPE, then its samples, none of them twice; the buckets of a histogram are in order and cumulative,
// and the one of +Inf is the count.
func TestExposition(t *testing.T) {
	var text bytes.Buffer
	if n, err := measured(t).Metrics.WriteTo(&text); err != nil || n != int64(text.Len()) {
		t.Fatalf("%d, %v", n, err)
	}
	if !strings.HasSuffix(text.String(), "\n") {
		t.Error("the last line has no end")
	}
	var (
		seen, types = map[string]bool{}, map[string]string{}
		family      string
		last        = map[string]float64{} // of the buckets of a histogram, by name and labels
		lastBound   = map[string]float64{}
		infinite    = map[string]float64{}
	)
	in := bufio.NewScanner(&text)
	for in.Scan() {
		line := in.Text()
		if help, ok := strings.CutPrefix(line, "# HELP "); ok {
			name, _, _ := strings.Cut(help, " ")
			if seen["HELP "+name] {
				t.Errorf("%s: a second HELP", name)
			}
			seen["HELP "+name], family = true, name
			continue
		}
		if kind, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, kind, _ := strings.Cut(kind, " ")
			if name != family || types[name] != "" || !strings.Contains(" counter gauge histogram ", " "+kind+" ") {
				t.Errorf("TYPE %s %s behind HELP %s", name, kind, family)
			}
			types[name] = kind
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("malformed: %s", line)
			continue
		}
		name, labels := m[1], m[2]
		value, err := strconv.ParseFloat(m[3], 64)
		if err != nil || math.IsNaN(value) || value < 0 {
			t.Errorf("%s: value %s", name, m[3])
		}
		if key := name + "{" + labels; seen[key] {
			t.Errorf("twice: %s", line)
		} else {
			seen[key] = true
		}
		base := name
		if types[family] == "histogram" {
			for _, end := range []string{"_bucket", "_sum", "_count"} {
				base = strings.TrimSuffix(base, end)
			}
		}
		if base != family || types[family] == "" {
			t.Errorf("%s is a sample of family %s", name, family)
		}
		if types[family] == "counter" && !strings.HasSuffix(name, "_total") {
			t.Errorf("%s: a counter ends in _total", name)
		}
		switch key := base + bound.ReplaceAllString(labels, ""); {
		case strings.HasSuffix(name, "_bucket") && base != name:
			le, err := strconv.ParseFloat(bound.FindStringSubmatch(labels)[1], 64)
			if before, begun := lastBound[key]; err != nil || begun && le <= before || value < last[key] {
				t.Errorf("not cumulative: %s", line)
			}
			lastBound[key], last[key] = le, value
			if math.IsInf(le, 1) {
				infinite[key] = value
			}
		case strings.HasSuffix(name, "_count") && base != name:
			if inf, ok := infinite[key]; !ok || inf != value {
				t.Errorf("%s: +Inf has %v", line, inf)
			}
		}
	}
	if len(infinite) < 3 || len(types) < 8 {
		t.Errorf("only %d histograms and %d families", len(infinite), len(types))
	}
}
