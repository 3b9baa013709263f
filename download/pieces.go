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

// Pieces holds a checksum for each piece of a file, so that only the wrong pieces of a damaged file
// are fetched again.
type Pieces struct {
	algorithm string
	length    int64 // of each piece but the last, in bytes
	sums      []Sum
}

// piecesOf reads the start tag of the element pieces (RFC 5854, section 4.1.3). It returns nil if
// the pieces are unusable.
func piecesOf(start xml.StartElement) *Pieces {
	length, err := strconv.ParseInt(attribute(start, "length"), 10, 64)
	algorithm := strings.Replace(strings.ToLower(attribute(start, "type")), "-", "", 1)
	if _, known := algorithms[algorithm]; err != nil || length <= 0 || !known {
		return nil
	}
	return &Pieces{algorithm: algorithm, length: length}
}

// add returns p with a further piece, or nil if the piece is not the next one. Metalink 3 numbers
// pieces.
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

// check returns ErrChecksum if a piece of a file of the given size does not have its checksum.
func (p *Pieces) check(ctx context.Context, file io.ReaderAt, size int64) error {
	right, err := p.right(ctx, file, size, []span{{0, size}})
	if err == nil && len(complement(right, size)) > 0 {
		err = fmt.Errorf("%w: a piece does not have its checksum", ErrChecksum)
	}
	return err
}

// right returns the spans of a file of the given size whose pieces have their checksums. It reads
// only the pieces in there, since the gaps may be holes of any size. The error is ErrChecksum if
// the number of pieces does not match the size.
func (p *Pieces) right(ctx context.Context, file io.ReaderAt, size int64, there []span) ([]span, error) {
	pieces := size / p.length
	if size%p.length > 0 {
		pieces++
	}
	if int64(len(p.sums)) != pieces {
		return nil, fmt.Errorf("%w: the number of pieces does not fit a file of %d bytes", ErrChecksum, size)
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
