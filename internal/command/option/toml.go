package option

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// parseConfig reads a configuration in TOML. Settings and sections are in its order.
func parseConfig(name string, data []byte) (settings []Setting, sections []*Section, err error) {
	var all map[string]any
	if err := toml.Unmarshal(data, &all); err != nil {
		var where *toml.DecodeError
		if errors.As(err, &where) {
			line, _ := where.Position()
			return nil, nil, fmt.Errorf("%s:%d: %s", name, line, strings.TrimPrefix(err.Error(), "toml: "))
		}
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	f := tomlFile{name, linesOf(data)}
	sections, err = f.sections(all)
	if err != nil {
		return nil, nil, err
	}
	if origins, ok := all["origin"].(map[string]any); ok {
		more, err := f.sections(origins, "origin")
		if err != nil {
			return nil, nil, err
		}
		for key := range origins {
			return nil, nil, fmt.Errorf("%s: a section for origins is like [origin.\"https://example.org\"]", f.at("origin", key))
		}
		sections = append(sections, more...)
		delete(all, "origin")
	}
	slices.SortFunc(sections, func(a, b *Section) int { return compareLines(a.Where, b.Where) })
	settings, err = f.settings(all)
	return settings, sections, err
}

// A tomlFile knows on which lines the keys of a file stand.
type tomlFile struct {
	name  string
	lines map[string]int
}

// at returns FILE:LINE of a key, or of the table that it is in.
func (f tomlFile) at(path ...string) string {
	for n := len(path); n > 0; n-- {
		if line, ok := f.lines[strings.Join(path[:n], "\x00")]; ok {
			return f.name + ":" + strconv.Itoa(line)
		}
	}
	return f.name
}

// settings returns the settings of a table.
func (f tomlFile) settings(table map[string]any, path ...string) (list []Setting, err error) {
	for key, value := range table {
		s := Setting{Key: key, Where: f.at(append(slices.Clone(path), key)...)}
		if s.Values, err = texts(value); err != nil {
			return nil, fmt.Errorf("%s: %s %w", s.Where, key, err)
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b Setting) int { return compareLines(a.Where, b.Where) })
	return list, nil
}

// sections takes the tables out of one, but for the one named origin.
func (f tomlFile) sections(from map[string]any, path ...string) (list []*Section, err error) {
	for key, value := range from {
		table, ok := value.(map[string]any)
		if !ok || key == "origin" && len(path) == 0 {
			continue
		}
		way := append(slices.Clone(path), key)
		s := &Section{Origin: key, Where: f.at(way...)}
		if s.Settings, err = f.settings(table, way...); err != nil {
			return nil, err
		}
		list = append(list, s)
		delete(from, key)
	}
	return list, nil
}

// linesOf returns on which lines keys stand, by their parts with NULs between them.
func linesOf(data []byte) map[string]int {
	lines := make(map[string]int)
	var p unstable.Parser
	p.Reset(data)
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		var path []string
		line := 0
		for key := e.Key(); key.Next(); {
			path = append(path, string(key.Node().Data))
			line = p.Shape(key.Node().Raw).Start.Line
		}
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = path
		case unstable.KeyValue:
			path = append(slices.Clone(table), path...)
		default:
			continue
		}
		for n := range path {
			part := strings.Join(path[:n+1], "\x00")
			if _, known := lines[part]; !known || n == len(path)-1 {
				lines[part] = line
			}
		}
	}
	return lines
}

func compareLines(a, b string) int {
	number := func(where string) int {
		n, _ := strconv.Atoi(where[strings.LastIndexByte(where, ':')+1:])
		return n
	}
	return number(a) - number(b)
}

// texts returns a value as it would stand on a command line, and each of a list.
func texts(value any) ([]string, error) {
	switch v := value.(type) {
	case string:
		return []string{v}, nil
	case bool:
		return []string{strconv.FormatBool(v)}, nil
	case int64:
		return []string{strconv.FormatInt(v, 10)}, nil
	case float64:
		return []string{strconv.FormatFloat(v, 'f', -1, 64)}, nil
	case []any:
		var list []string
		for _, one := range v {
			text, err := texts(one)
			if err != nil || len(text) != 1 {
				return nil, errors.New("is a list of something else than words and numbers")
			}
			list = append(list, text...)
		}
		return list, nil
	}
	return nil, errors.New("is no word, number, true or false, or a list of them")
}
