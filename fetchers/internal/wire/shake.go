package wire

import (
	"context"
	"crypto/tls"
	"fmt"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// MaxShake is how long it may take to agree on TLS.
const MaxShake = 30 * time.Second

// Shake agrees on TLS. A server that takes longer than MaxShake is ErrStalled: the limit
// of a Read would let it drip. If Shake fails, what is under c is of no more use.
func Shake(ctx context.Context, c *tls.Conn) error {
	limited, cancel := context.WithTimeout(ctx, MaxShake)
	defer cancel()
	err := c.HandshakeContext(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: no TLS within %v", fetchers.ErrStalled, MaxShake)
	}
	return err
}
