package sessions

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// ftpSteps are the replies to the commands for a document in another directory, and to its
// transfer; "data" is the document on its own connection.
var ftpSteps = []string{"CWD", "SIZE", "EPSV", "150", "data", "226"}

// serveFTP serves a document in each directory, all of one name.
func serveFTP(v *visit) {
	var (
		at       string // the directory
		passive  *net.TCPListener
		protects bool
	)
	defer func() { closeListener(passive) }()
	v.say("220 ready\r\n")
	for {
		line, ok := v.line()
		if !ok {
			return
		}
		verb, argument, _ := strings.Cut(line, " ")
		v.record(line, verb == "RETR")
		if verb == "RETR" && passive != nil {
			how := v.transfer(passive, text(at), protects)
			if closeListener(passive); how == gone {
				return
			}
			passive = nil
			continue
		}
		answer := "502 not here"
		switch verb {
		case "QUIT":
			v.say("221 goodbye\r\n")
			return
		case "USER":
			answer = "331 password"
		case "PASS":
			answer = "230 welcome"
		case "FEAT", "TYPE", "PBSZ", "NOOP":
			answer = "200 fine"
		case "PROT":
			protects, answer = true, "200 fine"
		case "PWD":
			answer = `257 "/" is where you are`
		case "CWD":
			answer = "550 no directory"
			if !strings.HasSuffix(argument, ".txt") {
				at, answer = strings.TrimPrefix(argument, "/"), "250 you are there"
			}
		case "SIZE":
			answer = fmt.Sprintf("213 %d", len(text(at)))
		case "EPSV":
			closeListener(passive)
			passive, answer = listenData()
		}
		if verb == "CWD" && argument == "/" {
			verb = "CWD /" // no step
		}
		if v.reply(verb, replyFTP(answer)) == gone {
			return
		}
	}
}

func replyFTP(answer string) reply {
	return reply{whole: answer + "\r\n", end: 2, surplus: answer + "\r\n", goodbye: "421 closing\r\n"}
}

func listenData() (*net.TCPListener, string) {
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, "451 no port"
	}
	return l, fmt.Sprintf("229 go there (|||%d|)", l.Addr().(*net.TCPAddr).Port)
}

func closeListener(l *net.TCPListener) {
	if l != nil {
		l.Close()
	}
}

// transfer sends a document over a connection of its own. On that one an answer may be
// short or long; all other faults are those of the replies.
func (v *visit) transfer(passive *net.TCPListener, document string, protected bool) verdict {
	passive.SetDeadline(time.Now().Add(time.Second))
	conn, err := passive.Accept()
	if err != nil {
		v.say("425 no connection\r\n")
		return over
	}
	raw := conn
	defer raw.Close()
	if protected {
		conn = tls.Server(conn, v.host.secure())
	}
	if how := v.reply("150", replyFTP("150 here it comes")); how != goOn {
		return how
	}
	switch f := v.host.plan(v, "data"); f {
	case half:
		v.host.struck(v)
		document = document[:len(document)/2]
	case surplus:
		v.host.struck(v)
		document += document
	}
	raw.SetDeadline(time.Now().Add(2 * time.Second))
	io.WriteString(conn, document)
	conn.Close()
	return v.reply("226", replyFTP("226 done"))
}

// TestTwoFaults breaks the document and a reply before it. Only SIZE tells how long a document
// is, so a fault of another reply may not hide that it has told another length.
func TestTwoFaults(t *testing.T) {
	for _, p := range protocols[:2] {
		for _, step := range []string{"CWD", "SIZE", "EPSV", "150"} {
			for _, reply := range ofReply {
				for _, data := range []fault{half, surplus} {
					if reply.stalls() || reply.isLate() {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/%s/%s", p.name, step, reply, data), func(t *testing.T) {
						t.Parallel()
						h := newHost(p, func(_ *visit, at string) fault {
							switch at {
							case step:
								return reply
							case "data":
								return data
							}
							return sound
						}).start()
						defer h.Close()
						f := h.fetcher(2 * time.Second)
						defer closeIdle(f)
						if got, err := h.fetch(t.Context(), f, "a"); err == nil && got != text("a") {
							t.Errorf("%d bytes pass for the %d of the document", len(got), len(text("a")))
						}
					})
				}
			}
		}
	}
}
