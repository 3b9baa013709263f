package term

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/internal/pty"
)

// acts are programs at a terminal, which this test binary runs in place of its tests.
var acts = map[string]func(ctx context.Context, s *Streams){
	"ask": func(ctx context.Context, s *Streams) {
		for _, hidden := range []bool{false, true} {
			answer, err := s.Ask(ctx, "who\u202e? ", hidden)
			if err != nil {
				s.Complain(err)
				return
			}
			s.Say("it is %q", answer)
		}
	},
	"list": func(ctx context.Context, s *Streams) {
		s = s.With(Settings{StdinIsList: true})
		s.Say("can ask: %v", s.CanAsk())
	},
	"look": func(ctx context.Context, s *Streams) {
		s.Say("%d columns, %v, %v", s.Columns(), s.OutIsTerminal(), IsTerminal(s.Err))
		p := PaletteFor(s.Err)
		fmt.Fprintln(s.Out, p.Faint("a")+p.Alarm("b")+p.Kind("listing", "c")+p.Kind("session", "d")+p.Kind("document", "e")+p.Faint(""))
	},
	"raw": func(ctx context.Context, s *Streams) {
		resized := make(chan bool, 1)
		stop := OnResize(func() { resized <- true })
		defer stop()
		c, ok := s.Console()
		restore, err := c.Raw()
		if !ok || err != nil {
			s.Say("no console: %v", err)
			return
		}
		s.Say("ready")
		<-resized
		width, height, err := c.Size()
		restore()
		s.Say("%dx%d, %v", width, height, err)
	},
	"bar": func(ctx context.Context, s *Streams) {
		_, end := s.Progress.Track("a\u202efile")
		<-ctx.Done()
		s.Say("above")
		end()
	},
}

func TestMain(m *testing.M) {
	act := acts[os.Getenv("TERM_TEST_ACT")]
	if act == nil {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	s := New(os.Stdin, os.Stdout, os.Stderr).With(Settings{Progress: "auto"})
	act(ctx, s)
	s.Progress.Close()
}

// perform runs an act at a terminal of 81 columns and 25 rows.
func perform(t *testing.T, act string, env ...string) *pty.Terminal {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), "TERM_TEST_ACT="+act, "TERM=xterm", "NO_COLOR=", "GORACE=atexit_sleep_ms=0"), env...)
	return pty.Start(t, cmd, 81, 25)
}

// A person is asked for a line, and a hidden one is not echoed.
func TestAsk(t *testing.T) {
	term := perform(t, "ask")
	before := term.First()
	term.Await(`who\u202e? `)
	term.Type("joe\n")
	term.Await(`it is "joe"`)
	term.Await(`who\u202e? `)
	for end := time.Now().Add(10 * time.Second); term.State().Lflag&syscall.ECHO != 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	term.Type("s3cret\n")
	term.Await("\r\nit is \"s3cret\"\r\n")
	if term.Wait(); term.State() != before || strings.Count(term.Screen(), "s3cret") != 1 {
		t.Errorf("the terminal is %v, and was %v; it shows %q", term.State(), before, term.Screen())
	}
}

// The end of the context ends a question, and the terminal is as it was.
func TestAskIsInterrupted(t *testing.T) {
	term := perform(t, "ask")
	term.Await("? ")
	term.Type("joe\n")
	term.Await(`it is "joe"`)
	term.Await("? ")
	term.Signal(syscall.SIGTERM)
	if term.Wait(); term.State() != term.First() {
		t.Errorf("the terminal is %v, and was %v", term.State(), term.First())
	}
	if !strings.HasSuffix(term.Screen(), "\r\n") {
		t.Errorf("it shows %q", term.Screen())
	}
}

// A list of URLs on standard input leaves no room for answers.
func TestListLeavesNoQuestion(t *testing.T) {
	perform(t, "list").Await("can ask: false")
}

// A terminal has a width, and colours unless the user objects.
func TestLook(t *testing.T) {
	term := perform(t, "look")
	term.Await("81 columns, true, true")
	term.Await("\x1b[2ma\x1b[0m\x1b[1;31mb\x1b[0m\x1b[1;34mc\x1b[0m\x1b[1;35md\x1b[0me\r\n")
	for _, env := range []string{"NO_COLOR=1", "TERM=dumb", "TERM="} {
		perform(t, "look", env).Await("abcde\r\n")
	}
}

// A raw terminal is as it was at the end, and a resized one is noticed.
func TestRawAndResize(t *testing.T) {
	term := perform(t, "raw")
	term.Await("ready")
	if term.State().Lflag&(syscall.ICANON|syscall.ECHO|syscall.ISIG) != 0 {
		t.Error("the terminal is not raw")
	}
	term.Resize(90, 30)
	term.Await("90x30, <nil>")
	if term.Wait(); term.State() != term.First() {
		t.Errorf("the terminal is %v, and was %v", term.State(), term.First())
	}
}

// A slow download has a bar at a terminal. Text goes above it, and its end takes it away.
func TestBarAtTerminal(t *testing.T) {
	term := perform(t, "bar")
	term.Await(`a\u202efile  [`)
	term.Signal(syscall.SIGTERM)
	term.Wait()
	screen := []byte(term.Screen())
	if !bytes.Contains(screen, []byte("above\r\n")) {
		t.Errorf("the text is missing: %q", screen)
	}
	if last := screen[bytes.LastIndex(screen, []byte("\x1b[")):]; string(last) != "\x1b[J" {
		t.Errorf("the bar is not taken away: %q", last)
	}
}
