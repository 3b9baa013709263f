package z3950

// A Query selects the records that match all its operands. It is a subset of the queries of type 1,
// in reverse Polish notation.
type Query []Operand

// An Operand is a term with its attributes of the set Bib-1.
type Operand struct {
	Attributes []Attribute
	Term       string
}

// An Attribute is the type and the value of an attribute of the set Bib-1.
type Attribute struct{ Type, Value int64 }

// maxOperands limits the operands of a query, which are nested.
const maxOperands = maxDepth - 6

// Tags of a query and of its parts.
const (
	tagType1    = context | 1
	tagType101  = context | 101
	tagOperand  = context0
	tagOperands = context | 1 // two structures and an operator
	tagAnd      = context0
)

// append appends a query of type 1.
func (q Query) append(b []byte) []byte {
	rpn := []byte{}
	for i, operand := range q {
		structure := appendGroup(nil, tagOperand, operand.content())
		if i > 0 {
			structure = append(rpn, structure...)
			structure = appendGroup(structure, tagOperator, appendElement(nil, tagAnd, ""))
			structure = appendGroup(nil, tagOperands, structure)
		}
		rpn = structure
	}
	rpn = append(appendOID(nil, tagOID, bib1Attributes), rpn...)
	return appendGroup(b, tagQuery, appendGroup(nil, tagType1, rpn))
}

func (o Operand) content() []byte {
	var list []byte
	for _, a := range o.Attributes {
		element := appendInt(nil, tagAttributeType, a.Type)
		list = appendGroup(list, tagSequence, appendInt(element, tagAttributeValue, a.Value))
	}
	content := appendGroup(nil, tagAttributeList, list)
	return appendGroup(nil, tagAttributesPlusTerm, appendElement(content, tagGeneralTerm, o.Term))
}

// query decodes a query. Its operands are in the encoded order, and all operators have to be AND.
func (d *Decoder) query() (q Query) {
	for d.enter(); d.Next(); {
		if d.Tag() != tagType1 && d.Tag() != tagType101 {
			d.fail("a query that is not of type 1")
			return nil
		}
		for d.enter(); d.Next(); {
			if d.Tag() != tagOID {
				q = d.structure(q)
			}
		}
	}
	return q
}

// structure decodes an operand, or two structures and an operator.
func (d *Decoder) structure(q Query) Query {
	outer := d.Tag()
	for d.enter(); d.Next(); {
		switch d.Tag() {
		case tagAttributesPlusTerm:
			q = append(q, d.operand())
		case tagOperator:
			for d.enter(); d.Next(); {
				if d.Tag() != tagAnd {
					d.fail("an operator that is not AND")
				}
			}
		case tagOperand, tagOperands:
			if outer == tagOperands {
				q = d.structure(q)
				continue
			}
			fallthrough
		default:
			d.fail("element %x in a query", uint32(d.Tag()))
		}
	}
	return q
}

func (d *Decoder) operand() (o Operand) {
	for d.enter(); d.Next(); {
		switch d.Tag() {
		case tagAttributeList:
			for d.enter(); d.Next(); {
				o.Attributes = append(o.Attributes, d.attribute())
			}
		case tagGeneralTerm:
			o.Term = d.text()
		}
	}
	return o
}

func (d *Decoder) attribute() (a Attribute) {
	for d.enter(); d.Next(); {
		switch d.Tag() {
		case tagAttributeType:
			a.Type = d.Int()
		case tagAttributeValue:
			a.Value = d.Int()
		}
	}
	return a
}
