package z3950

import "strings"

// A Diagnostic says why a server has not done something.
type Diagnostic struct {
	Set       string // the object identifier of the set that Condition belongs to
	Condition int64
	Detail    string // what the server adds
}

// Bib1 reports whether the condition is one of the set Bib-1, which all servers have.
func (d Diagnostic) Bib1() bool { return d.Set == bib1Diagnostics }

// maxDiagnostics is how many diagnostics of one answer are read.
const maxDiagnostics = 16

// fields returns the content of a DefaultDiagFormat.
func (g Diagnostic) fields() []byte {
	set := g.Set
	if set == "" {
		set = bib1Diagnostics
	}
	b := appendOID(nil, tagOID, set)
	return appendElement(appendInt(b, tagInteger, g.Condition), tagVisible, g.Detail)
}

// Object identifiers of what is around a diagnostic in an InitializeResponse.
const (
	userInfo1 = "1.2.840.10003.10.3"
	diag1     = "1.2.840.10003.4.2"
)

// userInformation returns the content of an EXTERNAL with the diagnostic in it, as YAZ has it.
func (g Diagnostic) userInformation() []byte {
	format := appendGroup(nil, context|1, appendGroup(nil, context|1, g.fields()))
	format = appendGroup(nil, tagSequence, appendGroup(nil, tagSequence, format))
	external := append(appendOID(nil, tagOID, diag1), appendGroup(nil, context0, format)...)
	list := appendGroup(nil, tagSequence, appendGroup(nil, tagSequence, appendGroup(nil, context|4, external)))
	return append(appendOID(nil, tagOID, userInfo1), appendGroup(nil, context0, list)...)
}

// diagnostic reads the content of a DefaultDiagFormat, which was entered.
func (d *Decoder) diagnostic() (g Diagnostic) {
	for d.Next() {
		switch d.Tag() {
		case tagOID:
			g.Set = d.oid()
		case tagInteger:
			g.Condition = d.Int()
		case tagVisible, tagGeneral:
			g.Detail = d.text()
		}
	}
	return g
}

// diagnosticRecords reads a list of diagnostics, each of which is a DefaultDiagFormat or an
// EXTERNAL.
func (d *Decoder) diagnosticRecords() (all []Diagnostic) {
	for d.enter(); d.Next(); {
		all = d.findDiagnostics(all)
	}
	return all
}

// findDiagnostics appends the diagnostics within the element that Next has found: groups of
// the identifier of a set, a number and a text. Where they are in an EXTERNAL is up to the
// format of that.
func (d *Decoder) findDiagnostics(all []Diagnostic) []Diagnostic {
	if !d.constructed {
		return all
	}
	var g Diagnostic
	numbered := false
	for d.enter(); d.Next(); {
		switch {
		case d.constructed:
			all = d.findDiagnostics(all)
		case d.Tag() == tagOID:
			g.Set = d.oid()
		case d.Tag() == tagInteger && g.Set != "":
			g.Condition, numbered = d.Int(), true
		case d.Tag() == tagVisible || d.Tag() == tagGeneral:
			g.Detail = d.text()
		}
	}
	if numbered && strings.HasPrefix(g.Set, diagnosticSets) && len(all) < maxDiagnostics {
		all = append(all, g)
	}
	return all
}

// diagnosticSets begins the identifiers of the sets of diagnostics.
const diagnosticSets = "1.2.840.10003.4."
