package report

import (
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/internal/command/writeout"
	"github.com/seed1ea3422f/fetch/record"
)

// A result has the values for --write-out of a fetch that has ended.
type result struct {
	record *record.Record
	res    *fetchers.Resource
	err    error
	timing *timing
	words  func(error) string
}

// writeOut writes the text of --write-out about a fetch, if there is one. A value is one line, and is
// escaped for a terminal. The format is written as it is. The error is a record.OutputError.
func (r *Run) writeOut(of result) error {
	format := r.options.Output.Format
	if format.IsZero() {
		return nil
	}
	var out, err strings.Builder
	for _, p := range format.Expand(writeout.Values{Variable: of.variable, Header: of.header, Failed: of.err != nil}) {
		to, place := &out, r.streams.Out
		if p.Stderr {
			to, place = &err, r.streams.Err
		}
		switch {
		case p.Given:
		case term.IsTerminal(place):
			p.Text = term.Visible(p.Text)
		default:
			p.Text = inLine.Replace(p.Text)
		}
		to.WriteString(p.Text)
	}
	if err.Len() > 0 {
		io.WriteString(r.streams.Err, err.String())
	}
	return r.streams.WriteText(out.String())
}

// inLine puts a space in the place of each line end.
var inLine = strings.NewReplacer("\r", " ", "\n", " ")

// header returns the values of a header field as they were sent.
func (r result) header(name string) string {
	return strings.Join(headerOf(r.res, r.err).Values(name), ", ")
}

// variable returns the value of a variable.
func (r result) variable(name string) string {
	rec := r.record
	host, port, _ := net.SplitHostPort(orEmpty(rec.Remote))
	switch name {
	case "content_type":
		if field := headerOf(r.res, r.err).Get("Content-Type"); field != "" {
			return field
		}
		return orEmpty(rec.MediaType)
	case "errormsg":
		if r.err == nil {
			return ""
		}
		return r.words(r.err)
	case "exitcode":
		if rec.Error == nil {
			return "0"
		}
		return strconv.Itoa(rec.Error.Exit)
	case "filename_effective":
		return orEmpty(rec.Output)
	case "header_json":
		if rec.Headers == nil {
			return "{}"
		}
		return asJSON(rec.Headers)
	case "http_code", "response_code":
		return fmt.Sprintf("%03d", r.code())
	case "http_version":
		return r.version()
	case "json":
		return asJSON(rec)
	case "local_ip", "local_port":
		return r.local(name)
	case "num_connects":
		return strconv.Itoa(r.timing.connections())
	case "num_redirects":
		return strconv.Itoa(len(rec.Redirects))
	case "num_retries":
		return strconv.Itoa(max(rec.Attempts-1, 0))
	case "redirect_url":
		return rec.Location
	case "remote_ip":
		return host
	case "remote_port":
		return port
	case "scheme":
		return rec.Scheme
	case "size_download":
		return strconv.FormatInt(rec.Received, 10)
	case "speed_download":
		return strconv.FormatInt(int64(float64(rec.Received)/max(rec.Seconds, 1e-6)), 10)
	case "time_appconnect":
		return inSeconds(r.timing.at(secured))
	case "time_connect":
		return inSeconds(r.timing.at(connected))
	case "time_namelookup":
		return inSeconds(r.timing.at(resolved))
	case "time_redirect":
		return inSeconds(r.timing.at(redirected))
	case "time_starttransfer":
		return inSeconds(r.timing.at(begun))
	case "time_total":
		return fmt.Sprintf("%.6f", rec.Seconds)
	case "url":
		return rec.URL
	case "url_effective":
		return rec.EffectiveURL
	}
	return ""
}

// local returns a part of the local address of the connection.
func (r result) local(name string) string {
	if r.res == nil || r.res.LocalAddr == nil {
		return ""
	}
	host, port, _ := net.SplitHostPort(r.res.LocalAddr.String())
	if name == "local_port" {
		return port
	}
	return host
}

// code returns the number of the last reply, or 0.
func (r result) code() int {
	switch rec := r.record; {
	case rec.Reply != nil:
		return rec.Reply.Code
	case rec.Error != nil && rec.Error.Code != nil:
		return *rec.Error.Code
	}
	return 0
}

// version returns the version of HTTP that the server has answered in, or 0.
func (r result) version() string {
	answer, ok := headOf(r.res, r.err)
	if !ok {
		return "0"
	}
	return strings.TrimPrefix(answer.proto(), "HTTP/")
}

// asJSON returns v as JSON, which a record always can be.
func asJSON(v any) string {
	text, _ := record.Marshal(v)
	return string(text)
}

func inSeconds(d time.Duration) string { return fmt.Sprintf("%.6f", d.Seconds()) }

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
