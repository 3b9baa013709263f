package cluster

import (
	"strings"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/record"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// The bounds of a record as a line.
const (
	maxRecord = batchBytes/2 - 1 // octets
	maxText   = 2000             // octets of each text in a record that is longer, but for its URL
)

// fit returns a record as a line without its end. A record that is longer than half a message loses its header
// fields, its redirections and the facts of its session and of TLS, then the ends of its texts, and at last the
// end of its URL.
func fit(rec *record.Record) ([]byte, error) {
	line, err := record.Marshal(rec)
	if err != nil || len(line) <= maxRecord {
		return line, err
	}
	rec.Headers, rec.Redirects = nil, []string{}
	if line, err = record.Marshal(rec); err != nil || len(line) <= maxRecord {
		return line, err
	}
	rec.Session, rec.TLS = nil, nil
	cutTexts(rec)
	key := KeyOf(rec.URL)
	for whole, n := rec.URL, len(rec.URL); ; n /= 2 {
		rec.URL = cutURL(whole, n, key)
		if line, err = record.Marshal(rec); err != nil || len(line) <= maxRecord {
			return line, err
		}
	}
}

// cutTexts cuts the texts of a record that others chose, but for its URL.
func cutTexts(rec *record.Record) {
	for _, text := range []*string{&rec.EffectiveURL, &rec.UnicodeHost, &rec.Scheme, &rec.Location, &rec.Why, rec.MediaType, rec.ETag, rec.Remote} {
		if text != nil {
			*text = cut(*text, maxText)
		}
	}
	if rec.Reply != nil {
		rec.Reply.Text = cut(rec.Reply.Text, maxText)
	}
	if rec.Error != nil && len(rec.Error.Text) > maxText {
		rec.Error.Text = cut(rec.Error.Text, maxText/2) + " … " + ending(rec.Error.Text, maxText/2)
	}
}

// cut returns the first octets of a text, without a part of a character.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// ending returns the last octets of a text, without a part of a character: the reason of a failure is there.
func ending(text string, n int) string {
	at := max(len(text)-n, 0)
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}

// cutURL returns the first octets of a URL, without a part of an escape. It is "" if they would belong to another
// partition than the whole, whose key is given.
func cutURL(whole string, n int, key string) string {
	if len(whole) <= n {
		return whole
	}
	short := cut(whole, n)
	if at := strings.LastIndexByte(short, '%'); at >= 0 && at > len(short)-3 {
		short = short[:at]
	}
	if plan.Partition(KeyOf(short)) != plan.Partition(key) {
		return ""
	}
	return short
}
