package download

// A crew is the connections of a file.
type crew struct {
	running map[int]*connection // by their numbers in the File; they can be dropped
	active  int                 // those, and those that have ended and of which the File is not told yet
	several chan struct{}       // is closed when there is a second connection
	alone   bool                // there was no second one so far
	ended   chan struct{}       // is closed when none is active
}

func newCrew() *crew {
	return &crew{running: make(map[int]*connection), several: make(chan struct{}), alone: true, ended: make(chan struct{})}
}

// add adds a connection that begins.
func (c *crew) add(next *connection) {
	c.running[next.id] = next
	c.active++
	if next.id > 0 && c.alone {
		c.alone = false
		close(c.several)
	}
}

// remove takes note that the File was told of the end of a connection.
func (c *crew) remove() {
	if c.active--; c.active == 0 {
		close(c.ended)
	}
}
