package nntp

import (
	"bufio"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/message"
)

const (
	// maxNumbers is the largest number of article numbers that are held in memory.
	maxNumbers = 1 << 20

	// ahead is how many headers are requested before the first is read.
	ahead = 64
)

// heads is the overview of a group, made from the headers of its articles.
type heads struct {
	s       *session
	lease   *lease
	numbers []uint64 // articles whose headers were not read yet
	asked   int      // how many of their headers were requested
	line    string   // unread rest of the last line
	err     error    // final error
}

// heads returns the overview of the articles from first to last, or nil if there are none.
func (s *session) heads(first, last uint64) (io.ReadCloser, error) {
	numbers, err := s.numbers(first, last)
	if err != nil || len(numbers) == 0 {
		return nil, err
	}
	return &heads{s: s, lease: s.lease, numbers: numbers}, nil
}

// numbers returns the numbers of the articles in the current group from first to last. Old servers
// do not support LISTGROUP with a range (RFC 3977, section 6.1.2).
func (s *session) numbers(first, last uint64) (numbers []uint64, err error) {
	if _, err := s.ask("LISTGROUP", 211); err != nil {
		return nil, err
	}
	s.conn.AwaitList()
	lines := scan(s.text(), bufio.MaxScanTokenSize)
	size := 0
	for listed := 1; lines.Scan(); listed++ {
		size += len(lines.Bytes())
		n, err := strconv.ParseUint(strings.TrimSpace(lines.Text()), 10, 64)
		switch {
		case err != nil:
			return nil, s.breaks(fmt.Errorf("%w: %.60q for the number of an article", fetchers.ErrProtocol, lines.Text()))
		case listed > maxListed, size > maxListedBytes:
			return nil, s.breaks(fmt.Errorf("%w: an endless list of articles", fetchers.ErrProtocol))
		case n < first || n > last:
			continue
		case len(numbers) == maxNumbers:
			return nil, s.breaks(fmt.Errorf("%w: more than %d articles, and no overview", fetchers.ErrProtocol, maxNumbers))
		}
		numbers = append(numbers, n)
	}
	if err := lineError(lines.Err()); err != nil {
		return nil, s.breaks(err)
	}
	return numbers, nil
}

func (h *heads) Read(p []byte) (int, error) {
	for h.line == "" && h.err == nil {
		if len(h.numbers) == 0 {
			h.err = io.EOF
			h.lease.Done()
		} else if err := h.next(); err != nil {
			h.err = h.s.breaks(err)
			h.Close()
		}
	}
	if h.line == "" {
		return 0, h.err
	}
	n := copy(p, h.line)
	h.line = h.line[n:]
	return n, nil
}

// next reads a header, and makes a line of it. The article may have been removed meanwhile.
func (h *heads) next() error {
	if h.asked < ahead/2 {
		for ; h.asked < min(ahead, len(h.numbers)); h.asked++ {
			if err := h.s.send(fmt.Sprintf("HEAD %d", h.numbers[h.asked])); err != nil {
				return err
			}
		}
	}
	number := h.numbers[0]
	h.numbers, h.asked = h.numbers[1:], h.asked-1
	reply, err := h.s.receive()
	if err != nil || reply.Code == 423 || reply.Code == 430 {
		return err
	}
	if err := h.s.want(reply, 221); err != nil {
		return err
	}
	if err := h.s.identify(reply, strconv.FormatUint(number, 10)); err != nil {
		return err
	}
	head, err := h.s.readHeader()
	if err == nil {
		h.line = overviewOf(number, message.ParseHeader(head))
	}
	return err
}

// Close closes the connection if the listing was not read to its end. It may be called during a
// Read. After the end it does nothing.
func (h *heads) Close() error { return h.lease.Close() }

// overviewOf returns the overview line of an article (RFC 3977, section 8.3.2), without its size,
// which no header contains.
func overviewOf(number uint64, header textproto.MIMEHeader) string {
	fields := []string{
		strconv.FormatUint(number, 10),
		header.Get("Subject"), header.Get("From"), header.Get("Date"), header.Get("Message-Id"), header.Get("References"),
		"", header.Get("Lines"),
	}
	for i, f := range fields {
		fields[i] = strings.NewReplacer("\t", " ", "\r", " ", "\n", " ").Replace(f)
	}
	return strings.Join(fields, "\t") + "\r\n"
}
