package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"github.com/nats-io/nats.go"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// The header fields of a message of records. The lines of the message are records, in the order of
// the marks.
const (
	fieldVersion = "Fetch-Version"
	fieldToken   = "Fetch-Token"  // of the owner of the partition
	fieldBatch   = "Fetch-Batch"  // a random number, by which its writer knows the message
	fieldCounts  = "Fetch-Counts" // of the partition, with this message
	fieldMarks   = "Fetch-Marks"
)

// maxMessage is how many octets a message may have that this package reads.
const maxMessage = 1 << 20

// batchBytes is how many octets the records of a message have at most: with the header it is less
// than the 1 MiB that a server takes.
const batchBytes = 900_000

// Counts says how many URLs have a record. Those that were fetched again count once, by their last
// record.
type Counts struct {
	URLs     int64            `json:"urls"`
	Failures map[string]int64 `json:"failures,omitempty"` // by class
	Bytes    int64            `json:"bytes"`              // of content that was received, for all records
}

// add adds one record: class is that of its failure, or "". was is the class before, if the URL was
// fetched again.
func (c *Counts) add(class, was string, again bool, bytes int64) {
	c.Bytes += bytes
	if !again {
		c.URLs++
	}
	if was != "" && c.Failures[was] > 0 {
		c.Failures[was]--
	}
	if class != "" {
		if c.Failures == nil {
			c.Failures = make(map[string]int64)
		}
		c.Failures[class]++
	}
}

// plus adds the counts of another partition.
func (c *Counts) plus(o Counts) {
	c.URLs += o.URLs
	c.Bytes += o.Bytes
	for class, n := range o.Failures {
		if c.Failures == nil {
			c.Failures = make(map[string]int64)
		}
		c.Failures[class] += n
	}
}

func (c Counts) clone() Counts {
	c.Failures = maps.Clone(c.Failures)
	return c
}

// A head is the header of a message of records.
type head struct {
	token, batch uint64
	counts       Counts
	marks        []mark
}

func (h *head) encode() (nats.Header, error) {
	counts, err := json.Marshal(h.counts)
	if err != nil {
		return nil, err
	}
	return nats.Header{
		fieldVersion: {strconv.Itoa(pageVersion)},
		fieldToken:   {strconv.FormatUint(h.token, 10)},
		fieldBatch:   {strconv.FormatUint(h.batch, 10)},
		fieldCounts:  {string(counts)},
		fieldMarks:   {encodeMarks(h.marks)},
	}, nil
}

// decodeHead reads the header of a message of records. It is errVersion if another version wrote it.
func decodeHead(fields nats.Header) (h head, err error) {
	if v := fields.Get(fieldVersion); v != strconv.Itoa(pageVersion) {
		return h, fmt.Errorf("%w: %.20q", errVersion, v)
	}
	if h.token, err = strconv.ParseUint(fields.Get(fieldToken), 10, 64); err != nil {
		return h, fmt.Errorf("token: %w", err)
	}
	if h.batch, err = strconv.ParseUint(fields.Get(fieldBatch), 10, 64); err != nil {
		return h, fmt.Errorf("batch: %w", err)
	}
	if err = json.Unmarshal([]byte(fields.Get(fieldCounts)), &h.counts); err != nil {
		return h, fmt.Errorf("counts: %w", err)
	}
	if h.marks, err = decodeMarks(fields.Get(fieldMarks)); err != nil {
		return h, err
	}
	if len(h.marks) > plan.PageItems {
		return h, fmt.Errorf("%d marks", len(h.marks))
	}
	return h, nil
}

// lines returns the records of a message, one for each mark.
func (h *head) lines(data []byte) ([][]byte, error) {
	if len(data) > maxMessage {
		return nil, fmt.Errorf("%d bytes of records", len(data))
	}
	if len(h.marks) == 0 && len(data) == 0 {
		return nil, nil
	}
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	if len(lines) != len(h.marks) {
		return nil, errors.New("other records than marks")
	}
	return lines, nil
}
