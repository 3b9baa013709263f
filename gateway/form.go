package gateway

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
)

// maxFields is how many fields of a form are shown and answered.
const maxFields = 100

// answerName is the beginning of the name of the parameter for a field. The number of the field
// follows.
const answerName = "answer"

// A formPage is the page of an item of Gopher+ that has a form (Gopher+, section 2.8).
type formPage struct {
	URL     string
	Host    string // that gets the answers
	Fields  []formField
	Reason  string // why the form is only shown; "" if it can be filled
	Command string // a line for a shell that asks for the answers
}

// A formField is a field of a form on a page. A Note has no Name.
type formField struct {
	gopher.Field
	Name string
}

// unfillable returns the reason why the gateway does not fill a form, or "". Answers are part of
// the address of a page, where no secret may stand.
func unfillable(form gopher.Form) string {
	fields := 0
	for _, f := range form {
		switch {
		case f.Kind == "AskP":
			return "The form asks for a secret. The gateway passes no secrets on."
		case f.Kind == "ChooseF":
			return "The form asks for a file of this machine. The gateway sends no files."
		case f.Kind != "Note":
			fields++
		}
	}
	switch {
	case fields == 0:
		return "The form has no field."
	case fields > maxFields:
		return fmt.Sprintf("The form has more than %d fields.", maxFields)
	}
	return ""
}

// form answers with a page that has the fields of a form.
func (x *exchange) form(res *fetchers.Resource, form gopher.Form) {
	p := x.pageOf(res)
	p.Bytes = ""
	f := formPage{URL: p.Address, Host: res.URL.Addr(), Reason: unfillable(form), Command: "fetch " + quoted(p.Address)}
	if x.proxied {
		f.Reason = "A page of a proxy has no fields."
	}
	n := 0
	for _, field := range form[:min(len(form), 2*maxFields)] { // notes stand between the fields
		shown := formField{Field: field}
		if field.Kind != "Note" {
			n++
			shown.Name = answerName + strconv.Itoa(n)
		}
		f.Fields = append(f.Fields, shown)
	}
	p.Body = f
	x.show(http.StatusOK, "form", p)
}

// submit sends the answers of the question to the item of res, and answers with its reply. The
// page does not have the URL of the filled form: its links have the parameters of the question.
func (x *exchange) submit(res *fetchers.Resource) {
	form := gopher.FormOf(res)
	if form == nil {
		x.refuse(bad("This item has no form, and takes no answers."))
		return
	}
	if reason := unfillable(form); reason != "" {
		x.refuse(&problem{status: http.StatusForbidden, reason: reason})
		return
	}
	var answers []string
	for _, field := range form {
		if field.Kind == "Note" {
			continue
		}
		answer, ok := x.answers[len(answers)+1]
		if !ok {
			answer = field.Default
		}
		answers = append(answers, answer)
	}
	for n := range x.answers {
		if n > len(answers) {
			x.refuse(bad(fmt.Sprintf("The form has no field %d.", n)))
			return
		}
	}
	u, err := form.Fill(res.URL, answers)
	if err != nil {
		x.refuse(bad("The form cannot be sent: " + err.Error() + "."))
		return
	}
	res.Close()
	x.filled = u
	req := x.request()
	req.URL = u
	x.take(req)
}

// readAnswer reads the parameter for a field of a form. A browser ends the lines of a text by
// CR LF.
func (q *question) readAnswer(number, value string) *problem {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > maxFields || strconv.Itoa(n) != number {
		return bad(fmt.Sprintf("The parameter %s is followed by the number of a field, from 1 to %d.", answerName, maxFields))
	}
	if q.answers == nil {
		q.answers = make(map[int]string)
	}
	q.answers[n] = strings.ReplaceAll(value, "\r\n", "\n")
	return nil
}

// quoted returns a text as one word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
