package clienttests

import "net/textproto"

// NNTP is a client of NNTP as another project could have it.
type NNTP struct{ conn *textproto.Conn }

// DialNNTP connects to addr, "host:port".
func DialNNTP(addr string) (*NNTP, error) {
	conn, err := textproto.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	c := &NNTP{conn}
	if _, _, err := conn.ReadCodeLine(20); err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// Close ends the connection.
func (c *NNTP) Close() error { return c.conn.Close() }

// Article returns the lines of an article of a group. An article without its final dot is
// an error.
func (c *NNTP) Article(group, number string) ([]string, error) {
	if err := c.ask(211, "GROUP "+group); err != nil {
		return nil, err
	}
	if err := c.ask(220, "ARTICLE "+number); err != nil {
		return nil, err
	}
	return c.conn.ReadDotLines()
}

func (c *NNTP) ask(code int, line string) error {
	if err := c.conn.PrintfLine("%s", line); err != nil {
		return err
	}
	_, _, err := c.conn.ReadCodeLine(code)
	return err
}
