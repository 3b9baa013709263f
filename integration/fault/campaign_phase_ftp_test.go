package fault_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
)

// ftpWords are the replies of an FTP server by command; "" is the greeting.
var ftpWords = map[string]string{
	"":     "220 ready",
	"USER": "331 password, please",
	"PASS": "230 welcome",
	"FEAT": "211-Features:\r\n EPSV\r\n MDTM\r\n REST STREAM\r\n SIZE\r\n211 End",
	"TYPE": "200 as you like",
	"CWD":  "250 there you are",
	"PWD":  "257 \"/\"",
	"SIZE": "213 262144",
	"MDTM": "213 20010203040506",
	"EPSV": "229 Entering Extended Passive Mode (|||2000|)",
	"PASV": "227 Entering Passive Mode (127,0,0,1,7,208)",
	"REST": "350 go on",
	"RETR": "150 here it comes",
	"NOOP": "200 yes",
	"QUIT": "221 goodbye",
}

// Moments of a conversation that are not the reply to a command.
const (
	ofData = "data"
	ofDone = "226"
)

// ftpAt strikes in place of the reply to a command, the data, or the 226 at the end. The server
// refuses the commands in without.
func ftpAt(place string, without ...string) func(s *scene, strike func(net.Conn) bool) string {
	return func(s *scene, strike func(net.Conn) bool) string {
		data := make(chan *link, 16)
		s.serve(":2000", func(c *link) { data <- c; io.Copy(io.Discard, c) })
		s.serve("good.test:21", func(c *link) {
			at := func(here string) bool { return here == place && strike(c) }
			if at("") {
				return
			}
			for len(data) > 0 {
				<-data // left from an earlier control connection
			}
			io.WriteString(c, ftpWords[""]+"\r\n")
			from := 0
			for in := bufio.NewReader(c); ; {
				line, err := in.ReadString('\n')
				if err != nil {
					return
				}
				verb, argument, _ := strings.Cut(strings.TrimSpace(line), " ")
				if at(verb) {
					return
				}
				reply := ftpWords[verb]
				if reply == "" || slices.Contains(without, verb) {
					reply = "502 no"
				}
				io.WriteString(c, reply+"\r\n")
				switch verb {
				case "REST":
					fmt.Sscan(argument, &from)
				case "RETR":
					d := <-data
					if place == ofData && strike(d) {
						d.Close()
					} else {
						d.Write(v1.data[from:])
						d.Close()
					}
					from = 0
					if at(ofDone) {
						return
					}
					io.WriteString(c, "226 done\r\n")
				}
			}
		})
		return "ftp://good.test/d/f.bin"
	}
}

// ftpFeatures returns the phase of the reply to FEAT, without which a server is fetched from as
// well.
func ftpFeatures() phase {
	p := ftpReply("FEAT", "211-Fea")
	p.want = mustBeRight
	return p
}

// ftpReply returns a phase: the reply to a command, after its first octets.
func ftpReply(verb, begun string, without ...string) phase {
	return phase{
		reply: "the reply to " + verb + " of FTP", serve: ftpAt(verb, without...),
		begun: begun, text: "word ", line: "\r\n" + begun[:3] + "-more",
	}
}

var ftpPhases = []phase{
	{reply: "the greeting of FTP", serve: ftpAt(""), text: "220 hello ", line: "220-hello\r\n"},
	{reply: "the middle of the greeting of FTP", serve: ftpAt(""), begun: "220-hello\r\n", text: "hello ", line: " hello\r\n"},
	ftpReply("USER", "331 pass"),
	ftpReply("PASS", "230-wel"),
	ftpFeatures(),
	ftpReply("TYPE", "200 as"),
	ftpReply("CWD", "250-there"),
	ftpReply("SIZE", "213 26"),
	ftpReply("EPSV", "229 Entering (|||20"),
	ftpReply("PASV", "227 Entering Passive Mode (127,0,", "EPSV"),
	ftpReply("RETR", "150-here"),
	{reply: "the data connection of FTP", serve: ftpAt(ofData), text: "x", bounds: bySpeed},
	{reply: "the last reply of FTP", serve: ftpAt(ofDone), begun: "226-do", text: "word ", line: "\r\n226-more", want: []verdict{right, honest}, final: true},
}
