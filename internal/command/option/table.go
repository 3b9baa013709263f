package option

import "sync"

// A Group is a section of the manual about flags.
type Group struct {
	Name  string // the word that fetch help takes for the group
	Title string
	Flags []Flag
}

// Groups returns the table, in the order of the manual. The caller must not change it.
func Groups() []Group { return made().groups }

// Table returns the flags of all groups. The caller must not change the slice.
func Table() []Flag { return made().all }

// Lookup returns the row of a flag.
func Lookup(name string) (Flag, bool) {
	at, ok := made().at[name]
	if !ok {
		return Flag{}, false
	}
	return made().all[at], true
}

// row returns the row of a flag, or the zero Flag if there is none.
func row(name string) Flag {
	f, _ := Lookup(name)
	return f
}

// A whole is the table as it is read: by groups, in one slice, and by names.
type whole struct {
	groups []Group
	all    []Flag
	at     map[string]int // the index of a flag in all
}

// made returns the table. It is made at the first call.
var made = sync.OnceValue(func() whole {
	w := whole{at: make(map[string]int), groups: []Group{
		{"output", "Output", whereItGoes},
		{"content", "Content", whatToGet},
		{"request", "Request", howToAsk},
		{"login", "Logins", logins},
		{"tls", "TLS", security},
		{"network", "Network", whichWay},
		{"protocols", "Protocols", singleProtocols},
		{"limits", "Limits", limits},
		{"mirror", "Mirror", trees},
		{"gateway", "Gateway", gateway},
		{"messages", "Messages", output},
	}}
	for _, g := range w.groups {
		for i := range g.Flags {
			g.Flags[i].Group = g.Title
			w.at[g.Flags[i].Name] = len(w.all) + i
		}
		w.all = append(w.all, g.Flags...)
	}
	return w
})
