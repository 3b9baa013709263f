package gateway

import "time"

// Statuses are the statuses of the classes, for tests.
var Statuses = statuses

// SetTunnelIdle sets how long no byte may pass through a tunnel of h.
func (h *Handler) SetTunnelIdle(d time.Duration) { h.tunnels.idle = d }
