package download

// A crew is the set of connections of a file.
type crew struct {
	running map[int]*connection // by their numbers in the File; these can be dropped
	active  int                 // running, and ended ones that the File has not been told about
	several chan struct{}       // closed when there is a second connection
	alone   bool                // there has been only one connection so far
	ended   chan struct{}       // closed when active is 0
}

func newCrew() *crew {
	return &crew{running: make(map[int]*connection), several: make(chan struct{}), alone: true, ended: make(chan struct{})}
}

// add adds a connection that starts.
func (c *crew) add(next *connection) {
	c.running[next.id] = next
	c.active++
	if next.id > 0 && c.alone {
		c.alone = false
		close(c.several)
	}
}

// remove removes a connection after the File was told of its end.
func (c *crew) remove() {
	if c.active--; c.active == 0 {
		close(c.ended)
	}
}
