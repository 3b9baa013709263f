package download

import (
	"context"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Pieces says what each piece of a file hashes to, so that of a file that is not what
// it has to be only what is wrong is fetched again.
type Pieces struct {
	algorithm string
	length    int64 // of each but the last, in octets
	sums      []Sum
}

// piecesOf begins to read the element that holds them (RFC 5854, section 4.1.3). It is
// nil if they cannot be used.
func piecesOf(start xml.StartElement) *Pieces {
	length, err := strconv.ParseInt(attribute(start, "length"), 10, 64)
	algorithm := strings.Replace(strings.ToLower(attribute(start, "type")), "-", "", 1)
	if _, known := algorithms[algorithm]; err != nil || length <= 0 || !known {
		return nil
	}
	return &Pieces{algorithm: algorithm, length: length}
}

// add returns p with a further piece, or nil if that makes no sense. Metalink 3 counts
// them.
func (p *Pieces) add(number, digits string) *Pieces {
	if p == nil || number != "" && number != strconv.Itoa(len(p.sums)) {
		return nil
	}
	s, err := ParseSum(p.algorithm + ":" + digits)
	if err != nil {
		return nil
	}
	p.sums = append(p.sums, s)
	return p
}

// check returns ErrChecksum if a file of the given size has a piece that is not what it has
// to be.
func (p *Pieces) check(ctx context.Context, file io.ReaderAt, size int64) error {
	right, err := p.right(ctx, file, size, []span{{0, size}})
	if err == nil && len(complement(right, size)) > 0 {
		err = fmt.Errorf("%w: it has pieces that are not what they should be", ErrChecksum)
	}
	return err
}

// right returns which pieces of a file of the given size are what they have to be, of
// those that are in there: what is not may be a hole of any size. It is ErrChecksum if they
// are not about such a file.
func (p *Pieces) right(ctx context.Context, file io.ReaderAt, size int64, there []span) ([]span, error) {
	pieces := size / p.length
	if size%p.length > 0 {
		pieces++
	}
	if int64(len(p.sums)) != pieces {
		return nil, fmt.Errorf("%w: of a file of %d bytes there are more or fewer pieces", ErrChecksum, size)
	}
	var wrong []span
	h := algorithms[p.algorithm]()
	for i, sum := range p.sums {
		piece := span{int64(i) * p.length, min(int64(i+1)*p.length, size)}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		isThere := func(s span) bool { return s.from <= piece.from && piece.to <= s.to }
		if !slices.ContainsFunc(there, isThere) {
			wrong = append(wrong, piece)
			continue
		}
		h.Reset()
		if _, err := io.Copy(h, io.NewSectionReader(file, piece.from, piece.len())); err != nil {
			return nil, err
		}
		if hex.EncodeToString(h.Sum(nil)) != sum.want {
			wrong = append(wrong, piece)
		}
	}
	return complement(wrong, size), nil
}
