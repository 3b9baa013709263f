package main

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
	"github.com/seed1ea3422f/fetch/integration/internal/line"
)

// The servers at the far end of a line are those of Debian, as they are shipped, but in one
// process if they can be. nginx would close a connection after 1,000 requests.
const (
	caFile   = "ca.pem" // in the directory of the case, where tools are run
	heldPath = "/held/"
	heldRate = 2 << 20 // bytes a second for each connection below heldPath

	nginxConf = `daemon off; master_process off; pid nginx.pid; error_log nginx.log;
events { worker_connections 4096; }
http {
  access_log off; types { text/html html; } default_type application/octet-stream; sendfile on; tcp_nopush on;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  keepalive_requests 100000;
  server {
    listen ADDR:80; listen ADDR:443 ssl http2;
    ssl_certificate ca.pem; ssl_certificate_key key.pem; ssl_protocols TLSv1.2 TLSv1.3;
    root www;
    location /held/ { alias www/; limit_rate 2m; sendfile off; }
  }
}
`
	vsftpdConf = `listen=YES
listen_address=ADDR
background=NO
anonymous_enable=YES
local_enable=NO
anon_root=DIR/www
secure_chroot_dir=DIR/empty
seccomp_sandbox=NO
isolate=NO
isolate_network=NO
max_per_ip=0
xferlog_enable=NO
`
)

// A farServer is a program of the far end. In its configuration ADDR and DIR stand for the address
// and the directory of the case.
type farServer struct {
	program, conf string
	args          []string // before the name of the configuration
	port          string
}

// webServers returns the servers of most cases.
func webServers(work string) []farServer {
	return []farServer{
		{"nginx", nginxConf, []string{"-p", work, "-e", "nginx.log", "-c"}, "80"},
		{"vsftpd", vsftpdConf, nil, "21"},
	}
}

// overLine makes a line, fills the directory of the servers at its far end, and starts
// them.
func overLine(work string, o line.Options, fill func(root string) error, far ...farServer) (s scene, err error) {
	l, err := line.New(o)
	if err != nil {
		return scene{}, err
	}
	var undo []func()
	s = scene{do: l.Near.Do, clean: func() {
		for _, f := range undo {
			f()
		}
		l.Close()
		os.RemoveAll(filepath.Join(work, "www"))
	}}
	defer func() {
		if err != nil {
			s.clean()
		}
	}()
	s.connections = func() (n int) {
		for port, connections := range l.Connections() {
			if port < 1024 { // those for the data of FTP are not counted
				n += connections
			}
		}
		return n
	}
	s.remark = func() string {
		n := l.Counts()
		return fmt.Sprintf("the line: %d packets, %d of them late, %d lost, %d dropped by the full queue", n.Packets, n.Late, n.Lost, n.Full)
	}
	root := filepath.Join(work, "www")
	if err := errors.Join(os.Mkdir(root, 0o755), os.Mkdir(filepath.Join(work, "empty"), 0o755), fill(root), writeCertificate(work)); err != nil {
		return s, err
	}
	replace := strings.NewReplacer("ADDR", line.FarAddr, "DIR", work).Replace
	for _, server := range far {
		path, err := exec.LookPath(server.program)
		if err != nil {
			if path, err = exec.LookPath("/usr/sbin/" + server.program); err != nil {
				return s, err
			}
		}
		conf := filepath.Join(work, server.program+".conf")
		if err := os.WriteFile(conf, []byte(replace(server.conf)), 0o644); err != nil {
			return s, err
		}
		cmd := exec.Command(path, append(server.args, conf)...)
		cmd.Dir, cmd.Stderr = work, os.Stderr
		stop, err := l.Far.Serve(cmd)
		if err != nil {
			return s, err
		}
		undo = append(undo, stop)
		if err := await(l.Far, net.JoinHostPort(line.FarAddr, server.port)); err != nil {
			return s, fmt.Errorf("%s: %w", server.program, err)
		}
	}
	return s, nil
}

// await waits until a server listens.
func await(end *line.End, addr string) error {
	deadline := time.Now().Add(10 * time.Second)
	for {
		err := end.Do(func() error {
			conn, err := net.DialTimeout("tcp4", addr, time.Second)
			if err == nil {
				conn.Close()
			}
			return err
		})
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// writeCertificate writes a certificate for the far end, and its key.
func writeCertificate(dir string) error {
	config, _ := certificate.New(nil, net.ParseIP(line.FarAddr))
	key, err := x509.MarshalPKCS8PrivateKey(config.Certificates[0].PrivateKey)
	if err != nil {
		return err
	}
	write := func(name, kind string, der []byte) error {
		return os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
	}
	return errors.Join(write(caFile, "CERTIFICATE", config.Certificates[0].Certificate[0]), write("key.pem", "PRIVATE KEY", key))
}
