package gateway

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// expositionType is the media type of the text for Prometheus.
const expositionType = "text/plain; version=0.0.4; charset=utf-8"

// An exposition is a text in Prometheus' format 0.0.4: of each family HELP, TYPE and its samples, one
// after another.
type exposition struct{ bytes.Buffer }

// family begins a family of samples.
func (e *exposition) family(name, kind, help string) {
	help = strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help)
	fmt.Fprintf(e, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// sample writes a sample. labels are names, each with its value behind it.
func (e *exposition) sample(name string, value float64, labels ...string) {
	e.WriteString(name)
	for i := 0; i+1 < len(labels); i += 2 {
		e.WriteByte("{,"[min(i, 1)])
		fmt.Fprintf(e, `%s="%s"`, labels[i], strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(labels[i+1]))
	}
	if len(labels) > 0 {
		e.WriteByte('}')
	}
	e.WriteString(" " + strconv.FormatFloat(value, 'g', -1, 64) + "\n")
}

// single writes a family of one sample.
func (e *exposition) single(name, kind, help string, value int64) {
	e.family(name, kind, help)
	e.sample(name, float64(value))
}

// histogram writes the samples of a histogram, whose buckets are cumulative.
func (e *exposition) histogram(name string, h *histogram, labels ...string) {
	total := int64(0)
	for i, n := range h.buckets {
		total += n
		bound := "+Inf"
		if i < len(latencies) {
			bound = strconv.FormatFloat(latencies[i], 'g', -1, 64)
		}
		e.sample(name+"_bucket", float64(total), append(slices.Clip(labels), "le", bound)...)
	}
	e.sample(name+"_sum", h.sum, labels...)
	e.sample(name+"_count", float64(total), labels...)
}

// WriteTo writes the Metrics as text for Prometheus, version 0.0.4 of the format. An error is one of
// w.
func (m *Metrics) WriteTo(w io.Writer) (int64, error) {
	var e exposition
	e.single("fetch_gateway_in_flight", "gauge", "Fetches that run.", m.running.Load())
	e.single("fetch_gateway_waiting", "gauge", "Requests that wait for room.", m.waiting.Load())
	e.single("fetch_gateway_refused_total", "counter", "Requests that were refused because too many waited.", m.busy.Load())
	e.single("fetch_gateway_sent_bytes_total", "counter", "Bytes of bodies that clients took, those of tunnels included.", m.sent.Load())
	e.single("fetch_gateway_tunnels", "gauge", "Tunnels of CONNECT that are open.", m.tunnels.Load())
	e.single("fetch_gateway_tunnels_total", "counter", "Tunnels of CONNECT that were opened.", m.tunneled.Load())
	m.outcomes(&e)
	return e.Buffer.WriteTo(w)
}

// outcomes writes the families that have labels.
func (m *Metrics) outcomes(e *exposition) {
	m.mu.Lock()
	defer m.mu.Unlock()
	const ended, answer = "fetch_gateway_fetches_total", "fetch_gateway_answer_seconds"
	e.family(ended, "counter", "Fetches that ended, by scheme and class; the class of one that did not fail is ok.")
	for _, o := range inOrder(m.ended) {
		e.sample(ended, float64(m.ended[o]), "scheme", o.scheme, "class", o.class)
	}
	e.family(answer, "histogram", "Time from a request until there was a resource or a failure.")
	for _, o := range inOrder(m.answers) {
		e.histogram(answer, m.answers[o], "scheme", o.scheme, "class", o.class)
	}
}

// inOrder returns outcomes by scheme and class.
func inOrder[V any](m map[outcome]V) []outcome {
	return slices.SortedFunc(maps.Keys(m), func(a, b outcome) int {
		return cmp.Or(cmp.Compare(a.scheme, b.scheme), cmp.Compare(a.class, b.class))
	})
}
