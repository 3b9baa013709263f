package z3950

import "strings"

// A Diagnostic is the reason for a refusal.
type Diagnostic struct {
	Set       string // the object identifier of the set with Condition
	Condition int64
	Detail    string // additional text from the server
}

// Bib1 reports whether the condition is in the set Bib-1, which all servers use.
func (d Diagnostic) Bib1() bool { return d.Set == bib1Diagnostics }

// maxDiagnostics limits the diagnostics of one answer.
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

// Object identifiers around a diagnostic in an InitializeResponse.
const (
	userInfo1 = "1.2.840.10003.10.3"
	diag1     = "1.2.840.10003.4.2"
)

// userInformation returns the content of an EXTERNAL with the diagnostic, in the form of YAZ.
func (g Diagnostic) userInformation() []byte {
	format := appendGroup(nil, context|1, appendGroup(nil, context|1, g.fields()))
	format = appendGroup(nil, tagSequence, appendGroup(nil, tagSequence, format))
	external := append(appendOID(nil, tagOID, diag1), appendGroup(nil, context0, format)...)
	list := appendGroup(nil, tagSequence, appendGroup(nil, tagSequence, appendGroup(nil, context|4, external)))
	return append(appendOID(nil, tagOID, userInfo1), appendGroup(nil, context0, list)...)
}

// diagnostic decodes the content of an entered DefaultDiagFormat.
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

// diagnosticRecords decodes a list of diagnostics, each of which is a DefaultDiagFormat or an
// EXTERNAL.
func (d *Decoder) diagnosticRecords() (all []Diagnostic) {
	for d.enter(); d.Next(); {
		all = d.findDiagnostics(all)
	}
	return all
}

// findDiagnostics appends the diagnostics within the current element: groups of the identifier of a
// set, a number and a text. Their position in an EXTERNAL depends on its format.
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

// diagnosticSets is the prefix of the identifiers of diagnostic sets.
const diagnosticSets = "1.2.840.10003.4."
