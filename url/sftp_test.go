package url

import "testing"

func TestSFTP(t *testing.T) {
	for text, want := range map[string]SFTP{
		"sftp://h.dom/etc/motd":     {Path: "/etc/motd"},
		"scp://h.dom/etc/motd":      {Path: "/etc/motd", Copy: true},
		"sftp://h.dom":              {Path: "/", Slash: true},
		"sftp://h.dom/":             {Path: "/", Slash: true},
		"sftp://h.dom/etc/":         {Path: "/etc/", Slash: true},
		"sftp://h.dom/~":            {Path: ".", Slash: true},
		"sftp://h.dom/~/":           {Path: ".", Slash: true},
		"sftp://h.dom/%7E/a":        {Path: "a"},
		"sftp://h.dom/~/a/b":        {Path: "a/b"},
		"sftp://h.dom/~/a/":         {Path: "a/", Slash: true},
		"sftp://h.dom/~joe/a":       {Path: "/~joe/a"},
		"sftp://h.dom//~/a":         {Path: "//~/a"},
		"sftp://h.dom/~//a":         {Path: "/~//a"},
		"sftp://h.dom/a/~/b":        {Path: "/a/~/b"},
		"sftp://h.dom/a%0Ab?c;d=e":  {Path: "/a\nb?c;d=e"},
		"sftp://h.dom/a%20b%FF%25x": {Path: "/a b\xff%x"},
	} {
		u, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, err := u.SFTP()
		want.Authority = Authority{Host: "h.dom"}
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
		if again, err := got.URL().SFTP(); err != nil || again != got {
			t.Errorf("%s: rebuilt as %s, which means %+v, %v", text, got.URL(), again, err)
		}
	}
	for _, text := range []string{
		"ftp://h.dom/a",
		"sftp://h.dom/a%2Fb",
		"sftp://h.dom/a%00b",
		"sftp://joe;fingerprint=ssh-dss-c1-b1-30@h.dom/a",
	} {
		u, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := u.SFTP(); err == nil {
			t.Errorf("%s: %+v, want an error", text, got)
		}
	}
}

func TestSFTPTree(t *testing.T) {
	u, err := Parse("sftp://h.dom/~/a")
	if err != nil {
		t.Fatal(err)
	}
	child, err := u.Child("b c")
	if err != nil || child.String() != "sftp://h.dom/~/a/b%20c" || !u.Holds(child) {
		t.Errorf("the child is %v, %v", child, err)
	}
	if up, err := child.Resolve("../x"); err != nil || up.String() != "sftp://h.dom/~/x" {
		t.Errorf("../x is %v, %v", up, err)
	}
	for _, name := range []string{"", ".", "..", "a/b", "a\x00"} {
		if c, err := u.Child(name); err == nil {
			t.Errorf("%q is taken for a name: %s", name, c)
		}
	}
}
