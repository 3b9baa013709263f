package servers

import (
	"crypto/aes"
	"crypto/cipher"
	"io"
	"time"
)

// The files that are served beside those of testdata/tree. [Fill] writes the content of each for
// its size.
const (
	Size100k = 100 << 10 // 100k.bin
	Size5m   = 5 << 20   // 5m.bin
	SizeBig  = 1 << 30   // big.bin, only after "up -big"
)

// Octets are files whose names are no UTF-8, which not every server can serve.
// Each holds its own name.
var Octets = []string{"octets/latin\xe9.txt", "octets/two\xff\xff.txt", "octets/one\xff.txt"}

// HelloTime is when hello.txt was last modified, TreeTime when everything else
// was, directories included.
var (
	HelloTime = time.Date(1999, time.December, 31, 23, 59, 58, 0, time.UTC)
	TreeTime  = time.Date(2001, time.February, 3, 4, 5, 6, 0, time.UTC)
)

// Fill writes n bytes that look random and are the same every time, so that no
// two places in a file look alike and nothing can be compressed. It is the key
// stream of AES-128 in counter mode under the key "fetch real files", from
// counter zero, which is also
//
//	head -c N /dev/zero | openssl enc -aes-128-ctr -iv 0 -K $(printf 'fetch real files' | xxd -p)
//
// A shorter file is therefore the beginning of a longer one.
func Fill(w io.Writer, n int64) error {
	block, err := aes.NewCipher([]byte("fetch real files"))
	if err != nil {
		return err
	}
	stream := cipher.NewCTR(block, make([]byte, aes.BlockSize))
	buf := make([]byte, 256<<10)
	for n > 0 {
		b := buf[:min(n, int64(len(buf)))]
		clear(b)
		stream.XORKeyStream(b, b)
		if _, err := w.Write(b); err != nil {
			return err
		}
		n -= int64(len(b))
	}
	return nil
}
