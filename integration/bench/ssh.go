package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/line"
)

// A session ends by itself when the line is gone, as it is in no process group of ours.
const sshdConf = `ListenAddress ADDR:22
HostKey DIR/host_key
PidFile none
UsePAM no
UseDNS no
StrictModes no
PermitRootLogin yes
AuthorizedKeysFile DIR/user_key.pub
Subsystem sftp internal-sftp
LogLevel ERROR
ClientAliveInterval 1
ClientAliveCountMax 2
`

// sshConf is the configuration of clients, which run in the directory of the case.
const sshConf = `IdentityFile user_key
UserKnownHostsFile known_hosts
`

// lineSFTP is the case of one file by SFTP. All programs run as root.
func lineSFTP(name string, o line.Options, size int64) benchCase {
	host := "root@" + line.FarAddr
	file := func(work string) string { return work + "/www/" + single1 }
	c := benchCase{
		name: name, what: fmt.Sprintf("one file of %s by sftp over %s", kib(size), describe(o)),
		prepare: func(work string) (scene, error) {
			return overLine(work, o, func(root string) error {
				_, err := fill(filepath.Join(root, single1), size)
				return errors.Join(err, writeSSH(work))
			}, farServer{"sshd", sshdConf, []string{"-D", "-E", "sshd.log", "-f"}, "22"})
		},
		size:  size,
		check: func(work string) error { return checkSize(work, size) },
		tools: []tool{
			{name: "fetch", args: func(work string) []string {
				return []string{"--ssh-key", "user_key", "--knownhosts", "known_hosts", "-o", outBig, "sftp://" + host + file(work)}
			}},
			{name: "sftp", args: func(work string) []string { return []string{"-q", "-F", "ssh.conf", host + ":" + file(work), outBig} }},
			{name: "scp", args: func(work string) []string { return []string{"-q", "-F", "ssh.conf", host + ":" + file(work), outBig} }},
			{name: "lftp", args: func(work string) []string {
				connect := "set sftp:connect-program 'ssh -a -x -F ssh.conf'"
				return []string{"-e", connect + "; get " + file(work) + " -o " + outBig + "; bye", "sftp://root:x@" + line.FarAddr}
			}},
			{name: "rclone", args: func(work string) []string {
				return []string{"copyto", "--config", os.DevNull, ":sftp,host=" + line.FarAddr + ",user=root,key_file=user_key:" + file(work), outBig}
			}},
		},
	}
	c.estimate = func(string) time.Duration { return timeOf(o, float64(size), 1, 0) + 10*o.RTT }
	return c
}

// writeSSH writes the keys and the configuration of both ends.
func writeSSH(work string) error {
	for _, key := range []string{"host_key", "user_key"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(work, key)).CombinedOutput(); err != nil {
			return fmt.Errorf("ssh-keygen: %w: %s", err, out)
		}
	}
	public, err := os.ReadFile(filepath.Join(work, "host_key.pub"))
	if err != nil {
		return err
	}
	known := line.FarAddr + " " + strings.Join(strings.Fields(string(public))[:2], " ") + "\n"
	return errors.Join(
		os.MkdirAll("/run/sshd", 0o755), // sshd wants it
		os.WriteFile(filepath.Join(work, "known_hosts"), []byte(known), 0o644),
		os.WriteFile(filepath.Join(work, "ssh.conf"), []byte(sshConf), 0o644),
	)
}
