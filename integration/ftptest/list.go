package ftptest

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"
)

// list answers LIST with the lines of "ls -l", in UTC.
func (s *session) list(arg string) {
	arg = withoutFlags(arg)
	dir := s.resolve(arg)
	s.listing("LIST", arg, func(name string, info fs.FileInfo) string {
		line := listLine(name, info, time.Now())
		if info.Mode()&fs.ModeSymlink != 0 {
			if target, err := fs.ReadLink(s.server.fsys, path.Join(dir, name)); err == nil {
				line += " -> " + target
			}
		}
		return line
	})
}

// withoutFlags returns the name in the argument of LIST: many clients send LIST -a, as for ls.
func withoutFlags(arg string) string {
	for strings.HasPrefix(arg, "-") {
		_, arg, _ = strings.Cut(arg, " ")
	}
	return arg
}

// nlst answers NLST with names that have no directory before them: "NLST pub"
// gives "a", where some servers give "pub/a".
func (s *session) nlst(arg string) {
	s.listing("NLST", arg, func(name string, _ fs.FileInfo) string { return name })
}

// listing sends one line for each file in a directory, or the line for the one
// file that was named.
func (s *session) listing(command, arg string, line func(name string, info fs.FileInfo) string) {
	name := s.resolve(arg)
	info, err := fs.Stat(s.server.fsys, name)
	if err != nil {
		s.refuse(err)
		return
	}
	var lines []string
	if info.IsDir() {
		infos, err := s.readDir(name)
		if err != nil {
			s.refuse(err)
			return
		}
		for _, info := range infos {
			lines = append(lines, line(info.Name(), info))
		}
	} else {
		lines = append(lines, line(arg, info))
	}
	s.sendLines(command, name, lines)
}

// mlsd answers MLSD, RFC 3659, section 7.
func (s *session) mlsd(arg string) {
	name := s.resolve(arg)
	info, err := fs.Stat(s.server.fsys, name)
	if err != nil {
		s.refuse(err)
		return
	}
	if !info.IsDir() {
		s.reply(501, "Not a directory.")
		return
	}
	infos, err := s.readDir(name)
	if err != nil {
		s.refuse(err)
		return
	}
	lines := []string{facts("cdir", info) + " ."}
	if name != "." {
		if parent, err := fs.Stat(s.server.fsys, path.Dir(name)); err == nil {
			lines = append(lines, facts("pdir", parent)+" ..")
		}
	}
	for _, info := range infos {
		lines = append(lines, facts(typeFact(info), info)+" "+info.Name())
	}
	s.sendLines("MLSD", name, lines)
}

// mlst answers MLST on the control connection, with the absolute name.
func (s *session) mlst(arg string) {
	name := s.resolve(arg)
	info, err := fs.Stat(s.server.fsys, name)
	if err != nil {
		s.refuse(err)
		return
	}
	s.reply(250, "Listing.", facts(typeFact(info), info)+" "+path.Join("/", name), "End.")
}

func (s *session) readDir(name string) ([]fs.FileInfo, error) {
	entries, err := fs.ReadDir(s.server.fsys, name)
	if err != nil {
		return nil, err
	}
	var infos []fs.FileInfo
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil { // Else it was removed meanwhile.
			infos = append(infos, info)
		}
	}
	return infos, nil
}

// sendLines sends lines with CR LF, in every TYPE, as most servers do.
func (s *session) sendLines(command, path string, lines []string) {
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(line + "\r\n")
	}
	s.send(command, path, "Here comes the directory listing.", strings.NewReader(text.String()))
}

// listLine is a line of "ls -l". The name is written as it is.
func listLine(name string, info fs.FileInfo, now time.Time) string {
	mode := []byte(info.Mode().Perm().String())
	switch {
	case info.IsDir():
		mode[0] = 'd'
	case info.Mode()&fs.ModeSymlink != 0:
		mode[0] = 'l'
	}
	modified := info.ModTime().UTC()
	if modified.IsZero() {
		modified = time.Unix(0, 0).UTC() // A line needs a date.
	}
	layout := "Jan _2 15:04"
	if modified.Before(now.AddDate(0, -6, 0)) || modified.After(now) {
		layout = "Jan _2  2006"
	}
	return fmt.Sprintf("%s %3d %-8s %-8s %12d %s %s",
		mode, 1, "ftp", "ftp", info.Size(), modified.Format(layout), name)
}

func typeFact(info fs.FileInfo) string {
	switch {
	case info.IsDir():
		return "dir"
	case info.Mode()&fs.ModeSymlink != 0:
		return "OS.unix=symlink" // ProFTPD's word.
	}
	return "file"
}

// facts are those of RFC 3659, section 7.5, that are known.
func facts(kind string, info fs.FileInfo) string {
	text := "type=" + kind + ";"
	if !info.IsDir() {
		text += fmt.Sprintf("size=%d;", info.Size())
	}
	if !info.ModTime().IsZero() {
		text += "modify=" + timeVal(info.ModTime()) + ";"
	}
	return text + fmt.Sprintf("UNIX.mode=%04o;", info.Mode().Perm())
}

// timeVal is a time as in MDTM and modify, RFC 3659, section 2.3.
func timeVal(t time.Time) string {
	return t.UTC().Format("20060102150405")
}
