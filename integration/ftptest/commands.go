package ftptest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

func (s *session) userCommand(arg string) {
	s.user, s.loggedIn = arg, false
	s.reply(331, "Please specify the password.")
}

func (s *session) pass(arg string) {
	switch {
	case s.user == "":
		s.reply(503, "Login with USER first.")
	case !s.server.mayLogIn(s.user, arg):
		s.user = ""
		s.reply(530, "Login incorrect.")
	default:
		s.loggedIn = true
		s.server.logins.Add(1)
		s.reply(230, "Login successful.")
	}
}

func (s *session) quit(string) {
	s.reply(221, "Goodbye.")
	s.quitting = true
}

func (s *session) noop(string) { s.reply(200, "Okay.") }
func (s *session) syst(string) { s.reply(215, "UNIX Type: L8") }
func (s *session) help(string) { s.reply(214, "See RFC 959 and RFC 3659.") }

// feat lists the extensions of the server (RFC 2389).
func (s *session) feat(string) {
	lines := []string{"Features:"}
	for _, f := range []struct{ line, commands string }{
		{"AUTH TLS", "AUTH"},
		{"EPRT", "EPRT"},
		{"EPSV", "EPSV"},
		{"MDTM", "MDTM"},
		{"MLST type*;size*;modify*;UNIX.mode*;", "MLST MLSD"},
		{"PBSZ", "PBSZ"},
		{"PROT", "PROT"},
		{"REST STREAM", "REST"},
		{"SIZE", "SIZE"},
		{"TVFS", ""},
		{"UTF8", ""},
	} {
		missing := func(command string) bool {
			needsTLS := command == "AUTH" || command == "PBSZ" || command == "PROT"
			return s.server.without[command] || needsTLS && s.server.tls == nil
		}
		if !slices.ContainsFunc(strings.Fields(f.commands), missing) {
			lines = append(lines, f.line)
		}
	}
	s.reply(211, append(lines, "End.")...)
}

func (s *session) opts(arg string) {
	if !strings.EqualFold(arg, "UTF8 ON") {
		s.reply(501, "Option not understood.")
		return
	}
	s.reply(200, "Always in UTF8 mode.")
}

func (s *session) stat(arg string) {
	if arg != "" {
		s.reply(504, "Not with a name.")
		return
	}
	s.reply(211, "Status:", "Logged in as "+s.user, "In "+s.dir, "End.")
}

func (s *session) cwd(arg string) {
	if arg == "" {
		s.reply(501, "A directory is needed.")
		return
	}
	name := s.resolve(arg)
	info, err := fs.Stat(s.server.fsys, name)
	if err != nil {
		s.refuse(err)
		return
	}
	if !info.IsDir() {
		s.reply(550, "Not a directory.")
		return
	}
	s.dir = path.Join("/", name)
	s.reply(250, "Directory changed.")
}

func (s *session) cdup(string) { s.cwd("..") }

func (s *session) pwd(string) {
	s.replyf(257, `"%s" is the current directory.`, quoted(s.dir))
}

// quoted returns a name in which a quote is written twice: RFC 959, appendix II.
func quoted(name string) string { return strings.ReplaceAll(name, `"`, `""`) }

func (s *session) typeCommand(arg string) {
	switch strings.ToUpper(arg) {
	case "A", "A N":
		s.image = false
	case "I", "L 8":
		s.image = true
	default:
		s.reply(504, "Not this type.")
		return
	}
	s.offset = 0 // It counted octets of the other type.
	s.reply(200, "Type set.")
}

func (s *session) mode(arg string) { s.only("S", arg) }
func (s *session) stru(arg string) { s.only("F", arg) }

func (s *session) only(value, arg string) {
	if !strings.EqualFold(arg, value) {
		s.reply(504, "Only "+value+".")
		return
	}
	s.reply(200, "Okay.")
}

func (s *session) size(arg string) {
	if !s.image {
		s.reply(550, "SIZE not allowed in ASCII mode.")
		return
	}
	if info := s.plainFile(arg); info != nil {
		s.replyf(213, "%d", info.Size())
	}
}

func (s *session) mdtm(arg string) {
	info := s.plainFile(arg)
	switch {
	case info == nil:
	case info.ModTime().IsZero():
		s.reply(550, "The time is not known.")
	default:
		s.reply(213, timeVal(info.ModTime()))
	}
}

func (s *session) rest(arg string) {
	offset, err := strconv.ParseUint(arg, 10, 63)
	if err != nil || !s.image {
		s.reply(501, "REST needs a number, and TYPE I.")
		return
	}
	s.offset = int64(offset)
	s.replyf(350, "Restarting at %d.", s.offset)
}

func (s *session) retr(arg string) {
	offset := s.offset
	s.offset = 0
	info := s.plainFile(arg)
	if info == nil {
		return
	}
	if offset > info.Size() {
		s.reply(554, "The file is shorter than that.")
		return
	}
	file, err := s.server.fsys.Open(s.resolve(arg))
	if err != nil {
		s.refuse(err)
		return
	}
	defer file.Close()
	if err := skip(file, offset); err != nil {
		s.reply(451, "Local error in reading.")
		return
	}
	if !s.image {
		s.send("RETR", s.resolve(arg), "Opening ASCII mode data connection.", &asciiReader{r: bufio.NewReader(file)})
		return
	}
	opening := "Opening BINARY mode data connection."
	if !s.server.without["SIZE"] {
		opening = fmt.Sprintf("Opening BINARY mode data connection (%d bytes).", info.Size()-offset)
	}
	s.send("RETR", s.resolve(arg), opening, file)
}

func skip(file fs.File, offset int64) error {
	if seeker, ok := file.(io.Seeker); ok {
		_, err := seeker.Seek(offset, io.SeekStart)
		return err
	}
	_, err := io.CopyN(io.Discard, file, offset)
	return err
}

// abor has little to do: the transfer, if there was one, has been cut in read,
// and has said so with 426.
func (s *session) abor(string) {
	s.port.close()
	s.reply(226, "Aborted.")
}

func (s *session) notImplemented(string) { s.reply(502, "Command not implemented.") }

// resolve returns the name inside the file system of a name that the client
// sent. It is never outside: ".." at the root is the root.
func (s *session) resolve(arg string) string {
	if !strings.HasPrefix(arg, "/") {
		arg = s.dir + "/" + arg
	}
	return rooted(arg)
}

// plainFile returns the FileInfo of a file. If there is none, it sends the reason and returns nil.
func (s *session) plainFile(arg string) fs.FileInfo {
	info, err := fs.Stat(s.server.fsys, s.resolve(arg))
	if err != nil {
		s.refuse(err)
		return nil
	}
	if !info.Mode().IsRegular() {
		s.reply(550, "Not a plain file.")
		return nil
	}
	return info
}

// refuse answers that the file system said no.
func (s *session) refuse(err error) {
	if errors.Is(err, fs.ErrPermission) {
		s.reply(550, "Permission denied.")
		return
	}
	if errors.Is(err, fs.ErrExist) {
		s.reply(550, "There is one already.")
		return
	}
	s.reply(550, "No such file or directory.")
}
