package sessions

import (
	"bufio"
	"crypto/ed25519"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"path"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/sftp"
)

func sftpClient(nw *fetchers.Network, _ *tls.Config) fetchers.Fetcher {
	return &sftp.Fetcher{Network: nw, AcceptNew: func(*sftp.HostKeyError, string) error { return nil }}
}

// sftpSettings accepts every client.
var sftpSettings = func() *ssh.ServerConfig {
	key, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
	if err != nil {
		panic(err)
	}
	config := &ssh.ServerConfig{NoClientAuth: true}
	config.AddHostKey(key)
	return config
}()

// A channelConn is a connection whose octets are those of a channel of SSH.
type channelConn struct {
	net.Conn
	channel ssh.Channel
}

func (c channelConn) Read(p []byte) (int, error)  { return c.channel.Read(p) }
func (c channelConn) Write(p []byte) (int, error) { return c.channel.Write(p) }

// serveSFTP serves a file for every name.
func serveSFTP(v *visit) {
	conn, channels, requests, err := ssh.NewServerConn(v.Conn, sftpSettings)
	if err != nil {
		return
	}
	defer conn.Close()
	go ssh.DiscardRequests(requests)
	asked, ok := <-channels
	if !ok {
		return
	}
	channel, subsystem, err := asked.Accept()
	if err != nil {
		return
	}
	go func() {
		for r := range subsystem {
			r.Reply(true, nil)
		}
	}()
	go func() {
		for further := range channels {
			further.Reject(ssh.Prohibited, "one is enough")
		}
	}()
	v.Conn = channelConn{v.Conn, channel}
	v.in = bufio.NewReader(channel)
	v.packets(func() {
		time.Sleep(idle)
		conn.SendRequest("keepalive@openssh.com", false, nil)
	})
}

// packets answers the packets of SFTP (draft-ietf-secsh-filexfer-02). The handle of a file is its
// name. An answer that is not sent is followed by a sign of life, a message of SSH.
func (v *visit) packets(live func()) {
	for {
		head := make([]byte, 5)
		if _, err := io.ReadFull(v.in, head); err != nil {
			return
		}
		p := make([]byte, binary.BigEndian.Uint32(head)-1)
		if _, err := io.ReadFull(v.in, p); err != nil {
			return
		}
		if head[4] == 1 { // INIT
			v.last = sftpPacket(2, 3, "")
			v.say(v.last)
			continue
		}
		id, name := binary.BigEndian.Uint32(p), path.Dir(sftpName(p[4:]))[1:]
		attributes := func(name string) string {
			return sftpNumber(5) + sftpNumber(0) + sftpNumber(len(text(name))) + sftpNumber(0o100644)
		}
		var step string
		var kind byte
		var answer func(name string) string
		switch head[4] {
		case 17:
			step, kind, answer = "STAT", 105, attributes
		case 3:
			step, kind, answer = "OPEN", 102, func(name string) string { return sftpText("/" + name + "/doc.txt") }
		case 8: // FSTAT
			v.say(sftpPacket(105, id, attributes(name)))
			continue
		case 5:
			step, kind, answer = "READ", 103, func(name string) string { return sftpText(text(name)) }
		default: // CLOSE
			v.say(sftpPacket(101, id, sftpNumber(0)+sftpText("")+sftpText("")))
			continue
		}
		v.record(fmt.Sprint(step, " ", name), step == "STAT")
		r := reply{whole: sftpPacket(kind, id, answer(name)), surplus: sftpPacket(kind, id-1, answer(stale)), end: 4}
		r.other = r.surplus
		switch v.reply(step, r) {
		case gone:
			return
		case over:
			live()
		}
	}
}

// sftpName returns the text at the beginning of p.
func sftpName(p []byte) string { return string(p[4 : 4+binary.BigEndian.Uint32(p)]) }

func sftpNumber(n int) string  { return string(binary.BigEndian.AppendUint32(nil, uint32(n))) }
func sftpText(s string) string { return sftpNumber(len(s)) + s }

// sftpPacket returns a packet. In VERSION the number is that of the version.
func sftpPacket(kind byte, id uint32, rest string) string {
	return sftpText(string(rune(kind)) + sftpNumber(int(id)) + rest)
}
