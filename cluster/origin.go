package cluster

import (
	"encoding/json"
	"fmt"
	"strings"
)

// maxVia is how many octets of the URL that led to another one are kept.
const maxVia = 2000

// shortVia returns the beginning of a URL that led to others.
func shortVia(via string) string {
	if len(via) <= maxVia {
		return via
	}
	return strings.ToValidUTF8(via[:maxVia], "")
}

// keepOrigin adds the fields of an item to its record, as the member "item" of the line, so that a retry
// has the same rights, the same expected sum and the same place in the crawl. A record of an item that has
// a URL only has no such member.
func (o *outcome) keepOrigin(i *Item) error {
	kept := *i
	kept.URL, kept.Generation, kept.Was = "", 0, ""
	if kept == (Item{}) {
		return nil
	}
	kept.Via = shortVia(kept.Via)
	text, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	line, ended := strings.CutSuffix(string(o.line), "}\n")
	if !ended {
		return fmt.Errorf("a record that is no JSON object: %.20q", o.line)
	}
	o.line = fmt.Appendf(nil, "%s,%q:%s}\n", line, "item", text)
	return nil
}
