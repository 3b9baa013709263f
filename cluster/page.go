package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed1ea3422f/fetch/cluster/plan"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// pageVersion is the version of the pages that this package writes and reads.
const pageVersion = 1

// A Page is the unit of work: URLs of one partition. It is one message, of at most 1,000 items and
// 900,000 octets as JSON.
type Page struct {
	Version int    `json:"version"`
	Job     string `json:"job"`
	Moves   int    `json:"moves,omitempty"` // how often the items were put back at the end of the partition
	Items   []Item `json:"items"`
}

// An Item is one URL of a Page, without a user and a password.
type Item struct {
	URL    string `json:"url"`              // as it was given; a text that is no URL is redacted
	SHA256 string `json:"sha256,omitempty"` // that its body is to have, in hexadecimal

	// Follow asks for the links of what the URL names. The other fields say how the URL was found.
	Follow    bool   `json:"follow,omitempty"`
	Depth     int    `json:"depth,omitempty"`     // links from the first URL to this one
	Hops      int    `json:"hops,omitempty"`      // redirections one after the other that led here
	Requisite bool   `json:"requisite,omitempty"` // a page needs it to be seen
	Via       string `json:"via,omitempty"`       // the beginning of the URL that led here, redacted; "" if the user named this one

	// A URL that is fetched again has the next Generation, and the class of its failure before.
	Generation uint8  `json:"generation,omitempty"`
	Was        string `json:"was,omitempty"`
}

// parse returns the URL of an item.
func (i *Item) parse() (*url.URL, error) { return idn.Parse(url.Unwrap(i.URL)) }

// KeyOf returns the host by which the partition of a URL is found: without a host, the scheme, and
// for a text that is no URL, the text.
func KeyOf(text string) string {
	u, err := idn.Parse(url.Unwrap(text))
	if err != nil {
		return text
	}
	return keyOf(u)
}

func keyOf(u *url.URL) string {
	if u.Host == "" {
		return u.Scheme + ":"
	}
	return u.Host
}

// errVersion is the error for a page, or a message of records, of another version.
var errVersion = errors.New("of another version")

// check returns why the numbers and the sum of an item cannot be any.
func (i *Item) check() error {
	if i.Depth < 0 || i.Hops < 0 || i.Hops > maxHops {
		return fmt.Errorf("a URL at the depth %d after %d redirections", i.Depth, i.Hops)
	}
	if sum, err := hex.DecodeString(i.SHA256); err != nil || len(sum) != 0 && len(sum) != sha256.Size {
		return errors.New("a sum that is no SHA-256")
	}
	return nil
}

// decodePage returns a page of a partition and the reason why it cannot be read: errVersion, or damage.
func decodePage(data []byte, job string, partition int) (*Page, error) {
	var p Page
	if len(data) > maxMessage {
		return nil, fmt.Errorf("a page of %d bytes", len(data))
	}
	var head struct{ Version int }
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("a page that is no JSON: %w", err)
	}
	if head.Version != pageVersion {
		return nil, fmt.Errorf("%w: %d", errVersion, head.Version)
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("a page that makes no sense: %w", err)
	}
	if p.Job != job {
		return nil, fmt.Errorf("a page of the job %q", p.Job)
	}
	if len(p.Items) > plan.PageItems {
		return nil, fmt.Errorf("a page of %d URLs", len(p.Items))
	}
	for n := range p.Items {
		i := &p.Items[n]
		if plan.Partition(KeyOf(i.URL)) != partition {
			return nil, errors.New("a page with a URL of another partition")
		}
		if err := i.check(); err != nil {
			return nil, fmt.Errorf("a page with %w", err)
		}
	}
	return &p, nil
}

// errLong is the error for a URL that does not fit into a page with others.
var errLong = fmt.Errorf("the URL has more than %d bytes", plan.PageBytes/2)

// A pageWriter makes pages of the items of one partition.
type pageWriter struct {
	job   string
	moves int    // of the pages
	text  []byte // of a page without its end
	items int
}

// add adds an item. If the page has no space for it, full is the page without the item.
func (w *pageWriter) add(i *Item) (full []byte, err error) {
	text, err := json.Marshal(i)
	if err != nil {
		return nil, err
	}
	if len(text) > plan.PageBytes/2 {
		return nil, errLong
	}
	if w.items == plan.PageItems || len(w.text)+len(text) > plan.PageBytes {
		full = w.flush()
	}
	if w.items == 0 {
		head, err := json.Marshal(Page{Version: pageVersion, Job: w.job, Moves: w.moves, Items: []Item{}})
		if err != nil {
			return nil, err
		}
		w.text = append(w.text[:0], head[:len(head)-len("]}")]...)
	} else {
		w.text = append(w.text, ',')
	}
	w.text = append(w.text, text...)
	w.items++
	return full, nil
}

// flush returns the page so far, or nil if it has no items, and begins another one.
func (w *pageWriter) flush() []byte {
	if w.items == 0 {
		return nil
	}
	page := append(w.text, "]}"...)
	w.text, w.items = nil, 0
	return page
}
